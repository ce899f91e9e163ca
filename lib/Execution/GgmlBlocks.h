//===- GgmlBlocks.h - Numbers in ggml's blocks ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_GGMLBLOCKS_H
#define LLM_LIB_EXECUTION_GGMLBLOCKS_H

#include "llm/Support/GgmlTypes.h"

namespace mlir::llm {

/// A block as numbers, each of which is exact. Number i is
///   value[i] * scale * subScales[s] - minimum * subMinimums[s],
/// s = i / `GgmlFormat::subBlock`.
struct GgmlBlock {
  static constexpr int64_t mostElements = 256, mostSubBlocks = 16;
  double values[mostElements];
  double scale = 1, minimum = 0;
  double subScales[mostSubBlocks], subMinimums[mostSubBlocks];
};

/// How the bytes of a block become numbers.
struct GgmlFormat {
  std::string_view name;
  int64_t subBlock; ///< elements that share a sub-scale; 0: none
  /// Whether numbers are values times the scales of all layers of the
  /// block-scaled type of that name (getGgmlElementType). Other formats have
  /// minimums, or values of a codebook.
  bool isProduct;
  void (*read)(const unsigned char *bytes, GgmlBlock &block);

  /// Returns number `i` of a block, which is exact in f64.
  double getNumber(const GgmlBlock &block, int64_t i) const;
};

/// Returns the format of a type. Null for plain types, and for types whose
/// codebooks are not here.
const GgmlFormat *findGgmlFormat(std::string_view name);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_GGMLBLOCKS_H
