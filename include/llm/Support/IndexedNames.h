//===- IndexedNames.h - Indices of layers in names --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op in a loop over layers stands for one op of each layer. Its name says
// where the number of the layer goes, and which layers these are:
//
//   model.layers.{}.mlp.up_proj         the index of the enclosing loop
//   model.layers.{3..60}.mlp.gate       3, 4, .. 60, one for each iteration
//   model.layers.{1,3..23}.self_attn    1, 3, .. 23
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_INDEXEDNAMES_H
#define LLM_SUPPORT_INDEXEDNAMES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::llm {

/// The numbers first, first + step, ..., `count` of them.
struct IndexRange {
  int64_t first = 0, step = 1, count = 1;
};

/// Returns the place in a name that counts through the range. A range of one
/// number is the number.
std::string makeIndexPlace(IndexRange range);

/// Returns the ranges that the name counts through. Braces around anything else
/// are letters like others.
std::vector<IndexRange> findIndexRanges(std::string_view name);

/// Returns the name of one run: `{}` becomes `loopIndex`, a range its number of
/// this `iteration`, which counts from 0.
std::string expandIndices(std::string_view name, int64_t loopIndex,
                          int64_t iteration);

/// Returns the name of the op in a loop that runs `count` of the iterations,
/// from the iteration `first` on: a range has the numbers of these alone.
std::string restrictIndices(std::string_view name, int64_t first,
                            int64_t count);

} // namespace mlir::llm

#endif // LLM_SUPPORT_INDEXEDNAMES_H
