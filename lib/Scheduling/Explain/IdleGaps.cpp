//===- IdleGaps.cpp - When each engine is idle, and why -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Explain.h"

#include <algorithm>
#include <map>

namespace mlir::llm::scheduling {

Cause IdleGap::mainCause() const {
  return static_cast<Cause>(std::max_element(cycles.begin(), cycles.end()) -
                            cycles.begin());
}

namespace {
/// The cycles of each cause up to any moment, of one group.
class CauseClock {
public:
  explicit CauseClock(const std::vector<CauseSpan> &waits) : waits(waits) {
    CyclesByCause sum = {};
    int64_t start = 0;
    for (const CauseSpan &span : waits) {
      before.push_back({start, sum});
      sum[static_cast<size_t>(span.cause)] += span.endCycle - start;
      start = span.endCycle;
    }
  }

  CyclesByCause upTo(int64_t cycle) const {
    auto span = std::lower_bound(waits.begin(), waits.end(), cycle,
                                 [](const CauseSpan &span, int64_t cycle) {
                                   return span.endCycle < cycle;
                                 });
    if (span == waits.end()) // nothing takes time
      return {};
    auto [start, sum] = before[span - waits.begin()];
    sum[static_cast<size_t>(span->cause)] += cycle - start;
    return sum;
  }

private:
  const std::vector<CauseSpan> &waits;
  /// For each span: when it starts, and the sums by then.
  std::vector<std::pair<int64_t, CyclesByCause>> before;
};

using Busy = std::vector<std::pair<int64_t, int64_t>>; ///< starts and ends
} // namespace

static std::map<std::pair<unsigned, int64_t>, Busy>
listBusy(const Solution &solution) {
  std::map<std::pair<unsigned, int64_t>, Busy> busy;
  auto add = [&](const EngineId &engine, int64_t start, int64_t end) {
    if (start < end)
      busy[{engine.group, engine.index}].emplace_back(start, end);
  };
  for (const Slot &slot : solution.slots) {
    add(slot.engine, slot.start, slot.end);
    for (EngineId other : slot.with)
      add(other, slot.start, slot.end);
    for (const PrefetchSlot &fetch : slot.prefetches)
      add(fetch.engine, fetch.start, fetch.end);
  }
  for (auto &[engine, spans] : busy)
    std::sort(spans.begin(), spans.end());
  return busy;
}

static void addGaps(EngineId engine, const Busy &busy, int64_t makespan,
                    const CauseClock &clock, std::vector<IdleGap> &gaps) {
  int64_t idleFrom = 0;
  auto close = [&](int64_t end) {
    if (idleFrom == end)
      return;
    IdleGap gap{engine, idleFrom, end};
    CyclesByCause first = clock.upTo(idleFrom), last = clock.upTo(end);
    for (size_t cause = 0; cause < allCauses.size(); ++cause)
      gap.cycles[cause] = last[cause] - first[cause];
    gaps.push_back(gap);
  };
  for (auto [start, end] : busy) {
    close(start);
    idleFrom = end;
  }
  close(makespan);
}

std::vector<IdleGap> findIdleGaps(const Problem &problem,
                                  const Solution &solution,
                                  const Explanation &explanation) {
  std::map<std::pair<unsigned, int64_t>, Busy> busy = listBusy(solution);
  std::vector<IdleGap> gaps;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    CauseClock clock(explanation.engines[group].waits);
    for (int64_t index = 0; index < problem.engines[group].count; ++index) {
      auto own = busy.find({group, index});
      addGaps({group, index}, own == busy.end() ? Busy() : own->second,
              solution.makespan, clock, gaps);
    }
  }
  return gaps;
}

} // namespace mlir::llm::scheduling
