//===- SlotSweep.cpp - Starts and ends of slots in order ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlotSweep.h"

#include <algorithm>
#include <queue>

namespace mlir::llm {

namespace {
/// What is left of the starts, or of the ends, of a series.
struct Steps {
  int64_t cycle = 0;
  int64_t left = 0;
  const SlotSeries *series = nullptr;
  int sign = 1;
  /// The top of a priority queue is the largest: the earliest.
  bool operator<(const Steps &other) const { return cycle > other.cycle; }
};
} // namespace

SlotSweep::SlotSweep(std::vector<SlotSeries> series) : all(std::move(series)) {
  std::stable_sort(all.begin(), all.end(),
                   [](const SlotSeries &a, const SlotSeries &b) {
                     return a.startCycle < b.startCycle;
                   });
}

void SlotSweep::run(
    ::llvm::function_ref<void(int64_t, unsigned, int)> visit) const {
  std::priority_queue<Steps> underWay;
  auto next = all.begin();
  while (next != all.end() || !underWay.empty()) {
    if (next != all.end() &&
        (underWay.empty() || next->startCycle <= underWay.top().cycle)) {
      underWay.push({next->startCycle, next->count, &*next, 1});
      underWay.push({next->endCycle, next->count, &*next, -1});
      ++next;
      continue;
    }
    Steps steps = underWay.top();
    underWay.pop();
    visit(steps.cycle, steps.series->use, steps.sign);
    if (--steps.left == 0)
      continue;
    steps.cycle += steps.series->stride;
    underWay.push(steps);
  }
}

} // namespace mlir::llm
