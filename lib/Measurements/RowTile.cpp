//===- RowTile.cpp - The tile and the cost of a measured op ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/RowTile.h"
#include "llm/Cost/Roofline.h"
#include "llm/Planning/TileSearch.h"

using namespace mlir;
using namespace mlir::llm;

/// Makes the level of units with the sizes that are best if the operands lie in
/// the cache.
static TileLevelAttr chooseUnitLevel(const OpOnTarget &onTarget,
                                     const UnitKernel &kernel,
                                     double residentBytes,
                                     TileLevelAttr level) {
  UnitTile tile = kernel.chooseTile({/*memory=*/0, residentBytes},
                                    unitMachineOf(onTarget, kernel));
  SmallVector<std::pair<StringRef, int64_t>> sizes;
  for (auto [size, loop] : llvm::zip_equal(tile, onTarget.workload.loops))
    sizes.push_back({loop.name, size});
  MLIRContext *context = level.getContext();
  return TileLevelAttr::get(context, level.getMemory(),
                            getAmounts(context, sizes), level.getOrder(),
                            level.getBuffers(), level.getResident());
}

/// Makes the same tile with all operands and results in the engine's private
/// memory.
static TileAttr makeResident(const OpOnTarget &onTarget,
                             const UnitKernel &kernel, double residentBytes,
                             TileAttr tile) {
  SmallVector<StringAttr> names;
  for (const Buffer &buffer : onTarget.workload.buffers)
    names.push_back(StringAttr::get(tile.getContext(), buffer.name));
  SmallVector<TileLevelAttr> levels(tile.getLevels());
  TileLevelAttr cache = levels.front();
  levels.front() =
      TileLevelAttr::get(tile.getContext(), cache.getMemory(), cache.getSizes(),
                         cache.getOrder(), cache.getBuffers(), names);
  levels.back() =
      chooseUnitLevel(onTarget, kernel, residentBytes, levels.back());
  return TileAttr::get(tile.getContext(), TileStrategy::Manual, levels,
                       tile.getSplit());
}

/// Whether the op finds its operands in the cache, and they fit. Products and
/// attention do so if the target tells what the cache gives them, and in a graph
/// that is replayed: elsewhere other ops run between two of the same weight.
static bool isWarm(const OpOnTarget &onTarget, const UnitKernel *kernel,
                   const MeasuredRow &row) {
  if (!kernel || !onTarget.tileMemory())
    return false;
  Count bytes = compulsoryBytes(onTarget.op, onTarget.workload);
  if (failed(bytes) || *bytes > onTarget.tileCapacityBytes())
    return false;
  StringRef wide = widestClassOf(kernel->opClass());
  return wide == "elementwise" ||
         ((wide == "contraction" || wide == "attention") && row.isReplayed() &&
          unitMachineOf(onTarget, *kernel).residentBytesPerCycle > 0);
}

/// Returns the bytes of all buffers, as often as the kernel reads them.
static double movedBytes(const OpOnTarget &onTarget, const UnitKernel &kernel) {
  TileModel model(onTarget.op, onTarget.workload);
  SmallVector<int64_t, 4> bytes;
  for (unsigned buffer = 0; buffer < onTarget.workload.buffers.size(); ++buffer)
    bytes.push_back(*model.compulsoryBytes(buffer));
  double sum = 0;
  if (succeeded(
          addRereads(onTarget, kernel, unitMachineOf(onTarget, kernel), bytes)))
    for (int64_t ofBuffer : bytes)
      sum += double(ofBuffer);
  return sum;
}

FailureOr<RowTile> mlir::llm::chooseRowTile(WorkloadOpInterface op,
                                            const MeasuredRow &row,
                                            const Target &target,
                                            Reasons reasons) {
  FailureOr<OpOnTarget> onTarget = OpOnTarget::get(op, target, reasons);
  if (failed(onTarget))
    return failure();
  if (!onTarget->with.empty())
    return onTarget->refuse()
           << "needs engines of several groups of target '" << target.name
           << "' at once; measured rows are compared with one engine";
  FailureOr<TileAttr> tile = searchTile(*onTarget);
  if (failed(tile))
    return failure();
  double residentBytes = 0;
  if (row.cacheResident == 1) {
    std::unique_ptr<UnitKernel> kernel = unitKernelOf(*onTarget);
    if (isWarm(*onTarget, kernel.get(), row)) {
      residentBytes = movedBytes(*onTarget, *kernel);
      tile = makeResident(*onTarget, *kernel, residentBytes, *tile);
    }
  }
  FailureOr<PartFigures> cost = computePartFigures(*onTarget, *tile);
  if (failed(cost))
    return failure();
  return RowTile{std::move(*onTarget), std::move(*cost), residentBytes};
}
