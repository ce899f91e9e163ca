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

/// The ways in which the scheduler may cut one op. Results are kept for targets
/// that differ from that of the op only in the numbers of engines, because
/// costs do not depend on these.
class SplitChoices {
public:
  /// The texts must outlive the choices.
  SplitChoices(OpOnTarget context, CostedTile given, StampTexts &texts);
  SplitChoices(SplitChoices &&);
  ~SplitChoices();

  /// Says whether the given split was written by hand (`pinned`), or the given
  /// cost was: it is not the one that is derived for the tile.
  FailureOr<bool> isByHand();

  /// Returns the ways to cut the op with the given tile, which must not be by
  /// hand, for so many `engines` of the op's group (`OpOnTarget::countTeams`).
  /// The uncut op is first, and then the number of parts grows. The split that
  /// the tile has now is ignored.
  ///
  /// Numbers of parts are multiples of the engines: one for each engine, two,
  /// three, four, six, and so on. This ends when there are four parts for each
  /// engine and memory engine. If the target has a memory engine, the slices
  /// that can be fetched ahead for a part must also take an eighth of the
  /// private memory or less, so that there is room for several.
  ///
  /// Fewer parts than engines (a half, a quarter and so on) are offered as long
  /// as they move fewer bytes, because each part may read all that the others
  /// read, such as the latent cache of MLA. Another number of parts is that of
  /// the engines whose ports fill the bandwidth of a shared memory, if it is
  /// below that of all engines.
  ///
  /// For each number of parts, the way is taken whose longest part is shortest,
  /// by its arithmetic and the bytes that it touches. Among equals, the one
  /// with the fewest bytes is taken.
  ///
  /// With `cutsReductions`, there are also ways that cut a reduction, if the op
  /// moves an eighth of the private memory or more. For each number of parts,
  /// the way is taken whose longest part and joining part together are
  /// shortest. Its partial results must fit beside the tile. It is offered in
  /// two cases. In the first, the slices for a part of the plain cut take more
  /// than a quarter of the private memory. In the second, it takes a tenth
  /// less, by the same estimate on all engines, than every way without a cut
  /// reduction that has as many parts, or half, a quarter, ... of them.
  FailureOr<SmallVector<CostedTile>> find(int64_t engines, bool cutsReductions);

private:
  CostedTile given;
  std::unique_ptr<KnownCuts> known;
};

} // namespace mlir::llm

#endif // LLM_PLANNING_SPLITCHOICES_H
