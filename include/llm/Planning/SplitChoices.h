//===- SplitChoices.h - Ways to cut an op for several engines ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_SPLITCHOICES_H
#define LLM_PLANNING_SPLITCHOICES_H

#include "llm/Planning/Split.h"

namespace mlir::llm {

/// A tile and what the op costs with it.
struct CostedTile {
  TileAttr tile;
  CostAttr cost;
};

/// Whether the split is by hand (`pinned`), or the cost is not what is derived for it.
FailureOr<bool> isByHand(const OpOnTarget &context, CostedTile given);

/// The ways in which the scheduler may cut an op with this tile and cost, the
/// whole op first, then in more and more parts. A tile that was written by hand
/// stays as it is, and so does one with figures that were; of others, a split
/// that is there is decided anew.
///
/// Parts are tried in multiples of the engines of the op's group: one each,
/// twice as many, and so on until there are four for each engine and memory
/// engine and, where the target has one of these, what can be fetched ahead for
/// a part takes an eighth of the private memory or less, so that there is room
/// for some. Half as many as there are engines, a quarter and so on are tried
/// as long as that moves fewer bytes: each part may read all of what the others
/// read, such as the latent cache of MLA. So are as many as fill the bandwidth
/// of DRAM through their ports, if those are fewer than the engines. Among the
/// ways to cut loops into so many parts, the one whose longest part is
/// shortest, by its arithmetic and the bytes that it touches, then with the
/// fewest bytes.
///
/// With `cutsReductions`, those follow in which a reduction is cut, too, of an
/// op that moves an eighth of the private memory or more: into as many parts,
/// the one whose longest part and the part that joins all take the least
/// together. That is offered where what can be fetched ahead for a part of the
/// plain cut is more than a quarter of the private memory, or where by an
/// estimate of the same kind on all engines it takes a tenth less than any way
/// without it into as many parts or half, a quarter, ... of them; and where
/// partial results fit beside the tile.
FailureOr<SmallVector<CostedTile>>
splitChoices(const OpOnTarget &context, CostedTile given, bool cutsReductions);

} // namespace mlir::llm

#endif // LLM_PLANNING_SPLITCHOICES_H
