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
  /// Per resource: all bytes, and those that cannot be fetched ahead.
  std::vector<int64_t> bytes, ownBytes;
  /// Per resource: cycles of all parts on engines by bytes that are fetched.
  std::vector<FetchCurve> curves;
  /// The engine groups that can run a part of it.
  std::vector<bool> groups;
};

/// Of each task of a sound problem; nothing on overflow.
std::optional<std::vector<TaskLimits>> findTaskLimits(const Problem &problem);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_TASKLIMITS_H
