//===- Predictor.cpp - The time of a measured row's op --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/Predictor.h"
#include "llm/Analysis/Roofline.h"
#include "llm/Analysis/TileSearch.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

const Target &Predictor::targetFor(const MeasuredRow &row) {
  auto [known, isNew] =
      selected.try_emplace({row.backend, row.isReplayed()}, target);
  if (isNew)
    selectKernels(known->second, row.backend, row.isReplayed());
  return known->second;
}

/// The same tile, with all operands and results in the engine's private memory.
static TileAttr makeResident(const OpOnTarget &onTarget, TileAttr tile) {
  SmallVector<StringAttr> names;
  for (const Buffer &buffer : onTarget.workload.buffers)
    names.push_back(StringAttr::get(tile.getContext(), buffer.name));
  SmallVector<TileLevelAttr> levels(tile.getLevels());
  TileLevelAttr cache = levels.front();
  levels.front() =
      TileLevelAttr::get(tile.getContext(), cache.getMemory(), cache.getSizes(),
                         cache.getOrder(), cache.getBuffers(), names);
  return TileAttr::get(tile.getContext(), TileStrategy::Manual, levels,
                       tile.getSplit());
}

/// Whether all that the op touches fits into the cache that its units share.
static bool fitsIntoCache(const OpOnTarget &onTarget) {
  Count bytes = compulsoryBytes(onTarget.op, onTarget.workload);
  return succeeded(bytes) && *bytes <= onTarget.tileCapacityBytes();
}

static FailureOr<double> microsecondsOf(WorkloadOpInterface op,
                                        const Target &target,
                                        bool isResident) {
  FailureOr<OpOnTarget> onTarget = OpOnTarget::get(op, target);
  if (failed(onTarget))
    return failure();
  FailureOr<TileAttr> tile = searchTile(*onTarget);
  if (failed(tile))
    return failure();
  std::unique_ptr<UnitKernel> kernel = unitKernelOf(*onTarget);
  if (isResident && kernel && kernel->opClass() == "elementwise" &&
      fitsIntoCache(*onTarget))
    tile = makeResident(*onTarget, *tile);
  FailureOr<CostAttr> cost = computeCost(*onTarget, *tile);
  if (failed(cost))
    return failure();
  return cyclesToMicroseconds(cost->getParts().front().getCycles(),
                              target.clockHz);
}

FailureOr<std::optional<double>>
Predictor::microseconds(const MeasuredRow &row) {
  FailureOr<SmallVector<WorkloadOpInterface, 2>> ops = this->ops.build(row);
  if (failed(ops))
    return failure();
  if (ops->empty())
    return std::optional<double>();
  double sum = 0;
  for (WorkloadOpInterface op : *ops) {
    FailureOr<double> time = microsecondsOf(
        op, targetFor(row), row.cacheResident.value_or(0) == 1);
    if (failed(time))
      return failure();
    sum += *time;
  }
  return std::optional<double>(sum);
}
