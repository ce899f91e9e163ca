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

/// A slot or a fetch on the path, and what it has to do with the step before.
struct PathStep {
  unsigned slot = 0;             ///< of the solution
  std::optional<unsigned> fetch; ///< of the slot: the step is that fetch
  /// None: the first step. Dependence, Fetch, Engine: the step before is what
  /// it waits for, its own fetch, or the one ahead of it on its engine.
  /// Bandwidth: the step before ends as it starts, and may have given back
  /// lanes or private memory. Choice: nothing ends as it starts; the step
  /// before ended last.
  Cause cause = Cause::None;
};

/// One chain through a schedule that `verify()` finds nothing wrong with, of a
/// problem without alternatives: back from the slot that ends last, of equals
/// the first, each time to what ends as the step starts; of several in the
/// order of the causes above, and of these the first slot. Steps take time, so
/// that the chain has no gaps but those before steps of cause Choice. In the
/// order of time. O(n log n).
std::vector<PathStep> findCriticalPath(const Problem &problem,
                                       const Solution &solution);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_CRITICALPATH_H
