//===- Plan.cpp - What every run of the list scheduler shares -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <map>

namespace mlir::llm::scheduling {

/// Returns lower bounds of the cycles of each task, with its extra cycles
/// added.
static std::optional<std::vector<int64_t>>
listSpans(const Problem &problem, const PartTable &table,
          const std::vector<int64_t> &extraCycles) {
  std::vector<int64_t> spans, cycles;
  spans.reserve(problem.tasks.size());
  for (unsigned index = 0; index < problem.tasks.size(); ++index) {
    unsigned shape = table.parts[table.first[index]].shape;
    std::optional<int64_t> span = table.shapes[shape].shortest;
    if (table.countOf(index) > 1) {
      const Task &task = problem.tasks[index];
      cycles.clear();
      for (size_t part = 0; part < task.parts.size(); ++part, ++shape)
        cycles.push_back(table.shapes[shape].shortest);
      span = spanOf(problem, task, /*choice=*/0, cycles);
    }
    if (span && !extraCycles.empty())
      span = checkedAdd(*span, extraCycles[index]);
    if (!span)
      return std::nullopt;
    spans.push_back(*span);
  }
  return spans;
}

/// Lists the queues of a plan whose table is made.
static void listQueues(Plan &plan) {
  std::map<Plan::Queue, unsigned> queues;
  Plan::Queue queue;
  for (PartTable::Shape &shape : plan.table.shapes) {
    queue.groups.clear();
    queue.streams = shape.streams;
    queue.with.clear();
    if (shape.with)
      queue.with = *shape.with;
    for (const Mode &mode : plan.table.modesOf(shape))
      queue.groups.push_back(mode.group);
    auto [known, isNew] = queues.try_emplace(queue, queues.size());
    if (isNew)
      plan.queues.push_back(queue);
    shape.queue = known->second;
  }
}

/// Orders the parts of a plan whose table is made. `behind` has the longest way
/// behind each task.
static void rankParts(Plan &plan, const std::vector<int64_t> &spans,
                      const std::vector<int64_t> &behind) {
  const PartTable &table = plan.table;
  // Each entry has a way and a length, which are negative so that the longest
  // is first, and the part.
  std::vector<std::tuple<int64_t, int64_t, size_t>> rank;
  rank.reserve(table.parts.size());
  for (size_t index = 0; index < table.parts.size(); ++index) {
    unsigned task = table.parts[index].task;
    int64_t length = table.shapeOf(index).shortest;
    int64_t own = table.combines(index) ? length : spans[task];
    // The parts of a chain stand in their order.
    bool isChained = !table.chains.empty() && table.chains[task].areThere();
    rank.push_back({-(own + behind[task]), isChained ? 0 : -length, index});
  }
  std::sort(rank.begin(), rank.end());
  plan.order.reserve(rank.size());
  plan.position.resize(rank.size());
  plan.ends.resize(behind.size());
  for (const auto &[way, length, part] : rank) {
    plan.position[part] = plan.order.size();
    plan.order.push_back(part);
    if (!table.combines(part))
      plan.ends[table.parts[part].task] = plan.order.size();
  }
}

std::optional<Plan> Plan::make(const Problem &problem,
                               const std::vector<int64_t> &extraCycles) {
  std::optional<PartTable> table = listParts(problem);
  if (!table)
    return std::nullopt;
  Plan plan;
  plan.table = std::move(*table);
  plan.successors = Successors(problem);
  std::vector<unsigned> order = topologicalOrder(plan.successors);
  if (order.size() != problem.tasks.size())
    return std::nullopt;
  std::optional<std::vector<int64_t>> spans =
      listSpans(problem, plan.table, extraCycles);
  std::optional<std::vector<int64_t>> behind =
      spans ? longestWayBehind(plan.successors, order, *spans) : std::nullopt;
  if (!behind)
    return std::nullopt;
  listQueues(plan);
  rankParts(plan, *spans, *behind);
  return plan;
}

} // namespace mlir::llm::scheduling
