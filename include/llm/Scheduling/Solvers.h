//===- Solvers.h - Static schedulers ----------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_SOLVERS_H
#define LLM_SCHEDULING_SOLVERS_H

#include "llm/Scheduling/Problem.h"

#include <functional>

namespace mlir::llm::scheduling {

// Solvers take a sound problem (Problem::check()) and return the slots in the
// order of task and part. They return nothing only on overflow. If engine
// groups differ, a part goes where it ends first. Among equals it goes to the
// first group, and to the lowest index that is idle. Parts without work start
// and end as soon as they may, and take no engine's time.

/// Returns the baseline that a person expects. Tasks start in the order of
/// `Problem::tasks` (made topological if it is not), and none starts before the
/// one ahead of it. Each part runs whole on the first free engine that can run
/// it. It has the fewest lanes that give its shortest length, and waits until
/// they are free. Nothing is fetched ahead. Takes O(n log n) for one engine
/// group.
std::optional<Solution> scheduleEarliest(const Problem &problem);

/// A function that is called before each schedule that is tried. It may be
/// empty.
using TryReport = std::function<void()>;

/// List scheduling. The ready task with the longest way to the end starts
/// first. A task whose lanes are taken may start with those that are left if it
/// then ends sooner than by waiting. Idle memory engines fetch ahead.
///
/// The search begins with each task cut as it is shortest alone, and a few
/// runs. It ends within 0.5 % of the lower bound. Until then it looks in three
/// ways for other cuts, orders and habits. It looks at each stage alone first,
/// and at equal stages once. It leaves each of these ways when a number of runs
/// have won less than that: 100 and 100 for each task, at most 1,500, and in
/// proportion fewer if the schedule is less than 10 % above the bound. A
/// schedule that runs eight times or more, by `repeats` (a layer in a loop), is
/// worth three times as many, and fewer only if it is less than 3.3 % above the
/// bound. It places about a million parts in each way. Larger problems are run
/// once.
///
/// What has at most 200 tasks (a block) is searched briefly before that: with a
/// few ways to start, which are mostly best, and a descent from the shortest
/// schedule. This places about 30,000 parts among the stages, and as many among
/// all tasks. A block that runs less often is not searched on;
/// `scheduleImproved` is there for more.
///
/// The result is the shortest of these schedules and of `scheduleEarliest`.
/// Slices are fetched only where `allocateAddresses` will, mostly, find ranges
/// for them. The result is deterministic.
///
/// `lowerBoundCycles` is the largest of `lowerBounds`. If it is not given, it
/// is looked for.
std::optional<Solution>
scheduleList(const Problem &problem, const TryReport &report = nullptr,
             int64_t repeats = 1,
             std::optional<int64_t> lowerBoundCycles = std::nullopt);

/// Does only the few runs with which `scheduleList` begins. Returns nothing if
/// none of them is shorter than `wanted`.
std::optional<Solution> scheduleListBriefly(const Problem &problem,
                                            const TryReport &report,
                                            int64_t wanted);

/// Says whether a schedule of so many cycles is so near to a lower bound that
/// `scheduleList` looks no further.
bool isNearEnough(int64_t makespan, int64_t lowerBoundCycles);

struct ImproveProgress {
  int64_t evaluations; ///< so far
  int64_t makespan;    ///< of the shortest schedule so far
  int64_t lowerBoundCycles;
};

struct ImproveOptions {
  int64_t evaluations = 0; ///< the most evaluations; 0: no limit
  double seconds = 0;      ///< none begins after so many; 0: no limit
  uint32_t seed = 1;
  int64_t repeats = 1; ///< of the schedule, for `scheduleList`
  /// A function that is called before each evaluation. If it returns false, the
  /// search ends.
  std::function<bool(const ImproveProgress &)> report = nullptr;
  /// Reports tries of `scheduleList`, from which the search starts.
  TryReport reportStart = nullptr;
};

struct ImproveResult {
  Solution solution;
  int64_t lowerBoundCycles = 0;
  int64_t evaluations = 0;
};

/// Returns a local search that starts from `scheduleList`. It ranges over what
/// a list schedule is made of: how tasks are cut, and how and in which order
/// their parts start. One evaluation is one list schedule. The result is never
/// longer than that of `scheduleList`. The search ends at a lower bound.
/// Without a limit in seconds the result for a seed is the same on every
/// machine, unless `report` ends the search.
std::optional<ImproveResult> scheduleImproved(const Problem &problem,
                                              const ImproveOptions &options);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_SOLVERS_H
