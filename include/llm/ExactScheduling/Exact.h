//===- Exact.h - Schedules that are proven optimal --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXACTSCHEDULING_EXACT_H
#define LLM_EXACTSCHEDULING_EXACT_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

struct ExactOptions {
  /// Nodes of the search tree after which it gives up, so that the answer is
  /// the same on every machine. 0: never.
  int64_t nodes = 0;
  /// Seconds by the clock after which it gives up: the answer then depends on
  /// the machine and its load. 0: never.
  double seconds = 0;
  /// Whether to start from `scheduleList` or, to try the search itself, from
  /// `scheduleEarliest`.
  bool startsFromList = true;
};

enum class ExactStatus {
  Optimal,    ///< no valid schedule is shorter
  Feasible,   ///< the best found; whether there is a shorter one is not known
  Infeasible, ///< there is no valid schedule, or the problem is not sound
  Unknown,    ///< no schedule was found
};

struct ExactResult {
  ExactStatus status = ExactStatus::Unknown;
  Solution solution; ///< when optimal or feasible
  /// No valid schedule is shorter.
  int64_t lowerBoundCycles = 0;
  /// Why it is not optimal: a sentence without its full stop.
  std::string reason;
  int64_t nodes = 0; ///< of the search tree

  bool hasSolution() const {
    return status == ExactStatus::Optimal || status == ExactStatus::Feasible;
  }
};

/// "optimal", "feasible, gap 3.2 %" or "infeasible because ...". The gap is
/// between the makespan and the lower bound, in percent of the lower bound.
std::string describe(const ExactResult &result);

/// The shortest of all schedules, of all ways to cut the tasks, engines, lanes
/// and fetches: starts with that of another solver and searches for shorter
/// ones until there is none. One thread, deterministic but for a limit of
/// seconds. Meant for some ten tasks: the time grows exponentially. Never
/// throws.
ExactResult scheduleExact(const Problem &problem,
                          const ExactOptions &options = {});

} // namespace mlir::llm::scheduling

#endif // LLM_EXACTSCHEDULING_EXACT_H
