//===- Graph.h - Orders and ways through the tasks --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_GRAPH_H
#define LLM_LIB_SCHEDULING_CORE_GRAPH_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// For each task, the tasks that wait for it. Predecessors that do not exist
/// and tasks that wait for themselves are left out, so that check() can use it
/// too.
class Successors {
public:
  Successors() = default;
  explicit Successors(const Problem &problem);

  struct Range {
    const unsigned *first, *last;
    const unsigned *begin() const { return first; }
    const unsigned *end() const { return last; }
  };
  Range of(unsigned task) const {
    return {tasks.data() + first[task], tasks.data() + first[task + 1]};
  }
  /// Makes the processor load where the successors of the task are.
  void loadAhead(unsigned task) const { __builtin_prefetch(&first[task]); }
  unsigned taskCount() const { return first.size() - 1; }
  /// For each task, how many it waits for.
  std::vector<unsigned> countPredecessors() const;

private:
  std::vector<size_t> first; ///< of each task: its first entry in `tasks`
  std::vector<unsigned> tasks;
};

/// The tasks with every predecessor ahead of its successors, and otherwise in
/// the order of the problem. An order that is topological already stays as it
/// is. Tasks on a cycle, and behind one, are missing.
std::vector<unsigned> topologicalOrder(const Problem &problem);
std::vector<unsigned> topologicalOrder(const Successors &successors);

/// For each task, the longest way from its end to the end of all, if task i
/// takes cycles[i], in a topological order. Nothing on overflow.
std::optional<std::vector<int64_t>>
longestWayBehind(const Successors &successors,
                 const std::vector<unsigned> &order,
                 const std::vector<int64_t> &cycles);
std::optional<std::vector<int64_t>>
longestWayBehind(const Problem &problem, const std::vector<int64_t> &cycles);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_GRAPH_H
