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

/// Returns the bytes of an element in memory. Elements of less than 8 bits take
/// one.
int64_t getElementBytes(Type element);

/// Reads the number at `bytes`. It is exact except for whole numbers above
/// 2^53.
double readElement(Type element, const char *bytes);
/// Writes the nearest number of the type, ties to even. Floats of less than 16
/// bits and whole numbers take their largest number for what is above it; NaN
/// is 0 among whole numbers. Numbers of i1 are 0 and 1, to which all but 0
/// goes. Bits of the last byte that the type does not have are 0.
void writeElement(Type element, char *bytes, double number);

/// Elements of a float or signless integer type, one behind the other, the last
/// dimension innermost.
class HostTensor {
public:
  HostTensor() = default;
  /// A tensor of zeros.
  HostTensor(Type element, ArrayRef<int64_t> shape);
  /// A tensor over memory at `data`, which `owner` keeps alive.
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

  /// Sets all elements, in order.
  void fill(function_ref<float()> next);

  /// A copy in memory of its own, in large pages if it is large.
  HostTensor copy() const;
  /// The same numbers, rounded to the type.
  HostTensor convertTo(Type type) const;

private:
  Type element;
  SmallVector<int64_t> shape;
  char *data = nullptr;
  std::shared_ptr<void> owner;
};

/// "2x3xf32".
std::string describe(const HostTensor &tensor);

/// The first element that is infinite or NaN, if there is one.
std::optional<int64_t> findNonFinite(const HostTensor &tensor);

/// How far numbers lie from those that were expected.
struct Difference {
  double worst = 0;          ///< |found - expected| / largest |expected|
  int64_t index = 0;         ///< where that is
  bool hasNonFinite = false; ///< infinite or NaN where that is not expected
};
Difference compare(const HostTensor &found, const HostTensor &expected);

} // namespace mlir::llm

#endif // LLM_EXECUTION_HOSTTENSOR_H
