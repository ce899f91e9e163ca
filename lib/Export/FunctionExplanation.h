//===- FunctionExplanation.h - What holds a function back -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_FUNCTIONEXPLANATION_H
#define LLM_LIB_EXPORT_FUNCTIONEXPLANATION_H

#include "llm/Analysis/Timeline.h"
#include "llm/Scheduling/Explain.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

struct FunctionExplanation {
  /// By op; slack and cause within its stretch, of one iteration.
  std::vector<scheduling::TaskExplanation> ops;
  /// By engine of the target; over all runs of all stretches.
  std::vector<scheduling::GroupExplanation> engines;

  /// Nothing, and no diagnostic, where costs are stale or the schedule breaks a
  /// rule: reports and traces show it all the same, and warn.
  static std::optional<FunctionExplanation> create(const Timeline &timeline,
                                                   const Target &target);
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_FUNCTIONEXPLANATION_H
