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

/// Engines of all groups that can run one of the parts.
static int64_t enginesFor(const Problem &problem, const Task &task,
                          const std::vector<Part> &parts) {
  int64_t engines = 0;
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    if (std::any_of(parts.begin(), parts.end(), [&](const Part &part) {
          return mayRun(problem, group, task, part);
        }))
      engines =
          checkedAdd(engines, problem.engines[group].count).value_or(maxCount);
  return engines;
}

std::optional<int64_t> spanOf(const Problem &problem, const Task &task,
                              const std::vector<Part> &parts, bool lastCombines,
                              const std::vector<int64_t> &cycles) {
  size_t atOnce = cycles.size() - (lastCombines ? 1 : 0);
  int64_t longest = 0, sum = 0, count = 0;
  for (size_t part = 0; part < atOnce; ++part) {
    longest = std::max(longest, cycles[part]);
    std::optional<int64_t> all = checkedMul(cycles[part], parts[part].count);
    std::optional<int64_t> more = all ? checkedAdd(sum, *all) : std::nullopt;
    if (!more)
      return std::nullopt;
    sum = *more;
    count += parts[part].count;
  }
  if (count > 1) {
    int64_t engines = enginesFor(problem, task, parts);
    longest = std::max(longest, ceilMulDiv(sum, 1, 1, engines).value_or(0));
  }
  return lastCombines ? checkedAdd(longest, cycles.back())
                      : std::optional<int64_t>(longest);
}

std::optional<Plan> Plan::make(const Problem &problem,
                               const std::vector<int64_t> &extraCycles) {
  std::optional<PartTable> table = listParts(problem);
  if (!table || topologicalOrder(problem).size() != problem.tasks.size())
    return std::nullopt;

  std::vector<int64_t> spans;
  spans.reserve(problem.tasks.size());
  size_t shape = 0;
  std::vector<int64_t> cycles;
  for (unsigned index = 0; index < problem.tasks.size(); ++index) {
    const Task &task = problem.tasks[index];
    cycles.clear();
    for (size_t part = 0; part < task.parts.size(); ++part, ++shape)
      cycles.push_back(table->modesOf(table->shapes[shape]).shortest());
    std::optional<int64_t> span =
        spanOf(problem, task, task.parts, task.lastCombines, cycles);
    if (span && !extraCycles.empty())
      span = checkedAdd(*span, extraCycles[index]);
    if (!span)
      return std::nullopt;
    spans.push_back(*span);
  }
  std::optional<std::vector<int64_t>> behind = longestWayBehind(problem, spans);
  if (!behind)
    return std::nullopt;

  Plan plan;
  std::map<Queue, unsigned> queues;
  std::vector<unsigned> queueOfShape;
  for (const PartTable::Shape &shape : table->shapes) {
    const Part &part = *shape.part;
    Modes modes = table->modesOf(shape);
    Queue queue{{},
                modes.shortest() > part.overheadCycles + part.serialCycles +
                                       part.computeCycles};
    for (const Mode &mode : modes)
      queue.groups.push_back(mode.group);
    auto [known, isNew] = queues.insert({queue, queues.size()});
    if (isNew)
      plan.queues.push_back(queue);
    queueOfShape.push_back(known->second);
  }
  // The way and the length, negative so that the longest is first; the part.
  std::vector<std::tuple<int64_t, int64_t, size_t>> rank;
  rank.reserve(table->parts.size());
  plan.queueOfPart.reserve(table->parts.size());
  for (size_t index = 0; index < table->parts.size(); ++index) {
    const PartTable::Entry &part = table->parts[index];
    int64_t length = table->modesOf(index).shortest();
    int64_t own = table->combines(index) ? length : spans[part.task];
    rank.push_back({-(own + (*behind)[part.task]), -length, index});
    plan.queueOfPart.push_back(queueOfShape[part.shape]);
  }
  std::sort(rank.begin(), rank.end());
  plan.order.reserve(rank.size());
  for (const auto &[way, length, part] : rank)
    plan.order.push_back(part);
  plan.position.resize(rank.size());
  for (size_t at = 0; at < plan.order.size(); ++at)
    plan.position[plan.order[at]] = at;
  plan.successors = Successors(problem);
  plan.table = std::move(*table);
  return plan;
}

} // namespace mlir::llm::scheduling
