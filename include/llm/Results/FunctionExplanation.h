//===- FunctionExplanation.h - What holds a function back -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_FUNCTIONEXPLANATION_H
#define LLM_RESULTS_FUNCTIONEXPLANATION_H

#include "llm/Planning/Timeline.h"
#include "llm/Results/LaterWork.h"
#include "llm/Scheduling/CriticalPath.h"
#include "llm/Target/Target.h"

#include <map>
#include <optional>

namespace mlir::llm {

/// Steps of the critical path that follow each other without a gap: slots of
/// one op, or its fetches of one buffer.
struct PathSpan {
  unsigned op = 0;
  std::string buffer; ///< the buffer that is fetched; empty for slots
  int64_t steps = 1;
  int64_t startCycle = 0, endCycle = 0;
  scheduling::Cause cause = scheduling::Cause::None; ///< of the first step
};

/// Explains one run of a stretch by itself. Cycles count as in its slots.
struct StretchExplanation {
  std::vector<scheduling::IdleGap> gaps;
  std::vector<PathSpan> path;
};

/// A part and the number of one of its prefetches, or without a number, the
/// slot of the part.
using StepKey = std::pair<unsigned, std::optional<unsigned>>;

struct FunctionExplanation {
  /// For each op, its slack and cause within its stretch, in one iteration.
  std::vector<scheduling::TaskExplanation> ops;
  /// For each op, its steps on the critical path of its stretch, in one run.
  std::vector<std::map<StepKey, scheduling::Cause>> steps;
  /// For each engine of the target, the sums over all runs of all stretches.
  std::vector<scheduling::GroupExplanation> engines;
  /// Filled only if the caller asked for it.
  DenseMap<const ProgramItem *, StretchExplanation> stretches;
  LaterWork laterWork;

  /// Returns nothing if costs are stale or the schedule breaks a rule, and
  /// warns of the rule. Reports and traces show such a schedule all the same.
  static std::optional<FunctionExplanation> create(const Timeline &timeline,
                                                   const Target &target,
                                                   Warnings &warnings,
                                                   bool wantsStretches = false);
};

} // namespace mlir::llm

#endif // LLM_RESULTS_FUNCTIONEXPLANATION_H
