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

// Solvers take a sound problem (Problem::check()), return the slots in the
// order of task and part, and return nothing only on overflow. Where engine
// groups differ, a part goes where it ends first; among equals to the first
// group, and to the lowest index that is idle. Parts without work start and end
// as soon as they may, on no engine's time.

/// What a person expects as the baseline: tasks start in the order of
/// `Problem::tasks` (made topological where it is not), none before the one
/// ahead of it, each part whole on the first free engine that can run it,
/// with the fewest lanes that give its shortest length, waiting until they are
/// free. No prefetch. O(n log n) for one engine group.
std::optional<Solution> scheduleEarliest(const Problem &problem);

/// Called before each schedule that is tried. May be empty.
using TryReport = std::function<void()>;

/// List scheduling: the ready task with the longest way to the end first; a
/// task whose lanes are taken may start with those that are left when that ends
/// it sooner than waiting; idle memory engines fetch ahead. It begins with each
/// task cut as it is shortest alone, and a few runs. It ends within 0.5 % of
/// the lower bound; until then it looks in three ways for other cuts, orders
/// and habits, first of each stage alone, equal ones once. It leaves each of
/// them where a number of runs have won less than that: 100 and 100 for each
/// task, at most 1,500, and in proportion fewer where it is less than 10 %
/// above the bound. About a million parts are placed in all; larger problems
/// are run once. The shortest of these and of `scheduleEarliest`. Slices are
/// fetched only where `allocateAddresses` will, mostly, find ranges for them.
/// Deterministic.
std::optional<Solution> scheduleList(const Problem &problem,
                                     const TryReport &report = nullptr);

/// The few runs that it begins with.
std::optional<Solution> scheduleListBriefly(const Problem &problem,
                                            const TryReport &report = nullptr);

/// Whether a schedule of so many cycles is so near to a lower bound that
/// `scheduleList` looks no further.
bool isNearEnough(int64_t makespan, int64_t lowerBoundCycles);

struct ImproveProgress {
  int64_t evaluations; ///< so far
  int64_t makespan;    ///< of the shortest schedule so far
  int64_t lowerBoundCycles;
};

struct ImproveOptions {
  int64_t evaluations = 0; ///< so many at most; 0: no limit
  double seconds = 0;      ///< not begun after so many; 0: no limit
  uint32_t seed = 1;
  /// Called before each evaluation; false ends the search.
  std::function<bool(const ImproveProgress &)> report = nullptr;
  /// Reports tries of `scheduleList`, from which the search starts.
  TryReport reportStart = nullptr;
};

struct ImproveResult {
  Solution solution;
  int64_t lowerBoundCycles = 0;
  int64_t evaluations = 0;
};

/// A local search from `scheduleList` on, over what a list schedule is made of:
/// how tasks are cut, how and in which order their parts start. One evaluation
/// is one list schedule. Never longer than `scheduleList`; ends at a lower
/// bound. Without a limit in seconds the result is the same for a seed on every
/// machine, unless `report` ends it.
std::optional<ImproveResult> scheduleImproved(const Problem &problem,
                                              const ImproveOptions &options);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_SOLVERS_H
