//===- ProgramBounds.cpp - Lower bounds of a whole program ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/ProgramBounds.h"
#include "llm/Cost/Roofline.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

LogicalResult ProgramBounds::add(FunctionOpInterface function,
                                 const BoundsOfStretch &found, int64_t times) {
  bool fits = found.has_value();
  int64_t largest = 0;
  if (found)
    for (const scheduling::Bound &bound : *found) {
      fits &= succeeded(accumulate(byName[bound.name], bound.cycles, times));
      largest = std::max(largest, bound.cycles);
    }
  fits &= succeeded(accumulate(lowerBoundCycles, largest, times));
  if (!fits)
    return emitFunctionError(function)
           << "has lower bounds above 2^61 - 1 cycles";
  return success();
}

static LogicalResult addStretch(const Program &program,
                                ArrayRef<unsigned> stretch, int64_t times,
                                const Target &target, ProgramBounds &bounds) {
  FailureOr<scheduling::Problem> problem =
      makeProblem(program, stretch, target);
  return failed(problem) ? failure()
                         : bounds.add(program.function(),
                                      scheduling::lowerBounds(*problem), times);
}

static LogicalResult addItems(const Program &program,
                              ArrayRef<ProgramItem> items, int64_t times,
                              const Target &target, ProgramBounds &bounds) {
  for (const ProgramItem &item : items)
    if (failed(item.isLoop()
                   ? addItems(program, item.body, times * item.trips, target,
                              bounds)
                   : addStretch(program, item.ops, times, target, bounds)))
      return failure();
  return success();
}

FailureOr<ProgramBounds> mlir::llm::computeBounds(const Program &program,
                                                  const Target &target) {
  ProgramBounds bounds;
  FailureOr<int64_t> roofline = rooflineCycles(program, target);
  if (failed(roofline) ||
      failed(addItems(program, program.items(), 1, target, bounds)))
    return failure();
  bounds.rooflineCycles = *roofline;
  return bounds;
}
