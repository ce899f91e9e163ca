//===- Cutoff.cpp - When a run can no longer be short enough --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cutoff.h"

namespace mlir::llm::scheduling {

/// Returns the cycles that the part takes of an engine if all that it streams
/// was fetched.
static double leastCyclesOf(const Part &part) {
  return double(part.overheadCycles) + double(part.serialCycles) +
         double(part.computeCycles);
}

/// Returns whether the part can run on engines of one group only.
static bool isConfined(const PartTable::Shape &shape) {
  return shape.modesEnd == shape.firstMode + 1;
}

Cutoff::Cutoff(const Problem &problem, const PartTable &table,
               const MachineState &machine, int64_t limit)
    : table(table) {
  // Sums of rounded numbers are off by less than this share.
  constexpr double rounding = 1e-9;
  double cycles = double(limit - 1) * (1 + rounding);
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    spareOfGroup.push_back(cycles * double(machine.countOf(group)));
  std::vector<double> laneCyclesPerByte;
  for (const Resource &resource : problem.resources) {
    spareOfResource.push_back(cycles * double(resource.lanes));
    laneCyclesPerByte.push_back(double(resource.lanes) *
                                double(problem.clockHz) /
                                double(resource.bytesPerSecond));
  }
  for (const PartTable::Shape &shape : table.shapes) {
    const Part &part = *shape.part;
    double count = double(part.count);
    for (size_t m = 0; m < part.bytes.size(); ++m)
      take(spareOfResource[m],
           count * double(part.bytes[m]) * laneCyclesPerByte[m]);
    if (isConfined(shape))
      take(spareOfGroup[table.modesOf(shape).front().group],
           count * leastCyclesOf(part));
    if (shape.with)
      for (unsigned group : *shape.with)
        take(spareOfGroup[group], count * leastCyclesOf(part));
  }
}

void Cutoff::noteStart(size_t part, unsigned group, int64_t cycles) {
  const PartTable::Shape &shape = table.shapeOf(part);
  double more = double(cycles) - leastCyclesOf(*shape.part);
  take(spareOfGroup[group], isConfined(shape) ? more : double(cycles));
  if (shape.with)
    for (unsigned other : *shape.with)
      take(spareOfGroup[other], more);
}

void Cutoff::noteWait(const MachineState &machine, int64_t cycles) {
  for (unsigned group = 0; group < spareOfGroup.size(); ++group)
    take(spareOfGroup[group], double(machine.idleOf(group)) * double(cycles));
  for (size_t m = 0; m < spareOfResource.size(); ++m)
    take(spareOfResource[m], double(machine.freeLanes()[m]) * double(cycles));
}

} // namespace mlir::llm::scheduling
