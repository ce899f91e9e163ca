//===- RecurrentKernel.cpp - Chunks that follow each other on units -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentKernel.h"
#include "llm/Cost/WorkSums.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

/// Counts the elements that a product of whole loops loads. The workload does
/// not say which two of its three faces are read, so this is two thirds of all.
static double countOperands(const Workload &workload, const Stage &stage) {
  SmallVector<double, 3> sides;
  double runs = 1;
  for (unsigned loop : stage.loops.set_bits()) {
    const Loop &each = workload.loops[loop];
    if (each.tiles == Loop::Tiles::Whole)
      sides.push_back(double(each.extent));
    else
      runs *= double(each.extent);
  }
  if (sides.size() != 3)
    return 0;
  double faces =
      sides[0] * sides[1] + sides[1] * sides[2] + sides[0] * sides[2];
  return runs * faces * 2 / 3;
}

std::unique_ptr<UnitKernel> RecurrentKernel::get(WorkloadOpInterface op,
                                                 const Workload &workload) {
  bool isCarried = llvm::any_of(workload.loops, [](const Loop &loop) {
    return loop.tiles == Loop::Tiles::InOrder;
  });
  Type type = workload.macElementType();
  if (!isCarried || !type || findContractions(workload).empty())
    return nullptr;
  auto kernel = std::make_unique<RecurrentKernel>();
  kernel->work = sumWork(op, workload);
  for (const Loop &loop : workload.loops) {
    kernel->item.push_back(loop.isTileable() ? 1 : loop.extent);
    if (loop.isTileable())
      kernel->items *= double(loop.extent);
    if (loop.tiles == Loop::Tiles::InOrder)
      kernel->chunks *= double(loop.extent);
  }
  double bytes = type.getIntOrFloatBitWidth() / 8.0;
  for (const Stage *stage : findContractions(workload))
    for (auto [kind, perPoint] : stage->workPerPoint)
      if (kind == WorkKind::Mac)
        kernel->operandBytes +=
            bytes * double(perPoint) * countOperands(workload, *stage);
  return kernel;
}

UnitTile RecurrentKernel::chooseTile(const KernelBytes &,
                                     const UnitMachine &) const {
  return item;
}

KernelTime RecurrentKernel::unlimitedTime(const UnitTile &,
                                          const KernelBytes &bytes,
                                          const UnitMachine &machine) const {
  double cycles = chunks * machine.chunkCycles;
  auto add = [&](double amount, double perCycle) {
    if (perCycle > 0)
      cycles += amount / items / perCycle;
  };
  add(work.macs, machine.macsPerCycle);
  add(operandBytes, machine.operandBytesPerCycle);
  add(work.alu, machine.aluPerCycle);
  add(work.special, machine.specialPerCycle);
  add(work.compare, machine.comparePerCycle);
  // A unit that has no item left in the last wave has nothing to do.
  double waves = std::ceil(items / machine.units);

  KernelTime time;
  time.launchSeconds = machine.launchSeconds;
  time.unitSeconds = waves * (cycles + machine.itemCycles) / machine.clockHz;
  time.streamSeconds = bytes.memory / machine.plainStreamBytesPerSecond() +
                       machine.cachedSeconds(bytes.cached);
  time.totalSeconds =
      time.launchSeconds + overlap(time.unitSeconds, time.streamSeconds);
  return time;
}
