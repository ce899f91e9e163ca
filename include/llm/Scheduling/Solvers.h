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

/// Makes the simple schedule that a person would expect as a baseline. Tasks
/// start in the order of `Problem::tasks` (made topological if it is not), and
/// none starts before the one ahead of it. Each part runs on the first free
/// engine that can run it. It gets the fewest lanes that give its shortest
/// length, and waits until they are free. Nothing is fetched ahead. Takes O(n
/// log n) for one engine group.
std::optional<Solution> scheduleEarliest(const Problem &problem);

/// A function that is called before each try of a schedule. It may be empty.
using TryReport = std::function<void()>;

/// Makes a schedule by list scheduling. Of the ready tasks, the one with the
/// longest path to the end starts first. If some of the lanes of a task are
/// taken, it may start with those that are left if it then ends sooner than by
/// waiting. Idle memory engines fetch ahead.
///
/// It begins with a few runs in which each task is cut so that it alone is
/// shortest. It ends if a schedule is within 0.5 % of the lower bound. Until
/// then it searches in three ways for other cuts, orders and habits. It first
/// searches each stage by itself, and equal stages only once. It leaves a way
/// if a number of runs gain less than 0.5 %: 100 plus 100 for each task, at
/// most 1,500, and in proportion fewer if the schedule is less than 10 % above
/// the bound. A schedule that runs eight times or more by `repeats` (a layer in
/// a loop) gets three times as many, and fewer only if it is less than 3.3 %
/// above the bound. Each way places at most about a million parts. Larger
/// problems are run once.
///
/// A problem of at most 200 tasks (a block) gets a brief search before that:
/// with a few ways to start, which are mostly best, and a descent from the
/// shortest schedule. This places about 30,000 parts in the stages, and as many
/// in all tasks together. A block that runs less than eight times gets only
/// this search; `scheduleImproved` searches longer.
///
/// The result is the shortest of these schedules and of `scheduleEarliest`.
/// Slices are fetched only where `allocateAddresses` will, mostly, find ranges
/// for them. The result is deterministic.
///
/// `lowerBoundCycles` is the largest of `lowerBounds`. If it is not given, it
/// is computed.
std::optional<Solution>
scheduleList(const Problem &problem, const TryReport &report = nullptr,
             int64_t repeats = 1,
             std::optional<int64_t> lowerBoundCycles = std::nullopt);

/// Does only the first few runs of `scheduleList`. Returns nothing if none of
/// them is shorter than `wanted`.
std::optional<Solution> scheduleListBriefly(const Problem &problem,
                                            const TryReport &report,
                                            int64_t wanted);

/// Says whether a schedule is so near to a lower bound that `scheduleList`
/// stops.
bool isNearEnough(int64_t makespan, int64_t lowerBoundCycles);

struct ImproveProgress {
  int64_t evaluations; ///< number of evaluations so far
  int64_t makespan;    ///< cycles of the shortest schedule so far
  int64_t lowerBoundCycles;
};

struct ImproveOptions {
  int64_t evaluations = 0; ///< the most evaluations; 0: no limit
  double seconds = 0;      ///< after so many, none begins; 0: no limit
  uint32_t seed = 1;
  int64_t repeats = 1; ///< how often the schedule runs, for `scheduleList`
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

/// Improves the result of `scheduleList` by local search. It varies what a list
/// schedule is made from: how tasks are cut, and how and in which order their
/// parts start. One evaluation is one list schedule. The result is never longer
/// than that of `scheduleList`. The search ends at a lower bound. Without a
/// limit in seconds the result for a seed is the same on every machine, unless
/// `report` ends the search.
std::optional<ImproveResult> scheduleImproved(const Problem &problem,
                                              const ImproveOptions &options);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_SOLVERS_H
