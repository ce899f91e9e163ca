//===- TilesModel.cpp - Work that spreads over units evenly ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilesModel.h"

using namespace mlir;
using namespace mlir::llm;

FailureOr<Cycles> TilesModel::timeOf(TileAttr tile,
                                     const Traffic &traffic) const {
  if (tile.getLevels().empty() || !context.tileMemory())
    return spreadEvenly(computeCycles(context), traffic);
  FailureOr<Tiling> tiling = readTiling(context, tile.getLevels().front());
  if (failed(tiling))
    return failure();
  return spreadEvenly(computeCyclesInTiles(context, tiling->sizes), traffic);
}
