//===- Split.h - An op as parts that may run at once ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `split` of a tile cuts loops into equal intervals (the last one may be
// shorter). A part is one box of these intervals. Parts are numbered in
// row-major order, in the order of the workload's loops. If one of the loops is
// a reduction, one more part, the last, joins the results of the others.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_SPLIT_H
#define LLM_PLANNING_SPLIT_H

#include "llm/Cost/CostModel.h"
#include "llm/Scheduling/Problem.h"

namespace mlir::llm {

class Split {
public:
  /// Makes one part, which is the whole op.
  explicit Split(const Workload &workload);

  /// Reads the split of a tile. Null or empty stands for one part. Fails with a
  /// diagnostic on a loop that the op does not have or that cannot be cut into
  /// parts, on a second loop along which parts run in order, on a number of
  /// parts that no equal intervals give, and on more than `maxParts` parts. If
  /// the context has no engine, it is assumed that the engine can join partial
  /// results.
  static FailureOr<Split> get(const OpOnTarget &context, DictionaryAttr split);

  /// Cuts a loop that is whole into intervals of `size` iterations. If the loop
  /// is a reduction, nothing joins its partial results.
  void cut(unsigned loop, int64_t size);

  /// Says whether a loop can be cut into parts that run at once, and whose
  /// results are those of the op.
  static bool canCut(const Loop &loop);
  /// Finds how the op runs in `parts` boxes along the loop, which is a
  /// reduction. Returns nothing if their results cannot be joined, or not by
  /// the engine that runs the op.
  static std::optional<PartialReduction>
  findReduction(const OpOnTarget &context, unsigned loop, int64_t parts);

  /// Counts all parts, also the one that joins the others.
  int64_t partCount() const { return boxes + (reduction ? 1 : 0); }
  /// Says whether the last part starts when the others have ended.
  bool lastCombines() const { return reduction.has_value(); }
  bool combines(int64_t part) const { return reduction && part == boxes; }
  /// Returns the order of the parts if a value is carried along a loop that is
  /// cut.
  scheduling::Chains chains() const;
  /// Returns the box of a part that does not join others.
  SmallVector<Interval, 6> boxOf(int64_t part) const;
  /// Returns a key that is equal for parts that differ only in their place.
  /// Such parts have equal costs and sizes. It is empty for the part that joins
  /// the others.
  SmallVector<int64_t, 12> shapeOf(const OpOnTarget &context,
                                   int64_t part) const;
  /// Returns the part as an op of its own.
  OpOnTarget partOf(const OpOnTarget &context, int64_t part) const;
  /// Returns the number of parts of each loop that is cut; null if none is.
  DictionaryAttr toAttr(MLIRContext *context) const;

private:
  int64_t countAlong(unsigned loop) const;
  /// Cuts a loop into `count` intervals, if that is possible.
  LogicalResult cut(const OpOnTarget &context, StringRef name, int64_t count);

  SmallVector<Interval, 6> whole;
  SmallVector<std::string, 6> names;
  SmallVector<int64_t, 6> sizes; ///< of the intervals of each loop
  int64_t boxes = 1;
  std::optional<PartialReduction> reduction;
  std::optional<unsigned> carried; ///< the loop of chains
};

/// The most parts of one op that a cost, a problem or a timeline may have.
inline constexpr int64_t maxParts = 1 << 24;

/// Makes the tile of a part from that of the whole op: no larger than the part,
/// and without `split`.
FailureOr<TileAttr> tileOfPart(const OpOnTarget &part, TileAttr tile);
/// Says whether the private memory has room for that tile.
bool fits(const OpOnTarget &part, TileAttr tile);
/// Finds a tile for the part that joins the others of an op with this tile. It
/// searches, because the tile of the op says nothing about it.
FailureOr<TileAttr> tileOfCombine(const OpOnTarget &combine, TileAttr tile);

/// Returns the room that the tiles of each buffer take in the working set of a
/// part; 0 if the tile does not say.
SmallVector<int64_t, 4> stagingBytes(const OpOnTarget &part, TileAttr tile);

} // namespace mlir::llm

#endif // LLM_PLANNING_SPLIT_H
