//===- ElementwiseKernel.cpp - Norms and elementwise ops on units ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseKernel.h"
#include "llm/Cost/WorkSums.h"
#include "llm/Workload/Counts.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Rows with more elements are cut, if they can be.
static constexpr int64_t mostRowElements = 32768;
/// An op with so many loops has sequences and tokens outside of heads and
/// features. Its rows are tokens, with all of their heads.
static constexpr size_t loopsWithHeads = 4;

std::unique_ptr<UnitKernel> ElementwiseKernel::get(WorkloadOpInterface op,
                                                   const Workload &workload) {
  auto kernel = std::make_unique<ElementwiseKernel>();
  WorkSums sums = sumWork(op, workload);
  if (sums.macs > 0)
    return nullptr;
  kernel->work = sums;
  for (const Loop &loop : workload.loops) {
    kernel->extents.push_back(loop.extent);
    kernel->isTileable.push_back(loop.isTileable());
  }
  // Among loops that a mask couples, the inner two are queries and keys.
  bool hasHeads =
      workload.loops.size() >= loopsWithHeads && workload.maskedLoops.none();
  kernel->loopsOfRow = hasHeads ? 2 : 1;
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
    kernel->sweeps.push_back(workload.countSweeps(buffer));
  return kernel;
}

int64_t ElementwiseKernel::readsOf(unsigned buffer,
                                   const UnitMachine &machine) const {
  return machine.rereadsRows ? sweeps[buffer] : 1;
}

int64_t ElementwiseKernel::sizeInItem(size_t loop, int64_t elements,
                                      const UnitMachine &machine) const {
  if (!isTileable[loop])
    return extents[loop];
  size_t inside = extents.size() - 1 - loop;
  if (inside == loopsOfRow)
    return std::min(extents[loop], int64_t(machine.itemRows));
  if (inside > loopsOfRow)
    return 1;
  int64_t most = machine.itemElements > 0 ? int64_t(machine.itemElements)
                                          : mostRowElements;
  return std::min(extents[loop], std::max<int64_t>(1, most / elements));
}

UnitTile ElementwiseKernel::chooseTile(const KernelBytes &bytes,
                                       const UnitMachine &machine) const {
  UnitTile tile(extents.size(), 1);
  int64_t elements = 1;
  for (size_t loop = extents.size(); loop-- > 0;) {
    tile[loop] = sizeInItem(loop, elements, machine);
    elements = checkedMul(elements, tile[loop]).value_or(maxCount);
  }
  return tile;
}

KernelTime ElementwiseKernel::unlimitedTime(const UnitTile &tile,
                                            const KernelBytes &bytes,
                                            const UnitMachine &machine) const {
  double items = 1, share = 1;
  for (auto [size, extent] : llvm::zip(tile, extents)) {
    items *= double(llvm::divideCeil(extent, size));
    share *= double(size) / double(extent);
  }
  // A unit does at least a whole item. If more work makes an item longer, it
  // takes no less time, however few units that leaves without work.
  share = std::max(share, 1 / machine.units);
  double workSeconds = 0;
  auto atLeast = [&](double work, double perCycle) {
    if (perCycle > 0)
      workSeconds =
          std::max(workSeconds, share * work / (perCycle * machine.clockHz));
  };
  atLeast(work.alu, machine.aluPerCycle);
  atLeast(work.special, machine.specialPerCycle);
  atLeast(work.compare, machine.comparePerCycle);
  double arithmeticSeconds = workSeconds;
  atLeast(bytes.all(), machine.itemBytesPerCycle);

  KernelTime time;
  time.unitsWaitForBytes = workSeconds > arithmeticSeconds;
  time.launchSeconds = machine.launchSeconds;
  time.unitSeconds = workSeconds + std::max(1.0, items / machine.units) *
                                       machine.itemCycles / machine.clockHz;
  time.streamSeconds = bytes.memory / machine.plainStreamBytesPerSecond() +
                       machine.cachedSeconds(bytes.cached);
  // Loads of one item wait for its arithmetic, and the other way round, so the
  // squares of their times add up.
  time.totalSeconds =
      time.launchSeconds + std::sqrt(time.unitSeconds * time.unitSeconds +
                                     time.streamSeconds * time.streamSeconds);
  return time;
}
