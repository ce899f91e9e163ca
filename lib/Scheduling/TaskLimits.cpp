//===- TaskLimits.cpp - What no schedule of a task can beat ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskLimits.h"
#include "Parts.h"
#include "Plan.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <map>

namespace mlir::llm::scheduling {

namespace {

class LimitFinder {
public:
  explicit LimitFinder(const Problem &problem)
      : problem(problem), prefetches(hasMemoryEngine(problem)),
        resources(problem.resources.size()) {}

  /// Nothing on overflow.
  std::optional<TaskLimits> find(const Task &task);
  std::vector<GroupSet> takeGroupSets();

private:
  /// Of one part, on the groups that can run it.
  struct PartLimits {
    int64_t fetched = INT64_MAX, streamed = INT64_MAX;
    std::vector<int64_t> fetchable; ///< bytes per resource, at most
  };
  bool addChoice(const Task &task, unsigned choice, TaskLimits &limits);
  PartLimits findPart(const Task &task, const Part &part);
  int64_t lengthOn(const EngineGroup &engine, const Part &part,
                   const std::vector<int64_t> &bytes) const;
  std::vector<FetchCurve> findCurves(const Task &task, const Part &part,
                                     const PartLimits &limits) const;
  bool canFetch(const Part &part) const {
    return prefetches && !part.sources.empty();
  }

  const Problem &problem;
  bool prefetches;
  size_t resources;
  GroupSet groups; ///< that can run a part of the task
  std::map<GroupSet, unsigned> numberOf;
};

} // namespace

int64_t LimitFinder::lengthOn(const EngineGroup &engine, const Part &part,
                              const std::vector<int64_t> &bytes) const {
  // Ports have no more lanes than there are.
  return lengthWithLanes(problem, bytes,
                         part.overheadCycles + part.serialCycles,
                         part.computeCycles, engine.portLanes)
      .value_or(INT64_MAX);
}

LimitFinder::PartLimits LimitFinder::findPart(const Task &task,
                                              const Part &part) {
  PartLimits found;
  found.fetchable.assign(resources, 0);
  int64_t leastNeed = leastNeedOf(problem, part);
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (!mayRun(problem, group, task, part))
      continue;
    groups[group] = true;
    const EngineGroup &engine = problem.engines[group];
    found.streamed =
        std::min(found.streamed, lengthOn(engine, part, part.bytes));
    if (!canFetch(part))
      continue;
    std::vector<int64_t> left = part.bytes;
    for (const Source &source : part.sources)
      if (source.sliceBytes <= engine.privateBytes - leastNeed)
        for (size_t m = 0; m < left.size(); ++m)
          left[m] -= source.bytes[m];
    found.fetched = std::min(found.fetched, lengthOn(engine, part, left));
    for (size_t m = 0; m < left.size(); ++m)
      found.fetchable[m] =
          std::max(found.fetchable[m], part.bytes[m] - left[m]);
  }
  if (!canFetch(part))
    found.fetched = found.streamed;
  return found;
}

/// Over all sets of sources: with some of them, more may be saved for a byte
/// than with all. Many sources are fetched at no time at best.
std::vector<FetchCurve>
LimitFinder::findCurves(const Task &task, const Part &part,
                        const PartLimits &limits) const {
  if (!canFetch(part))
    return std::vector<FetchCurve>(resources,
                                   FetchCurve(double(limits.streamed)));
  std::vector<std::vector<FetchCurve::Point>> points(
      resources, {{0, double(limits.streamed)}});
  constexpr size_t mostSources = 4;
  size_t count = part.sources.size();
  if (count > mostSources)
    for (auto &own : points)
      own.push_back({0, double(limits.fetched)});
  unsigned sets = count > mostSources ? 1 : 1u << count;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (sets == 1 || !mayRun(problem, group, task, part))
      continue;
    for (unsigned set = 1; set < sets; ++set) {
      std::vector<int64_t> left = part.bytes;
      for (size_t source = 0; source < count; ++source)
        if (set >> source & 1)
          for (size_t m = 0; m < left.size(); ++m)
            left[m] -= part.sources[source].bytes[m];
      // What does not fit into private memory saves nothing.
      int64_t cycles = std::max(limits.fetched,
                                lengthOn(problem.engines[group], part, left));
      for (size_t m = 0; m < left.size(); ++m)
        points[m].push_back({double(part.bytes[m] - left[m]), double(cycles)});
    }
  }
  std::vector<FetchCurve> curves;
  for (auto &own : points)
    curves.emplace_back(std::move(own));
  return curves;
}

bool LimitFinder::addChoice(const Task &task, unsigned choice,
                            TaskLimits &limits) {
  const std::vector<Part> &parts = task.partsOf(choice);
  std::vector<int64_t> cycles;
  int64_t engineCycles = 0;
  std::vector<TaskLimits::Stream> streams(resources);
  for (const Part &part : parts) {
    auto add = [&](int64_t &sum, int64_t each) {
      std::optional<int64_t> all =
          each > maxCount ? std::nullopt : checkedMul(each, part.count);
      std::optional<int64_t> next = all ? checkedAdd(sum, *all) : std::nullopt;
      sum = next.value_or(sum);
      return next.has_value();
    };
    PartLimits found = findPart(task, part);
    cycles.push_back(found.fetched);
    if (!add(engineCycles, found.fetched) || found.streamed > maxCount)
      return false;
    std::vector<FetchCurve> curves = findCurves(task, part, found);
    for (size_t m = 0; m < resources; ++m) {
      if (!add(streams[m].bytes, part.bytes[m]) ||
          !add(streams[m].ownBytes, part.bytes[m] - found.fetchable[m]))
        return false;
      streams[m].curve.add(curves[m], double(part.count));
    }
  }
  std::optional<int64_t> span =
      spanOf(problem, task, parts, task.lastCombinesOf(choice), cycles);
  if (!span)
    return false;
  if (choice == 0) {
    limits.spanCycles = *span;
    limits.engineCycles = engineCycles;
    limits.streams = std::move(streams);
    return true;
  }
  auto lower = [](int64_t &limit, int64_t found) {
    limit = std::min(limit, found);
  };
  lower(limits.spanCycles, *span);
  lower(limits.engineCycles, engineCycles);
  for (size_t m = 0; m < resources; ++m) {
    lower(limits.streams[m].bytes, streams[m].bytes);
    lower(limits.streams[m].ownBytes, streams[m].ownBytes);
    limits.streams[m].curve.lower(streams[m].curve);
  }
  return true;
}

std::optional<TaskLimits> LimitFinder::find(const Task &task) {
  TaskLimits limits;
  groups.assign(problem.engines.size(), false);
  for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice)
    if (!addChoice(task, choice, limits))
      return std::nullopt;
  limits.groupSet = numberOf.try_emplace(groups, numberOf.size()).first->second;
  return limits;
}

std::vector<GroupSet> LimitFinder::takeGroupSets() {
  std::vector<GroupSet> sets(numberOf.size());
  for (const auto &[set, number] : numberOf)
    sets[number] = set;
  return sets;
}

std::optional<ProblemLimits> findTaskLimits(const Problem &problem) {
  LimitFinder finder(problem);
  ProblemLimits limits;
  limits.tasks.reserve(problem.tasks.size());
  for (const Task &task : problem.tasks) {
    std::optional<TaskLimits> own = finder.find(task);
    if (!own)
      return std::nullopt;
    limits.tasks.push_back(std::move(*own));
  }
  limits.groupSets = finder.takeGroupSets();
  return limits;
}

} // namespace mlir::llm::scheduling
