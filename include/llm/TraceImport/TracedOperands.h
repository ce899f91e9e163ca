//===- TracedOperands.h - The tensors that an op read -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the args of an event say about the operands of its op: "Input Dims" and
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
  /// The sizes, outermost dimension first. There are none if the operand is no
  /// tensor.
  SmallVector<int64_t, 4> sizes;
  std::string type; ///< in the words of the tool
};

struct TracedOperands {
  std::vector<TracedTensor> tensors;  ///< by number of the operand
  std::vector<std::string> constants; ///< numbers and flags, as PyTorch prints

  /// Reads `args`, the text of a JSON object. Returns nothing if they do not
  /// tell operands.
  static std::optional<TracedOperands> read(StringRef args);

  /// Returns the sizes of an operand. There are none if it is no tensor, or
  /// does not exist.
  ArrayRef<int64_t> sizes(size_t number) const {
    return number < tensors.size() ? ArrayRef(tensors[number].sizes)
                                   : ArrayRef<int64_t>();
  }
  StringRef constant(size_t number) const {
    return number < constants.size() ? StringRef(constants[number])
                                     : StringRef();
  }
};

/// Returns the product of sizes; nothing if it is above 2^40.
std::optional<int64_t> countElements(ArrayRef<int64_t> sizes);

/// The sizes of a product of [m, k] and [k, n].
struct ProductSizes {
  int64_t m = 0, n = 0, k = 0;
};
/// Finds the sizes of an op that is a product by its name, or says why it has
/// none of this form, as a phrase. Both are empty for an op that is no product.
struct ProductReading {
  std::optional<ProductSizes> sizes;
  StringRef whyNot;
};
ProductReading readProduct(StringRef name, const TracedOperands &operands);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_TRACEDOPERANDS_H
