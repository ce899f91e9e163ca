//===- Split.h - An op as parts that may run at once ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `split` of a tile cuts loops into equal intervals (the last one may be
// shorter). A part is one box of these intervals. Parts are numbered in
// row-major order, in the order of the workload's loops.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_ANALYSIS_SPLIT_H
#define LLM_ANALYSIS_SPLIT_H

#include "llm/Analysis/CostModel.h"

namespace mlir::llm {

class Split {
public:
  /// One part: the whole op.
  explicit Split(const Workload &workload);

  /// The split of a tile; null or empty stands for one part. Fails with a
  /// diagnostic on a loop that the op does not have or that cannot be cut into
  /// parts that run at once, on a number of parts that no equal intervals give,
  /// and on more than `maxParts` parts.
  static FailureOr<Split> get(const OpOnTarget &context, DictionaryAttr split);

  /// Cuts a loop that is whole into intervals of `size` iterations.
  void cut(unsigned loop, int64_t size);

  /// Whether a loop can be cut into parts that run at once.
  static bool canCut(const Loop &loop);

  int64_t partCount() const { return parts; }
  SmallVector<Interval, 6> boxOf(int64_t part) const;
  /// The number of parts of each loop that is cut; null where none is.
  DictionaryAttr toAttr(MLIRContext *context) const;

private:
  int64_t countAlong(unsigned loop) const;

  SmallVector<Interval, 6> whole;
  SmallVector<std::string, 6> names;
  SmallVector<int64_t, 6> sizes; ///< of the intervals of each loop
  int64_t parts = 1;
};

/// Parts of one op that a cost, a problem or a timeline may hold.
inline constexpr int64_t maxParts = 1 << 24;

/// The share of the op in `box`, as an op of its own.
OpOnTarget partOf(const OpOnTarget &context, Box box);

/// What a tile of the whole op is for a part of it: no larger than the part,
/// and without `split`.
FailureOr<TileAttr> tileOfPart(const OpOnTarget &part, TileAttr tile);

/// The room in the working set of a part that the tiles of a buffer take; 0
/// where the tile does not say.
int64_t stagingBytes(const OpOnTarget &part, TileAttr tile, unsigned buffer);

} // namespace mlir::llm

#endif // LLM_ANALYSIS_SPLIT_H
