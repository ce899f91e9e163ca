//===- TaskLimits.cpp - What no schedule of a task can beat ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskLimits.h"
#include "Lanes.h"
#include "Parts.h"
#include "Plan.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

namespace {

class LimitFinder {
public:
  explicit LimitFinder(const Problem &problem)
      : problem(problem), prefetches(hasMemoryEngine(problem)),
        lanes(allLanes(problem)) {}

  /// False on overflow.
  bool addChoice(const Task &task, unsigned choice, TaskLimits &limits);

private:
  /// Of one part, on the groups that can run it.
  struct PartLimits {
    int64_t fetched = INT64_MAX, streamed = INT64_MAX;
    std::vector<int64_t> fetchable; ///< bytes per resource, at most
  };
  PartLimits findPart(const Task &task, const Part &part, TaskLimits &limits);
  int64_t lengthOn(const EngineGroup &engine, const Part &part,
                   const std::vector<int64_t> &bytes) const;
  std::vector<FetchCurve> findCurves(const Task &task, const Part &part,
                                     const PartLimits &limits) const;

  const Problem &problem;
  bool prefetches;
  std::vector<int64_t> lanes;
};

} // namespace

int64_t LimitFinder::lengthOn(const EngineGroup &engine, const Part &part,
                              const std::vector<int64_t> &bytes) const {
  std::optional<LaneChoice> choice =
      chooseLanes(problem, bytes, part.overheadCycles + part.serialCycles,
                  part.computeCycles, engine, lanes);
  return choice ? choice->length : INT64_MAX;
}

LimitFinder::PartLimits
LimitFinder::findPart(const Task &task, const Part &part, TaskLimits &limits) {
  PartLimits found;
  found.fetchable.assign(lanes.size(), 0);
  int64_t leastNeed = leastNeedOf(problem, part);
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (!mayRun(problem, group, task, part))
      continue;
    limits.groups[group] = true;
    const EngineGroup &engine = problem.engines[group];
    std::vector<int64_t> left = part.bytes;
    for (const Source &source : part.sources)
      if (prefetches && source.sliceBytes <= engine.privateBytes - leastNeed)
        for (size_t m = 0; m < left.size(); ++m)
          left[m] -= source.bytes[m];
    found.fetched = std::min(found.fetched, lengthOn(engine, part, left));
    found.streamed =
        std::min(found.streamed, lengthOn(engine, part, part.bytes));
    for (size_t m = 0; m < left.size(); ++m)
      found.fetchable[m] =
          std::max(found.fetchable[m], part.bytes[m] - left[m]);
  }
  return found;
}

/// Over all sets of sources: with some of them, more may be saved for a byte
/// than with all. Many sources are fetched at no time at best.
std::vector<FetchCurve>
LimitFinder::findCurves(const Task &task, const Part &part,
                        const PartLimits &limits) const {
  std::vector<std::vector<FetchCurve::Point>> points(
      lanes.size(), {{0, double(limits.streamed)}});
  constexpr size_t mostSources = 4;
  size_t count = prefetches ? part.sources.size() : 0;
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
  std::vector<int64_t> cycles, bytes(lanes.size(), 0), own(lanes.size(), 0);
  int64_t engineCycles = 0;
  std::vector<FetchCurve> curves(lanes.size());
  for (const Part &part : parts) {
    auto add = [&](int64_t &sum, int64_t each) {
      std::optional<int64_t> all =
          each > maxCount ? std::nullopt : checkedMul(each, part.count);
      std::optional<int64_t> next = all ? checkedAdd(sum, *all) : std::nullopt;
      sum = next.value_or(sum);
      return next.has_value();
    };
    PartLimits found = findPart(task, part, limits);
    cycles.push_back(found.fetched);
    if (!add(engineCycles, found.fetched) || found.streamed > maxCount)
      return false;
    for (size_t m = 0; m < bytes.size(); ++m)
      if (!add(bytes[m], part.bytes[m]) ||
          !add(own[m], part.bytes[m] - found.fetchable[m]))
        return false;
    std::vector<FetchCurve> ofPart = findCurves(task, part, found);
    for (size_t m = 0; m < curves.size(); ++m)
      curves[m].add(ofPart[m], double(part.count));
  }
  std::optional<int64_t> span =
      spanOf(problem, task, parts, task.lastCombinesOf(choice), cycles);
  if (!span)
    return false;
  auto lower = [&](int64_t &limit, int64_t found) {
    limit = choice == 0 ? found : std::min(limit, found);
  };
  lower(limits.spanCycles, *span);
  lower(limits.engineCycles, engineCycles);
  for (size_t m = 0; m < bytes.size(); ++m) {
    lower(limits.bytes[m], bytes[m]);
    lower(limits.ownBytes[m], own[m]);
    if (choice == 0)
      limits.curves[m] = std::move(curves[m]);
    else
      limits.curves[m].lower(curves[m]);
  }
  return true;
}

std::optional<std::vector<TaskLimits>> findTaskLimits(const Problem &problem) {
  LimitFinder finder(problem);
  std::vector<TaskLimits> all;
  all.reserve(problem.tasks.size());
  for (const Task &task : problem.tasks) {
    TaskLimits limits;
    limits.bytes.assign(problem.resources.size(), 0);
    limits.ownBytes = limits.bytes;
    limits.curves.resize(problem.resources.size());
    limits.groups.assign(problem.engines.size(), false);
    for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice)
      if (!finder.addChoice(task, choice, limits))
        return std::nullopt;
    all.push_back(std::move(limits));
  }
  return all;
}

} // namespace mlir::llm::scheduling
