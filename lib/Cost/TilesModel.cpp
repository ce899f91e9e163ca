//===- TilesModel.cpp - Work that spreads over units evenly ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilesModel.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

/// Returns the number of tiles that several engines can work on at once, each
/// on another one. It is 1 if there is no room to hand over one tile while the
/// next is made, or if engines must wait for each other.
static int64_t countTilesInFlow(const OpOnTarget &context, TileLevelAttr level,
                                const Tiling &tiling) {
  const Workload &workload = context.workload;
  if (context.with.empty())
    return 1;
  SmallVector<int64_t, 4> held = tilesHeld(workload, level);
  bool handsOver = false;
  for (auto [tiles, buffer] : llvm::zip_equal(held, workload.buffers)) {
    handsOver |= buffer.isHandedOver;
    if (buffer.isHandedOver && tiles < 2)
      return 1;
  }
  if (!handsOver)
    return 1;
  TileModel model(context.op, workload);
  int64_t tiles = 1;
  for (auto [index, loop] : llvm::enumerate(workload.loops)) {
    int64_t trips = model.trips(tiling, index);
    if (trips > 1 && loop.tiles != Loop::Tiles::AnyOrder)
      return 1;
    tiles = checkedMul(tiles, trips).value_or(maxCount);
  }
  return tiles;
}

FailureOr<Cycles> TilesModel::timeOf(TileAttr tile,
                                     const Traffic &traffic) const {
  if (context.engine->costModel == CostModelKind::Roofline)
    return spreadEvenly(computeCycles(context), traffic);
  if (tile.getLevels().empty() || !context.tileMemory()) {
    auto whole = llvm::map_to_vector(
        context.workload.loops, [](const Loop &loop) { return loop.extent; });
    return spreadEvenly(computeCyclesInTiles(context, whole), traffic);
  }
  TileLevelAttr level = tile.getLevels().front();
  FailureOr<Tiling> tiling = readTiling(context, level);
  if (failed(tiling))
    return failure();
  int64_t inFlow = countTilesInFlow(context, level, *tiling);
  return spreadEvenly(computeCyclesInTiles(context, tiling->sizes, inFlow),
                      traffic);
}
