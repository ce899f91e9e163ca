//===- CriticalPath.h - What the makespan is made of ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_CRITICALPATH_H
#define LLM_SCHEDULING_CRITICALPATH_H

#include "llm/Scheduling/Explain.h"

namespace mlir::llm::scheduling {

/// A slot or a fetch on the path, and how it depends on the step before.
struct PathStep {
  unsigned slot = 0;             ///< index into `Solution::slots`
  std::optional<unsigned> fetch; ///< index of the fetch, if it is one
  /// With None, this is the first step. With Dependence, Fetch or Engine, the
  /// step before is what this step waits for, a fetch for it, or the slot
  /// before it on its engine. With Bandwidth, the step before ends when this
  /// one starts, and may have freed lanes or private memory. With Choice,
  /// nothing ends when this step starts, and the step before is the last one
  /// that ended.
  Cause cause = Cause::None;
};

/// Finds one chain through a valid schedule (`verify()`) of a problem without
/// alternatives. The chain goes back from the slot that ends last (the first of
/// several), each time to a step that ends when the later one starts. If there
/// are several, the order of the causes above decides, and then the order of
/// slots. The chain has gaps only before steps of cause Choice. The result is
/// in the order of time. Takes O(n log n).
std::vector<PathStep> findCriticalPath(const Problem &problem,
                                       const Solution &solution);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_CRITICALPATH_H
