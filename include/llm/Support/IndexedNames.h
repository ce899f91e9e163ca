//===- IndexedNames.h - Indices of layers in names --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op in a loop over layers stands for one op of each layer. A place in its
// name stands for the number of the layer, and says which layers these are:
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

/// Returns the place in a name for the range. For a range of one number, it is
/// the number.
std::string makeIndexPlace(IndexRange range);

/// Returns the ranges of all such places in a name. Braces around anything else
/// are ordinary letters.
std::vector<IndexRange> findIndexRanges(std::string_view name);

/// Returns the name of one run. `{}` becomes `loopIndex`, and a range becomes
/// its number for `iteration`, which counts from 0.
std::string expandIndices(std::string_view name, int64_t loopIndex,
                          int64_t iteration);

/// Returns the name of the op in a loop that runs only `count` iterations, from
/// iteration `first` on. Ranges then have only the numbers of these.
std::string restrictIndices(std::string_view name, int64_t first,
                            int64_t count);

} // namespace mlir::llm

#endif // LLM_SUPPORT_INDEXEDNAMES_H
