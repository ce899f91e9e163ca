//===- SplitChoices.h - Ways to cut an op for several engines ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_SPLITCHOICES_H
#define LLM_PLANNING_SPLITCHOICES_H

#include "llm/Cost/CostModel.h"
#include "llm/Planning/Split.h"

#include <memory>

namespace mlir::llm {

/// A tile and what the op costs with it.
struct CostedTile {
  TileAttr tile;
  CostAttr cost;
};

class StampTexts;
struct KnownCuts;

/// The ways in which the scheduler may cut one op. What it finds is kept for
/// targets that differ from that of the op in the numbers of engines alone,
/// because costs do not depend on these.
class SplitChoices {
public:
  /// The texts must outlive what is made.
  SplitChoices(OpOnTarget context, CostedTile given, StampTexts &texts);
  SplitChoices(SplitChoices &&);
  ~SplitChoices();

  /// Says whether the given split is by hand (`pinned`), or the given cost is
  /// not the one that is derived for the tile.
  FailureOr<bool> isByHand();

  /// Returns the ways to cut the op with the tile that is given, if it is not
  /// by hand, for so many `engines` of the op's group
  /// (`OpOnTarget::countTeams`). The whole op is first, and then there are more
  /// and more parts. A split that is there is decided anew.
  ///
  /// Parts are tried in multiples of the engines: one each, twice as many, and
  /// so on. This ends when there are four for each engine and memory engine. If
  /// the target has a memory engine, what can be fetched ahead for a part must
  /// also take an eighth of the private memory or less, so that there is room
  /// for several.
  ///
  /// Half as many parts as there are engines, a quarter and so on are tried as
  /// long as that moves fewer bytes, because each part may read all of what the
  /// others read, such as the latent cache of MLA. Another number that is tried
  /// is that of the engines whose ports fill the bandwidth of DRAM, if it is
  /// smaller than that of all engines.
  ///
  /// Among the ways to cut loops into so many parts, the choice is the one
  /// whose longest part is shortest, by its arithmetic and the bytes that it
  /// touches. Then the fewest bytes decide.
  ///
  /// With `cutsReductions`, ways follow in which a reduction is cut, too, if
  /// the op moves an eighth of the private memory or more. For each number of
  /// parts, it is the way whose longest part and joining part take the least
  /// together. Its partial results must fit beside the tile. It is offered in
  /// two cases. In one, what can be fetched ahead for a part of the plain cut
  /// is more than a quarter of the private memory. In the other, by an estimate
  /// of the same kind on all engines, it takes a tenth less than any way that
  /// cuts no reduction into as many parts, or half, a quarter, ... of them.
  FailureOr<SmallVector<CostedTile>> find(int64_t engines, bool cutsReductions);

private:
  CostedTile given;
  std::unique_ptr<KnownCuts> known;
};

} // namespace mlir::llm

#endif // LLM_PLANNING_SPLITCHOICES_H
