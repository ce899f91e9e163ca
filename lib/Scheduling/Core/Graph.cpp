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

Successors::Successors(const Problem &problem)
    : first(problem.tasks.size() + 2, 0) {
  // The lists of the problem are spread over the memory, so they are read once.
  std::vector<std::pair<unsigned, unsigned>> edges;
  edges.reserve(2 * problem.tasks.size()); // an estimate
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (predecessor < problem.tasks.size() && predecessor != task)
        edges.push_back({predecessor, task});
  // Counts stand two further on, so that the next entry of each task, which is
  // one further on, ends up as the first entry of the task behind it.
  for (auto [from, to] : edges)
    ++first[from + 2];
  std::partial_sum(first.begin(), first.end(), first.begin());
  tasks.resize(edges.size());
  for (auto [from, to] : edges)
    tasks[first[from + 1]++] = to;
  first.pop_back();
}

std::vector<unsigned> Successors::countPredecessors() const {
  std::vector<unsigned> counts(taskCount(), 0);
  for (unsigned task : tasks)
    ++counts[task];
  return counts;
}

static bool isInOrder(const Problem &problem) {
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (predecessor >= task)
        return false;
  return true;
}

static bool isInOrder(const Successors &successors) {
  for (unsigned task = 0; task < successors.taskCount(); ++task)
    for (unsigned successor : successors.of(task))
      if (successor < task)
        return false;
  return true;
}

static std::vector<unsigned> firstNumbers(size_t count) {
  std::vector<unsigned> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<unsigned> topologicalOrder(const Problem &problem) {
  // Most problems are in order. That is seen without a list of successors.
  return isInOrder(problem) ? firstNumbers(problem.tasks.size())
                            : topologicalOrder(Successors(problem));
}

std::vector<unsigned> topologicalOrder(const Successors &successors) {
  if (isInOrder(successors))
    return firstNumbers(successors.taskCount());
  std::vector<unsigned> waitingFor = successors.countPredecessors();
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<unsigned>>
      ready;
  for (unsigned task = 0; task < waitingFor.size(); ++task)
    if (waitingFor[task] == 0)
      ready.push(task);

  std::vector<unsigned> order;
  order.reserve(waitingFor.size());
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
  Successors successors(problem);
  return longestWayBehind(successors, topologicalOrder(successors), cycles);
}

std::optional<std::vector<int64_t>>
longestWayBehind(const Successors &successors,
                 const std::vector<unsigned> &order,
                 const std::vector<int64_t> &cycles) {
  // These are the ways from the start of each task, until its cycles are
  // subtracted.
  std::vector<int64_t> ways(cycles.size(), 0);
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    int64_t behind = 0;
    for (unsigned successor : successors.of(*task))
      behind = std::max(behind, ways[successor]);
    std::optional<int64_t> way = checkedAdd(cycles[*task], behind);
    if (!way)
      return std::nullopt;
    ways[*task] = *way;
  }
  for (size_t task = 0; task < ways.size(); ++task)
    ways[task] -= cycles[task];
  return ways;
}

} // namespace mlir::llm::scheduling
