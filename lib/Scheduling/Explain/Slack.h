//===- Slack.h - How much later each task could run -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_EXPLAIN_SLACK_H
#define LLM_LIB_SCHEDULING_EXPLAIN_SLACK_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// The slack of each task, as `TaskExplanation::slackCycles`.
std::vector<int64_t> findSlacks(const Problem &problem,
                                const Solution &solution);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_EXPLAIN_SLACK_H
