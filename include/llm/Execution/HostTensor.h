//===- HostTensor.h - Tensors in the memory of this machine -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXECUTION_HOSTTENSOR_H
#define LLM_EXECUTION_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"

#include <functional>
#include <memory>
#include <optional>

namespace mlir::llm {

/// Returns the bytes of an element in memory. An element of less than 8 bits
/// takes one byte.
int64_t getElementBytes(Type element);

/// Reads the number at `bytes`. It is exact except for whole numbers above
/// 2^53.
double readElement(Type element, const char *bytes);
/// Rounds to the nearest number of the type, ties to even, and writes it.
/// Floats of less than 16 bits and whole numbers saturate: what is above their
/// largest number becomes that number. NaN becomes 0 as a whole number. As i1,
/// every number but 0 becomes 1. If the type does not fill its last byte, the
/// other bits are 0.
void writeElement(Type element, char *bytes, double number);

/// A dense tensor of a float or signless integer type, in row-major order.
class HostTensor {
public:
  HostTensor() = default;
  /// Makes a tensor of zeros.
  HostTensor(Type element, ArrayRef<int64_t> shape);
  /// Makes a tensor over the memory at `data`, which `owner` keeps alive.
  HostTensor(Type element, ArrayRef<int64_t> shape, char *data,
             std::shared_ptr<void> owner)
      : element(element), shape(shape), data(data), owner(std::move(owner)) {}

  Type getElementType() const { return element; }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getNumElements() const;
  int64_t getSizeBytes() const {
    return getNumElements() * getElementBytes(element);
  }
  char *getData() const { return data; }
  /// Returns the owner of the memory.
  std::shared_ptr<void> getOwner() const { return owner; }

  double get(int64_t index) const {
    return readElement(element, data + index * getElementBytes(element));
  }
  void set(int64_t index, double number) {
    writeElement(element, data + index * getElementBytes(element), number);
  }

  /// Sets all elements, in row-major order, to what `next` returns.
  void fill(function_ref<float()> next);

  /// Returns a copy in memory of its own. A large copy is in large pages.
  HostTensor copy() const;
  /// Returns the same numbers, rounded to `type`.
  HostTensor convertTo(Type type) const;

private:
  Type element;
  SmallVector<int64_t> shape;
  char *data = nullptr;
  std::shared_ptr<void> owner;
};

/// Returns the shape and type: "2x3xf32".
std::string describe(const HostTensor &tensor);

/// Returns the index of the first element that is infinite or NaN, if there is
/// one.
std::optional<int64_t> findNonFinite(const HostTensor &tensor);

/// How far the numbers of a tensor are from the expected ones.
struct Difference {
  double worst = 0;          ///< |found - expected| / largest |expected|
  int64_t index = 0;         ///< the element with that difference
  bool hasNonFinite = false; ///< an element is unexpectedly infinite or NaN
};
Difference compare(const HostTensor &found, const HostTensor &expected);

/// Returns the bits of the nearest number of bf16, ties to even.
uint16_t roundToBf16(float number);

} // namespace mlir::llm

#endif // LLM_EXECUTION_HOSTTENSOR_H
