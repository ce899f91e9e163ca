//===- Plan.h - What every run of the list scheduler shares -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_PLAN_H
#define LLM_LIB_SCHEDULING_LIST_PLAN_H

#include "Core/Graph.h"
#include "Core/Parts.h"

#include <tuple>

namespace mlir::llm::scheduling {

/// The parts of a problem without alternatives, and the order in which they
/// matter.
struct Plan {
  PartTable table;
  Successors successors;
  /// All parts in order. First come those with the longest way from the start
  /// of their task to the end of all. Among these the longest part comes first,
  /// and then program order decides. No part waits for one that stands behind
  /// it.
  std::vector<size_t> order;
  /// For each part, where it stands in `order`.
  std::vector<size_t> position;
  /// For each task, where its parts that may run at once end in `order`.
  std::vector<size_t> ends;
  /// Parts that wait for the same wait in one queue, so that those that wait
  /// for a busy kind of engine hide no others.
  struct Queue {
    std::vector<unsigned> groups; ///< that can run them
    bool streams;                 ///< they are longer than what they compute
    std::vector<unsigned> with;   ///< one engine of each is needed, too
    bool operator<(const Queue &other) const {
      return std::tie(groups, streams, with) <
             std::tie(other.groups, other.streams, other.with);
    }
  };
  std::vector<Queue> queues;

  /// Makes the plan. Task i ranks as if it were extraCycles[i] >= 0 longer, or
  /// as it is if there are none. Returns nothing on overflow.
  static std::optional<Plan> make(const Problem &problem,
                                  const std::vector<int64_t> &extraCycles = {});
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_PLAN_H
