//===- SlotSweep.cpp - Starts and ends of slots in order ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/SlotSweep.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace mlir::llm {

namespace {
/// The order within a cycle.
enum class Phase : uint8_t {
  InnerEnd,
  OuterEnd,
  NoLength,
  OuterStart,
  InnerStart
};

/// The starts, or the ends, of a series that are left.
struct Steps {
  int64_t cycle;
  Phase phase;
  const SlotSeries *series;
  int64_t index = 0;
  /// Orders steps so that the earliest is at the top of a priority queue.
  bool operator<(const Steps &other) const {
    return std::tie(cycle, phase, series) >
           std::tie(other.cycle, other.phase, other.series);
  }
};
} // namespace

SlotSweep::SlotSweep(std::vector<SlotSeries> series) : all(std::move(series)) {
  std::stable_sort(all.begin(), all.end(),
                   [](const SlotSeries &a, const SlotSeries &b) {
                     return a.startCycle < b.startCycle;
                   });
}

static void push(std::priority_queue<Steps> &underWay,
                 const SlotSeries &series) {
  if (series.startCycle == series.endCycle) {
    underWay.push({series.startCycle, Phase::NoLength, &series});
    return;
  }
  underWay.push({series.startCycle,
                 series.isOuter ? Phase::OuterStart : Phase::InnerStart,
                 &series});
  underWay.push({series.endCycle,
                 series.isOuter ? Phase::OuterEnd : Phase::InnerEnd, &series});
}

void SlotSweep::run(Visit visit) const {
  std::priority_queue<Steps> underWay;
  auto next = all.begin();
  while (next != all.end() || !underWay.empty()) {
    if (next != all.end() &&
        (underWay.empty() || next->startCycle <= underWay.top().cycle)) {
      push(underWay, *next++);
      continue;
    }
    Steps steps = underWay.top();
    underWay.pop();
    if (steps.phase >= Phase::NoLength)
      visit(*steps.series, steps.index, steps.cycle, /*isStart=*/true);
    if (steps.phase <= Phase::NoLength)
      visit(*steps.series, steps.index, steps.cycle, /*isStart=*/false);
    if (++steps.index == steps.series->count)
      continue;
    steps.cycle += steps.series->stride;
    underWay.push(steps);
  }
}

int64_t SlotSweep::count(bool slices) const {
  int64_t spans = 0;
  for (const SlotSeries &series : all)
    if (series.isSlice() == slices)
      spans += series.count;
  return spans;
}

} // namespace mlir::llm
