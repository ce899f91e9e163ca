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
  int64_t nodes;    ///< nodes of the search tree, so far
  int64_t makespan; ///< cycles of the shortest schedule so far
  int64_t lowerBoundCycles;
};

struct ExactOptions {
  /// The most nodes of the search tree, so that the answer is the same on every
  /// machine. 0 stands for no limit.
  int64_t nodes = 0;
  /// The most seconds by the clock. The answer then depends on the machine and
  /// its load. 0 stands for no limit.
  double seconds = 0;
  /// Whether the search starts from `scheduleList`, and ends at the lower
  /// bound, which is the largest of `lowerBounds` or what propagation alone
  /// proves above it. Otherwise it starts from `scheduleEarliest`; tests of the
  /// search itself use that.
  bool usesListAndBounds = true;
  /// A function that is called before each node. If it returns false, the
  /// search ends.
  std::function<bool(const ExactProgress &)> report = nullptr;
  /// Reports tries of `scheduleList`, from which the search starts.
  TryReport reportStart = nullptr;
};

enum class ExactStatus {
  Optimal,    ///< no valid schedule is shorter
  Feasible,   ///< the shortest that was found; there may be a shorter one
  Infeasible, ///< there is no valid schedule, or the problem is not sound
  Unknown,    ///< the problem is beyond this solver
};

struct ExactResult {
  ExactStatus status = ExactStatus::Unknown;
  Solution solution; ///< when optimal or feasible
  /// No valid schedule is shorter than this. It may be above all of
  /// `lowerBounds`.
  int64_t lowerBoundCycles = 0;
  /// Says why the solution is not optimal, as a sentence without its full stop.
  std::string reason;
  int64_t nodes = 0; ///< nodes of the search tree that were visited

  bool hasSolution() const {
    return status == ExactStatus::Optimal || status == ExactStatus::Feasible;
  }
};

/// Returns "feasible, gap 3.2 %". The gap is how far the makespan is above the
/// lower bound, in percent of the lower bound, rounded up.
std::string describeGap(int64_t makespan, int64_t lowerBoundCycles);

/// Returns "optimal", the gap, "infeasible because ..." or "unknown because
/// ...".
std::string describe(const ExactResult &result);

/// Finds the shortest of all schedules, over all ways to cut the tasks,
/// engines, lanes and fetches. It starts with the schedule of another solver
/// and searches for shorter ones until there is none. It runs in one thread,
/// and is deterministic unless a limit of seconds or `report` ends it. It is
/// meant for some ten tasks, because the time grows exponentially. It never
/// throws. Limits are checked only between nodes of the search, and with many
/// tasks, lanes and parts a node takes milliseconds. In a build without Gecode
/// the result is Unknown, with the reason.
ExactResult scheduleExact(const Problem &problem,
                          const ExactOptions &options = {});

} // namespace mlir::llm::scheduling

#endif // LLM_EXACTSCHEDULING_EXACT_H
