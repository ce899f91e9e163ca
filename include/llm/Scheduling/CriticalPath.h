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
  unsigned slot = 0;             ///< of the solution
  std::optional<unsigned> fetch; ///< of the slot: then the step is that fetch
  /// With None, this is the first step. With Dependence, Fetch and Engine, the
  /// step before is what this step waits for, its own fetch, or the slot ahead
  /// of it on its engine. With Bandwidth, the step before ends as this one
  /// starts, and may have given back lanes or private memory. With Choice,
  /// nothing ends as this step starts, and the step before ended last.
  Cause cause = Cause::None;
};

/// Finds one chain through a valid schedule (`verify()`) of a problem without
/// alternatives. The chain goes back from the slot that ends last (the first of
/// these), each time to what ends as the step starts. If several end then, the
/// order of the causes above decides, and then the order of slots. Steps take
/// time, so the only gaps of the chain are before steps of cause Choice. The
/// result is in the order of time. Takes O(n log n).
std::vector<PathStep> findCriticalPath(const Problem &problem,
                                       const Solution &solution);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_CRITICALPATH_H
