//===- Graph.cpp - Orders and ways through the tasks ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace mlir::llm::scheduling {

std::vector<std::vector<unsigned>> successorsOf(const Problem &problem) {
  std::vector<std::vector<unsigned>> successors(problem.tasks.size());
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (predecessor < successors.size() && predecessor != task)
        successors[predecessor].push_back(task);
  return successors;
}

std::vector<unsigned> topologicalOrder(const Problem &problem) {
  std::vector<std::vector<unsigned>> successors = successorsOf(problem);
  std::vector<size_t> waitingFor(problem.tasks.size(), 0);
  for (const std::vector<unsigned> &tasks : successors)
    for (unsigned task : tasks)
      ++waitingFor[task];

  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<unsigned>>
      ready;
  for (unsigned task = 0; task < waitingFor.size(); ++task)
    if (waitingFor[task] == 0)
      ready.push(task);

  std::vector<unsigned> order;
  order.reserve(problem.tasks.size());
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (unsigned successor : successors[order.back()])
      if (--waitingFor[successor] == 0)
        ready.push(successor);
  }
  return order;
}

std::optional<std::vector<int64_t>>
longestWayBehind(const Problem &problem, const std::vector<int64_t> &cycles) {
  std::vector<int64_t> behind(problem.tasks.size(), 0);
  std::vector<unsigned> order = topologicalOrder(problem);
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    std::optional<int64_t> way = checkedAdd(cycles[*task], behind[*task]);
    if (!way)
      return std::nullopt;
    for (unsigned predecessor : problem.tasks[*task].predecessors)
      behind[predecessor] = std::max(behind[predecessor], *way);
  }
  return behind;
}

} // namespace mlir::llm::scheduling
