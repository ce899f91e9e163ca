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
#include <numeric>
#include <queue>

namespace mlir::llm::scheduling {

/// Of each task those of its predecessors that exist, but not itself.
template <typename Visit>
static void forEachEdge(const Problem &problem, Visit visit) {
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (predecessor < problem.tasks.size() && predecessor != task)
        visit(predecessor, task);
}

Successors::Successors(const Problem &problem)
    : first(problem.tasks.size() + 1, 0) {
  forEachEdge(problem, [&](unsigned from, unsigned) { ++first[from + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  tasks.resize(first.back());
  std::vector<size_t> next(first.begin(), first.end() - 1);
  forEachEdge(problem,
              [&](unsigned from, unsigned to) { tasks[next[from]++] = to; });
}

static bool isInOrder(const Problem &problem) {
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (predecessor >= task)
        return false;
  return true;
}

std::vector<unsigned> topologicalOrder(const Problem &problem) {
  if (isInOrder(problem)) { // as most are: no more to do
    std::vector<unsigned> order(problem.tasks.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  Successors successors(problem);
  std::vector<size_t> waitingFor(problem.tasks.size(), 0);
  forEachEdge(problem, [&](unsigned, unsigned to) { ++waitingFor[to]; });

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
    for (unsigned successor : successors.of(order.back()))
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
