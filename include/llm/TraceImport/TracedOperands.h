//===- TracedOperands.h - The tensors that an op read -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the operands of an op from the args of its event: "Input Dims" and
// "Input type" of PyTorch, and "sources" of a ggml capture.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_TRACEDOPERANDS_H
#define LLM_TRACEIMPORT_TRACEDOPERANDS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::llm {

struct TracedTensor {
  /// The sizes, outermost dimension first. It is empty if the operand is no
  /// tensor.
  SmallVector<int64_t, 4> sizes;
  std::string type; ///< as the tool spells it
};

struct TracedOperands {
  std::vector<TracedTensor> tensors;  ///< one for each operand
  std::vector<std::string> constants; ///< numbers and flags, by operand

  /// Reads `args`, the text of a JSON object. Returns nothing if they have no
  /// operands.
  static std::optional<TracedOperands> read(StringRef args);

  /// Returns the sizes of an operand. They are empty if it is no tensor or does
  /// not exist.
  ArrayRef<int64_t> sizes(size_t number) const {
    return number < tensors.size() ? ArrayRef(tensors[number].sizes)
                                   : ArrayRef<int64_t>();
  }
  StringRef constant(size_t number) const {
    return number < constants.size() ? StringRef(constants[number])
                                     : StringRef();
  }
};

/// Returns the product of sizes, or nothing if it is above 2^40.
std::optional<int64_t> countElements(ArrayRef<int64_t> sizes);

/// The sizes of a matrix product [m, k] x [k, n].
struct ProductSizes {
  int64_t m = 0, n = 0, k = 0;
};
/// The sizes of an op whose name is that of a product, or a phrase that says
/// why it does not have such sizes. Both are empty for an op that is no
/// product.
struct ProductReading {
  std::optional<ProductSizes> sizes;
  StringRef whyNot;
};
ProductReading readProduct(StringRef name, const TracedOperands &operands);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_TRACEDOPERANDS_H
