//===- List.h - What the list scheduler found -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_LIST_H
#define LLM_LIB_SCHEDULING_LIST_LIST_H

#include "Habit.h"
#include "llm/Scheduling/Solvers.h"

namespace mlir::llm::scheduling {

/// The schedule of `scheduleList`, with the options that it was found with.
struct ListResult {
  Solution solution;
  ListOptions options;
  int64_t lowerBoundCycles; ///< the greatest of `lowerBounds`
};

/// Finds the schedule of `scheduleList`. Returns nothing on overflow.
std::optional<ListResult>
searchList(const Problem &problem, const TryReport &report, int64_t repeats,
           std::optional<int64_t> lowerBoundCycles = std::nullopt);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_LIST_H
