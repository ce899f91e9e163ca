//===- MemoryOverTime.cpp - What lies in memory when ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/MemoryOverTime.h"
#include "llm/Planning/LiveValues.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// The places of stretches and loops in time.
class ItemTimes {
public:
  explicit ItemTimes(const Report &report) : report(report) {
    report.timeline.forEachStretch([&](const StretchRun &run) {
      bool isFirst = llvm::all_of(run.iterations, [](int64_t i) { return !i; });
      unsigned op = run.stretch.ops.front();
      if (isFirst)
        spans[report.program->ops()[op].op] = {
            run.startCycle, run.startCycle, report.timeline.loopsOf(op).vec()};
    });
    addLoops(report.program->items());
  }

  MemoryStep stepAt(const Moment &moment, const MomentPlace &place) const {
    MemoryStep step;
    step.valueBytes = moment.values.total();
    step.workspaceBytes = moment.workspaceBytes;
    auto span = spans.find(place.item);
    if (span == spans.end()) // the start of the function
      return step;
    const Span &item = span->second;
    step.loops = item.loops;
    bool isBehind = place.cycle == MomentPlace::afterItem;
    step.cycle = isBehind ? item.end : item.start;
    if (!isBehind && place.cycle > 0)
      step.cycle += place.cycle;
    return step;
  }

private:
  struct Span {
    int64_t start, end; ///< of a stretch only the start
    std::vector<unsigned> loops;
  };

  /// Loops are numbered as in the timeline.
  void addLoops(ArrayRef<ProgramItem> items) {
    for (const ProgramItem &item : items) {
      if (!item.isLoop())
        continue;
      const TimedLoop &loop = report.timeline.loops()[nextLoop++];
      std::vector<unsigned> around;
      for (std::optional<unsigned> parent = loop.parent; parent;
           parent = report.timeline.loops()[*parent].parent)
        around.insert(around.begin(), *parent);
      Operation *op = item.loop;
      spans[op] = {loop.startCycle,
                   loop.startCycle + loop.trips * loop.periodCycles, around};
      addLoops(item.body);
    }
  }

  const Report &report;
  unsigned nextLoop = 0;
  llvm::DenseMap<Operation *, Span> spans;
};
} // namespace

std::vector<MemoryStep> mlir::llm::memoryOverTime(const Report &report) {
  ItemTimes times(report);
  std::vector<MemoryStep> steps;
  LogicalResult walked =
      forEachMoment(*report.program, *report.target, Growth(),
                    [&](const Moment &moment, const MomentPlace &place) {
                      MemoryStep step = times.stepAt(moment, place);
                      bool isSamePlace = !steps.empty() &&
                                         steps.back().cycle == step.cycle &&
                                         steps.back().loops == step.loops;
                      if (isSamePlace)
                        steps.back() = std::move(step);
                      else
                        steps.push_back(std::move(step));
                    });
  if (failed(walked)) // the sums did fit in the capacity
    steps.clear();
  return steps;
}
