//===- SplitCost.cpp - The cost of an op, part by part --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/Split.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

static PartCostAttr withCount(PartCostAttr part, int64_t count) {
  return PartCostAttr::get(
      part.getContext(), count, part.getWork(), part.getTraffic(),
      part.getWorkingSetBytes(), part.getOverheadCycles(),
      part.getSerialCycles(), part.getComputeCycles(), part.getMemoryCycles(),
      part.getCyclesByMemory(), part.getBound(), part.getEnergyPicojoules());
}

static FailureOr<PartCostAttr> costOfPart(const OpOnTarget &part, TileAttr tile,
                                          bool combines) {
  FailureOr<TileAttr> own =
      combines ? tileOfCombine(part, tile) : tileOfPart(part, tile);
  if (failed(own))
    return failure();
  return computePartCost(part, *own);
}

static FailureOr<SmallVector<PartCostAttr>>
computePartCosts(const OpOnTarget &context, TileAttr tile) {
  FailureOr<Split> split = Split::get(context, tile.getSplit());
  if (failed(split))
    return failure();
  for (TileLevelAttr level : tile.getLevels())
    if (failed(readTiling(context, level)))
      return failure();
  std::map<SmallVector<int64_t, 12>, PartCostAttr> known;
  SmallVector<std::pair<PartCostAttr, int64_t>> runs;
  for (int64_t part = 0; part < split->partCount(); ++part) {
    bool combines = split->combines(part);
    PartCostAttr &cost = known[split->shapeOf(context, part)];
    if (!cost) {
      FailureOr<PartCostAttr> found =
          costOfPart(split->partOf(context, part), tile, combines);
      if (failed(found))
        return failure();
      cost = *found;
    }
    if (runs.empty() || runs.back().first != cost || combines)
      runs.push_back({cost, 0});
    ++runs.back().second;
  }
  SmallVector<PartCostAttr> records;
  for (auto [cost, count] : runs)
    records.push_back(withCount(cost, count));
  return records;
}

static SmallVector<StringAttr, 1> namesOf(MLIRContext *context,
                                          ArrayRef<const Engine *> engines) {
  SmallVector<StringAttr, 1> names;
  for (const Engine *engine : engines)
    names.push_back(StringAttr::get(context, engine->name));
  return names;
}

FailureOr<CostAttr> mlir::llm::computeCost(const OpOnTarget &context,
                                           TileAttr tile) {
  StampTexts texts;
  return computeCost(context, tile, CostStamps(context, texts));
}

FailureOr<CostAttr> mlir::llm::computeCost(const OpOnTarget &context,
                                           TileAttr tile,
                                           const CostStamps &stamps) {
  SmallVector<PartCostAttr> parts;
  if (tile.getSplit()) {
    FailureOr<SmallVector<PartCostAttr>> found =
        computePartCosts(context, tile);
    if (failed(found))
      return failure();
    parts = std::move(*found);
  } else {
    FailureOr<PartCostAttr> whole = computePartCost(context, tile);
    if (failed(whole))
      return failure();
    parts.push_back(*whole);
  }
  MLIRContext *mlirContext = tile.getContext();
  return CostAttr::get(
      mlirContext, StringAttr::get(mlirContext, context.engine->name),
      namesOf(mlirContext, context.with), parts, stamps.of(tile));
}
