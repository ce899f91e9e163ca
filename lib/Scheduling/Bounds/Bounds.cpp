//===- Bounds.cpp - Lower bounds of the makespan --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Bounds.h"
#include "BoundFinder.h"
#include "Core/Graph.h"
#include "Core/Parts.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <tuple>

namespace mlir::llm::scheduling {

std::optional<BoundFinder> BoundFinder::make(const Problem &problem,
                                             Cuts cuts) {
  BoundFinder finder(problem);
  finder.fetchLimits = findFetchLimits(problem);
  std::optional<ProblemLimits> limits =
      findTaskLimits(problem, finder.fetchLimits, cuts);
  if (!limits)
    return std::nullopt;
  std::vector<int64_t> spans;
  spans.reserve(limits->tasks.size());
  for (const TaskLimits &task : limits->tasks)
    spans.push_back(task.spanCycles);
  finder.groupSets.insert(limits->groupSets.begin(), limits->groupSets.end());
  for (const GroupSet &with : limits->withSets)
    for (size_t group = 0; group < with.size(); ++group)
      if (with[group]) {
        GroupSet own(with.size(), false);
        own[group] = true;
        finder.groupSets.insert(std::move(own));
      }
  std::optional<std::vector<int64_t>> behind = longestWayBehind(problem, spans);
  if (!behind)
    return std::nullopt;
  finder.limits = std::move(limits->tasks);
  finder.choices = std::move(limits->choices);
  finder.groupsOf = std::move(limits->groupSets);
  finder.withOf = std::move(limits->withSets);
  finder.behind = std::move(*behind);
  finder.order = topologicalOrder(problem);
  finder.position.resize(finder.order.size());
  for (size_t at = 0; at < finder.order.size(); ++at)
    finder.position[finder.order[at]] = at;
  finder.ahead.assign(finder.order.size(), 0);
  for (unsigned task : finder.order)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      finder.ahead[task] = std::max(finder.ahead[task],
                                    finder.ahead[predecessor] +
                                        finder.limits[predecessor].spanCycles);
  for (size_t m = 0; m < problem.resources.size(); ++m)
    finder.heldBytes.push_back(mostHeldAhead(problem, m, cuts));
  if (finder.looksAtRoom())
    finder.heldRoom = mostHeldAhead(problem, std::nullopt, cuts);
  return finder;
}

int64_t BoundFinder::enginesOf(const GroupSet &groups) const {
  return countEngines(*problem, [&](unsigned group) { return groups[group]; });
}

bool BoundFinder::isConfined(const TaskLimits &task,
                             const GroupSet &groups) const {
  const GroupSet &own = groupsOf[task.groupSet];
  for (size_t group = 0; group < groups.size(); ++group)
    if (own[group] && !groups[group])
      return false;
  return true;
}

bool BoundFinder::takesEngines(const TaskLimits &task,
                               const GroupSet &groups) const {
  if (isConfined(task, groups))
    return true;
  const GroupSet &with = withOf[task.withSet];
  for (size_t group = 0; group < groups.size(); ++group)
    if (with[group] && groups[group])
      return true;
  return false;
}

std::string BoundFinder::nameOf(const GroupSet &groups) const {
  std::string name;
  for (size_t group = 0; group < groups.size(); ++group)
    if (groups[group])
      name += "_" + problem->engines[group].name;
  return name;
}

int64_t BoundFinder::criticalPath() const {
  int64_t cycles = 0;
  for (size_t task = 0; task < behind.size(); ++task)
    cycles = std::max(cycles, behind[task] + limits[task].spanCycles);
  return cycles;
}

std::optional<int64_t> BoundFinder::work(const GroupSet &groups) const {
  // Tasks that start late also share the engines, after what is ahead of the
  // first of them and before what is behind the last.
  struct Work {
    int64_t ahead, behind, cycles;
  };
  std::vector<Work> tasks;
  tasks.reserve(order.size());
  for (unsigned task : order)
    if (takesEngines(limits[task], groups) && limits[task].engineCycles > 0)
      tasks.push_back({ahead[task], behind[task], limits[task].engineCycles});
  std::sort(tasks.begin(), tasks.end(), [](const Work &a, const Work &b) {
    return std::tie(a.ahead, a.behind) > std::tie(b.ahead, b.behind);
  });
  int64_t engines = enginesOf(groups);
  int64_t sum = 0, leastBehind = maxCount, bound = 0;
  for (const Work &task : tasks) {
    std::optional<int64_t> more = checkedAdd(sum, task.cycles);
    if (!more)
      return std::nullopt;
    sum = *more;
    leastBehind = std::min(leastBehind, task.behind);
    int64_t each = *ceilMulDiv(sum, 1, 1, engines);
    std::optional<int64_t> all = checkedAdd(task.ahead + leastBehind, each);
    if (!all)
      return std::nullopt;
    bound = std::max(bound, *all);
  }
  return bound;
}

std::optional<int64_t> BoundFinder::cyclesOf(int64_t bytes,
                                             size_t resource) const {
  // No more than all ports together pass.
  const Resource &from = problem->resources[resource];
  int64_t lanes = 0, rate = 0;
  auto add = [](int64_t &sum, int64_t count, int64_t each) {
    sum = checkedAdd(sum, checkedMul(count, each).value_or(maxCount))
              .value_or(maxCount);
  };
  bool hasRates = true;
  for (const EngineGroup &engine : problem->engines) {
    add(lanes, engine.count, engine.portLanes[resource]);
    hasRates &= !engine.portBytesPerSecond.empty();
    if (hasRates)
      add(rate, engine.count, engine.portBytesPerSecond[resource]);
  }
  if (hasRates && rate < from.bytesPerSecond)
    return ceilMulDiv(bytes, problem->clockHz, 1, rate);
  lanes = std::min(lanes, from.lanes);
  return streamCycles(bytes, from.lanes, problem->clockHz, lanes,
                      from.bytesPerSecond);
}

std::optional<int64_t> BoundFinder::bytes(size_t resource) const {
  int64_t sum = 0;
  for (const TaskLimits &task : limits) {
    std::optional<int64_t> more = checkedAdd(sum, task.streams[resource].bytes);
    if (!more)
      return std::nullopt;
    sum = *more;
  }
  return cyclesOf(sum, resource);
}

int64_t largestBound(const std::vector<Bound> &bounds) {
  int64_t largest = 0;
  for (const Bound &bound : bounds)
    largest = std::max(largest, bound.cycles);
  return largest;
}

std::optional<std::vector<Bound>> lowerBounds(const Problem &problem,
                                              Cuts cuts) {
  std::optional<BoundFinder> finder = BoundFinder::make(problem, cuts);
  if (!finder)
    return std::nullopt;
  bool fits = true;
  std::vector<Bound> bounds;
  auto add = [&](std::string name, std::optional<int64_t> cycles) {
    fits &= cycles.has_value();
    bounds.push_back({std::move(name), cycles.value_or(0)});
  };
  add("critical_path", finder->criticalPath());
  for (const GroupSet &groups : finder->groupsThatMatter())
    add("work" + finder->nameOf(groups), finder->work(groups));
  for (size_t m = 0; m < problem.resources.size(); ++m)
    add("bytes_" + problem.resources[m].name, finder->bytes(m));
  if (hasMemoryEngine(problem))
    for (const GroupSet &groups : finder->groupsThatMatter())
      add("streams" + finder->nameOf(groups), finder->streams(groups));
  if (finder->looksAtRoom())
    for (const GroupSet &groups : finder->groupsThatMatter())
      add("room" + finder->nameOf(groups), finder->room(groups));
  add("stages", finder->stages());
  if (finder->dropLooseEnds()) {
    std::optional<int64_t> cycles = finder->stages();
    fits &= cycles.has_value();
    bounds.back().cycles = std::max(bounds.back().cycles, cycles.value_or(0));
  }
  if (!fits)
    return std::nullopt;
  return bounds;
}

} // namespace mlir::llm::scheduling
