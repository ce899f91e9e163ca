//===- Exact.h - Schedules that are proven optimal --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXACTSCHEDULING_EXACT_H
#define LLM_EXACTSCHEDULING_EXACT_H

#include "llm/Scheduling/Solvers.h"

namespace mlir::llm::scheduling {

struct ExactProgress {
  int64_t nodes;    ///< of the search tree, so far
  int64_t makespan; ///< of the shortest schedule so far
  int64_t lowerBoundCycles;
};

struct ExactOptions {
  /// Nodes of the search tree after which it gives up, so that the answer is
  /// the same on every machine. 0: never.
  int64_t nodes = 0;
  /// Seconds by the clock after which it gives up: the answer then depends on
  /// the machine and its load. 0: never.
  double seconds = 0;
  /// Starts from `scheduleList`, and ends when the lower bound is reached: the
  /// largest of `lowerBounds`, or above it, what propagation alone proves.
  /// Without them, to try the search itself, it starts from `scheduleEarliest`.
  bool usesListAndBounds = true;
  /// Called before each node; false ends the search.
  std::function<bool(const ExactProgress &)> report = nullptr;
  /// Reports tries of `scheduleList`, from which the search starts.
  TryReport reportStart = nullptr;
};

enum class ExactStatus {
  Optimal,    ///< no valid schedule is shorter
  Feasible,   ///< the best found; whether there is a shorter one is not known
  Infeasible, ///< there is no valid schedule, or the problem is not sound
  Unknown,    ///< the problem is beyond this solver
};

struct ExactResult {
  ExactStatus status = ExactStatus::Unknown;
  Solution solution; ///< when optimal or feasible
  /// No valid schedule is shorter. It may be above all of `lowerBounds`.
  int64_t lowerBoundCycles = 0;
  /// Why it is not optimal: a sentence without its full stop.
  std::string reason;
  int64_t nodes = 0; ///< of the search tree

  bool hasSolution() const {
    return status == ExactStatus::Optimal || status == ExactStatus::Feasible;
  }
};

/// "feasible, gap 3.2 %": of the makespan to the lower bound, rounded up, in
/// percent of the lower bound.
std::string describeGap(int64_t makespan, int64_t lowerBoundCycles);

/// "optimal", the gap, "infeasible because ..." or "unknown because ...".
std::string describe(const ExactResult &result);

/// The shortest of all schedules, of all ways to cut the tasks, engines, lanes
/// and fetches: starts with that of another solver and searches for shorter
/// ones until there is none. One thread, deterministic but for a limit of
/// seconds and where `report` ends it. Meant for some ten tasks: the time grows
/// exponentially. Never throws. No node of the search is left in the middle:
/// with many tasks, lanes and parts one takes milliseconds. Unknown, with the
/// reason, in a build without Gecode.
ExactResult scheduleExact(const Problem &problem,
                          const ExactOptions &options = {});

} // namespace mlir::llm::scheduling

#endif // LLM_EXACTSCHEDULING_EXACT_H
