//===- Bounds.cpp - Lower bounds of the makespan --------------------------===//
//
// Part of the llm-opt project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Bounds.h"
#include "Graph.h"
#include "Lanes.h"
#include "Names.h"
#include "Parts.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

static bool hasMemoryEngine(const Problem &problem) {
  return std::any_of(problem.engines.begin(), problem.engines.end(),
                     [](const EngineGroup &engine) {
                       return engine.kinds.contains(EngineKind::Memory);
                     });
}

static std::vector<int64_t> bytesWithoutSources(const Part &part) {
  std::vector<int64_t> bytes = part.bytes;
  for (const Source &source : part.sources)
    for (size_t m = 0; m < bytes.size(); ++m)
      bytes[m] -= source.bytes[m];
  return bytes;
}

/// No slot of the part is shorter, on any engine and whatever is prefetched.
static std::optional<int64_t> shortestSlot(const Problem &problem,
                                           const Task &task, const Part &part,
                                           bool prefetches,
                                           const std::vector<int64_t> &lanes) {
  std::vector<int64_t> bytes =
      prefetches ? bytesWithoutSources(part) : part.bytes;
  std::optional<int64_t> fixed =
      checkedAdd(part.overheadCycles, part.serialCycles);
  if (!fixed)
    return std::nullopt;
  std::optional<int64_t> shortest;
  for (const EngineGroup &engine : problem.engines) {
    if (!canRun(engine, task, part))
      continue;
    std::optional<LaneChoice> choice =
        chooseLanes(problem, bytes, *fixed, part.computeCycles, engine, lanes);
    if (choice && (!shortest || choice->length < *shortest))
      shortest = choice->length;
  }
  return shortest;
}

/// Cycles of each task: of its longest part, and of all parts one after the other.
struct TaskCycles {
  std::vector<int64_t> longest, sum;
};

static std::optional<TaskCycles> shortestTasks(const Problem &problem) {
  bool prefetches = hasMemoryEngine(problem);
  std::vector<int64_t> lanes = allLanes(problem);
  TaskCycles cycles;
  for (const Task &task : problem.tasks) {
    int64_t longest = 0, sum = 0;
    for (const Part &part : task.parts) {
      std::optional<int64_t> slot =
          shortestSlot(problem, task, part, prefetches, lanes);
      std::optional<int64_t> total =
          slot ? checkedAdd(sum, *slot) : std::nullopt;
      if (!total)
        return std::nullopt;
      longest = std::max(longest, *slot);
      sum = *total;
    }
    cycles.longest.push_back(longest);
    cycles.sum.push_back(sum);
  }
  return cycles;
}

static std::optional<Bound> criticalPath(const Problem &problem,
                                         const TaskCycles &cycles) {
  std::optional<std::vector<int64_t>> behind =
      longestWayBehind(problem, cycles.longest);
  if (!behind)
    return std::nullopt;
  Bound bound{"critical_path", 0};
  for (size_t task = 0; task < behind->size(); ++task)
    bound.cycles =
        std::max(bound.cycles, (*behind)[task] + cycles.longest[task]);
  return bound;
}

/// Whoever needs all of `kinds` shares the engines that have them all.
static std::optional<Bound> workBound(const Problem &problem,
                                      const TaskCycles &cycles,
                                      EngineKindSet kinds) {
  int64_t work = 0, engines = 0;
  for (size_t task = 0; task < problem.tasks.size(); ++task) {
    if (!problem.tasks[task].kinds.containsAll(kinds))
      continue;
    std::optional<int64_t> sum = checkedAdd(work, cycles.sum[task]);
    if (!sum)
      return std::nullopt;
    work = *sum;
  }
  for (const EngineGroup &engine : problem.engines) {
    if (!engine.kinds.containsAll(kinds))
      continue;
    std::optional<int64_t> sum = checkedAdd(engines, engine.count);
    if (!sum)
      return std::nullopt;
    engines = *sum;
  }
  std::optional<int64_t> bound = ceilMulDiv(work, 1, 1, engines);
  if (!bound)
    return std::nullopt;
  return Bound{"work_" + nameOf(kinds), *bound};
}

static std::optional<Bound> bytesBound(const Problem &problem,
                                       size_t resource) {
  int64_t bytes = 0;
  for (const Task &task : problem.tasks) {
    for (const Part &part : task.parts) {
      std::optional<int64_t> sum = checkedAdd(bytes, part.bytes[resource]);
      if (!sum)
        return std::nullopt;
      bytes = *sum;
    }
  }
  const Resource &from = problem.resources[resource];
  std::optional<int64_t> bound =
      ceilMulDiv(bytes, problem.clockHz, 1, from.bytesPerSecond);
  if (!bound)
    return std::nullopt;
  return Bound{"bytes_" + from.name, *bound};
}

/// The distinct kind sets of the tasks, in the order of the bits of allEngineKinds.
static std::vector<EngineKindSet> kindSets(const Problem &problem) {
  std::vector<EngineKindSet> sets;
  for (unsigned bits = 0; bits < 1u << allEngineKinds.size(); ++bits) {
    EngineKindSet set;
    for (size_t kind = 0; kind < allEngineKinds.size(); ++kind)
      if (bits & 1u << kind)
        set.insert(allEngineKinds[kind]);
    if (std::any_of(problem.tasks.begin(), problem.tasks.end(),
                    [&](const Task &task) { return task.kinds == set; }))
      sets.push_back(set);
  }
  return sets;
}

std::optional<std::vector<Bound>> lowerBounds(const Problem &problem) {
  std::optional<TaskCycles> cycles = shortestTasks(problem);
  if (!cycles)
    return std::nullopt;
  std::vector<std::optional<Bound>> found;
  found.push_back(criticalPath(problem, *cycles));
  for (EngineKindSet kinds : kindSets(problem))
    found.push_back(workBound(problem, *cycles, kinds));
  for (size_t m = 0; m < problem.resources.size(); ++m)
    found.push_back(bytesBound(problem, m));

  std::vector<Bound> bounds;
  for (std::optional<Bound> &bound : found) {
    if (!bound)
      return std::nullopt;
    bounds.push_back(std::move(*bound));
  }
  return bounds;
}

} // namespace mlir::llm::scheduling
