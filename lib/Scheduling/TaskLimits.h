//===- TaskLimits.h - What no schedule of a task can beat -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_TASKLIMITS_H
#define LLM_LIB_SCHEDULING_TASKLIMITS_H

#include "FetchCurve.h"
#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// The least of each number over all ways to cut one task, each for itself.
/// "Fetched": with every source fetched ahead that fits into private memory
/// beside the least that the part needs, where a memory engine exists.
struct TaskLimits {
  int64_t spanCycles = 0;   ///< first start to last end, fetched
  int64_t engineCycles = 0; ///< of all parts on engines, fetched
  struct Stream {
    /// All, and those that cannot be fetched ahead.
    int64_t bytes = 0, ownBytes = 0;
    /// Cycles of all parts on engines by bytes that are fetched.
    FetchCurve curve;
  };
  std::vector<Stream> streams; ///< of each resource
  /// The engine groups that can run a part of it: index into
  /// `ProblemLimits::groupSets`.
  unsigned groupSet = 0;
};

using GroupSet = std::vector<bool>;

struct ProblemLimits {
  std::vector<TaskLimits> tasks;
  std::vector<GroupSet> groupSets; ///< each of them once
};

/// Of each task of a sound problem; nothing on overflow.
std::optional<ProblemLimits> findTaskLimits(const Problem &problem);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_TASKLIMITS_H
