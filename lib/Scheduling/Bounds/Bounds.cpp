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
#include <numeric>
#include <set>
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
  finder.listGroups(*limits);
  finder.findRates();
  std::optional<std::vector<int64_t>> behind = longestWayBehind(problem, spans);
  if (!behind)
    return std::nullopt;
  finder.limits = std::move(limits->tasks);
  finder.choices = std::move(limits->choices);
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

/// Whether all groups of one set are in the other.
static bool isWithin(const GroupSet &set, const GroupSet &other) {
  for (size_t group = 0; group < set.size(); ++group)
    if (set[group] && !other[group])
      return false;
  return true;
}

static bool haveCommon(const GroupSet &set, const GroupSet &other) {
  for (size_t group = 0; group < set.size(); ++group)
    if (set[group] && other[group])
      return true;
  return false;
}

void BoundFinder::listGroups(const ProblemLimits &limits) {
  std::set<GroupSet, std::greater<GroupSet>> sets(limits.groupSets.begin(),
                                                  limits.groupSets.end());
  for (const GroupSet &with : limits.withSets)
    for (size_t group = 0; group < with.size(); ++group)
      if (with[group]) {
        GroupSet own(with.size(), false);
        own[group] = true;
        sets.insert(std::move(own));
      }
  for (const GroupSet &set : sets) {
    Groups groups;
    for (size_t group = 0; group < set.size(); ++group)
      if (set[group])
        groups.name += "_" + problem->engines[group].name;
    groups.engines =
        countEngines(*problem, [&](unsigned group) { return set[group]; });
    for (const GroupSet &own : limits.groupSets)
      groups.confines.push_back(isWithin(own, set));
    for (const GroupSet &with : limits.withSets)
      groups.lends.push_back(haveCommon(with, set));
    groupsOfAll.push_back(std::move(groups));
  }
}

int64_t BoundFinder::criticalPath() const {
  int64_t cycles = 0;
  for (size_t task = 0; task < behind.size(); ++task)
    cycles = std::max(cycles, behind[task] + limits[task].spanCycles);
  return cycles;
}

std::optional<int64_t> BoundFinder::work(const Groups &groups) const {
  // Tasks that start late also share the engines, after what is ahead of the
  // first of them and before what is behind the last.
  struct Work {
    int64_t ahead, behind, cycles;
  };
  std::vector<Work> tasks;
  tasks.reserve(order.size());
  for (unsigned task : order)
    if (groups.areTakenBy(limits[task]) && limits[task].engineCycles > 0)
      tasks.push_back({ahead[task], behind[task], limits[task].engineCycles});
  std::sort(tasks.begin(), tasks.end(), [](const Work &a, const Work &b) {
    return std::tie(a.ahead, a.behind) > std::tie(b.ahead, b.behind);
  });
  int64_t sum = 0, leastBehind = maxCount, bound = 0;
  for (const Work &task : tasks) {
    std::optional<int64_t> more = checkedAdd(sum, task.cycles);
    if (!more)
      return std::nullopt;
    sum = *more;
    leastBehind = std::min(leastBehind, task.behind);
    int64_t each = *ceilMulDiv(sum, 1, 1, groups.engines);
    std::optional<int64_t> all = checkedAdd(task.ahead + leastBehind, each);
    if (!all)
      return std::nullopt;
    bound = std::max(bound, *all);
  }
  return bound;
}

void BoundFinder::findRates() {
  auto add = [](int64_t &sum, int64_t count, int64_t each) {
    sum = checkedAdd(sum, checkedMul(count, each).value_or(maxCount))
              .value_or(maxCount);
  };
  for (size_t resource = 0; resource < problem->resources.size(); ++resource) {
    const Resource &from = problem->resources[resource];
    int64_t lanes = 0, bytesPerSecond = 0;
    bool hasRates = true;
    for (const EngineGroup &engine : problem->engines) {
      add(lanes, engine.count, engine.portLanes[resource]);
      hasRates &= !engine.portBytesPerSecond.empty();
      if (hasRates)
        add(bytesPerSecond, engine.count, engine.portBytesPerSecond[resource]);
    }
    CyclesPerByte each{{from.lanes, problem->clockHz},
                       {std::min(lanes, from.lanes), from.bytesPerSecond}};
    // No more than all ports together pass.
    if (hasRates && bytesPerSecond < from.bytesPerSecond)
      each = {{1, problem->clockHz}, {1, bytesPerSecond}};
    for (int64_t &above : each.above)
      for (int64_t &below : each.below) {
        int64_t common = std::gcd(above, below);
        above /= common;
        below /= common;
      }
    cyclesPerByte.push_back(each);
  }
}

std::optional<int64_t> BoundFinder::cyclesOf(int64_t bytes,
                                             size_t resource) const {
  const CyclesPerByte &each = cyclesPerByte[resource];
  return ceilMulDiv(bytes, each.above[0], each.above[1], each.below[0],
                    each.below[1]);
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
  for (const BoundFinder::Groups &groups : finder->groupsThatMatter())
    add("work" + groups.name, finder->work(groups));
  for (size_t m = 0; m < problem.resources.size(); ++m)
    add("bytes_" + problem.resources[m].name, finder->bytes(m));
  if (hasMemoryEngine(problem))
    for (const BoundFinder::Groups &groups : finder->groupsThatMatter())
      add("streams" + groups.name, finder->streams(groups));
  if (finder->looksAtRoom())
    for (const BoundFinder::Groups &groups : finder->groupsThatMatter())
      add("room" + groups.name, finder->room(groups));
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
