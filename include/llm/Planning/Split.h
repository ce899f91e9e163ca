//===- Split.h - An op as parts that may run at once ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `split` of a tile cuts loops into equal intervals (the last one may be
// shorter). A part is one box of these intervals. Parts are numbered in
// row-major order, in the order of the workload's loops. Where one of the loops
// is a reduction, one more part, the last, joins the results of the others.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_SPLIT_H
#define LLM_PLANNING_SPLIT_H

#include "llm/Cost/CostModel.h"
#include "llm/Scheduling/Problem.h"

namespace mlir::llm {

class Split {
public:
  /// One part: the whole op.
  explicit Split(const Workload &workload);

  /// The split of a tile; null or empty stands for one part. Fails with a
  /// diagnostic on a loop that the op does not have or that cannot be cut into
  /// parts, on a second loop along which parts follow each other, on a number
  /// of parts that no equal intervals give, and on more than `maxParts` parts.
  /// Without an engine in the context, any can join partial results.
  static FailureOr<Split> get(const OpOnTarget &context, DictionaryAttr split);

  /// Cuts a loop that is whole into intervals of `size` iterations. Nothing
  /// joins partial results where that is a reduction.
  void cut(unsigned loop, int64_t size);

  /// Whether a loop can be cut into parts that run at once, and whose results
  /// are those of the op.
  static bool canCut(const Loop &loop);
  /// How the op runs in `parts` boxes along the loop, a reduction; nothing
  /// where their results cannot be joined, or not by the engine that runs it.
  static std::optional<PartialReduction>
  findReduction(const OpOnTarget &context, unsigned loop, int64_t parts);

  /// Counts all parts, also the one that joins the others.
  int64_t partCount() const { return boxes + (reduction ? 1 : 0); }
  /// The last part starts when the others have ended.
  bool lastCombines() const { return reduction.has_value(); }
  bool combines(int64_t part) const { return reduction && part == boxes; }
  /// Where a value is carried along a loop that is cut, parts follow each
  /// other.
  scheduling::Chains chains() const;
  /// The box of a part that does not join others.
  SmallVector<Interval, 6> boxOf(int64_t part) const;
  /// Is equal for parts that differ only in their place, and so in no cost and
  /// no size. Empty for the part that joins the others.
  SmallVector<int64_t, 12> shapeOf(const OpOnTarget &context,
                                   int64_t part) const;
  /// The part as an op of its own.
  OpOnTarget partOf(const OpOnTarget &context, int64_t part) const;
  /// The number of parts of each loop that is cut; null where none is.
  DictionaryAttr toAttr(MLIRContext *context) const;

private:
  int64_t countAlong(unsigned loop) const;
  /// Cuts a loop into `count` intervals, if that can be.
  LogicalResult cut(const OpOnTarget &context, StringRef name, int64_t count);

  SmallVector<Interval, 6> whole;
  SmallVector<std::string, 6> names;
  SmallVector<int64_t, 6> sizes; ///< of the intervals of each loop
  int64_t boxes = 1;
  std::optional<PartialReduction> reduction;
  std::optional<unsigned> carried; ///< the loop of chains
};

/// Parts of one op that a cost, a problem or a timeline may hold.
inline constexpr int64_t maxParts = 1 << 24;

/// What a tile of the whole op is for a part of it: no larger than the part,
/// and without `split`.
FailureOr<TileAttr> tileOfPart(const OpOnTarget &part, TileAttr tile);
/// Whether the private memory has room for that.
bool fits(const OpOnTarget &part, TileAttr tile);
/// The tile of the part that joins the others of an op with this tile: that
/// which the search finds, as the op's own says nothing of it.
FailureOr<TileAttr> tileOfCombine(const OpOnTarget &combine, TileAttr tile);

/// The room in the working set of a part that the tiles of each buffer take; 0
/// where the tile does not say.
SmallVector<int64_t, 4> stagingBytes(const OpOnTarget &part, TileAttr tile);

} // namespace mlir::llm

#endif // LLM_PLANNING_SPLIT_H
