//===- Bounds.cpp - Lower bounds of the makespan --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Bounds.h"
#include "Graph.h"
#include "Lanes.h"
#include "Parts.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <set>

namespace mlir::llm::scheduling {

static bool hasMemoryEngine(const Problem &problem) {
  return std::any_of(problem.engines.begin(), problem.engines.end(),
                     [](const EngineGroup &engine) {
                       return engine.kinds.contains(EngineKind::Memory);
                     });
}

/// What the part streams at least on an engine of the group: all but the
/// sources that fit into private memory beside the working set (S7).
static std::vector<int64_t> leastBytes(const Part &part,
                                       const EngineGroup &engine) {
  std::vector<int64_t> bytes = part.bytes;
  for (const Source &source : part.sources)
    if (source.sliceBytes <= engine.privateBytes - part.workingSetBytes)
      for (size_t m = 0; m < bytes.size(); ++m)
        bytes[m] -= source.bytes[m];
  return bytes;
}

/// No slot of the part is shorter, on any engine and whatever is prefetched.
static std::optional<int64_t> shortestSlot(const Problem &problem,
                                           const Task &task, const Part &part,
                                           bool prefetches,
                                           const std::vector<int64_t> &lanes) {
  std::optional<int64_t> fixed =
      checkedAdd(part.overheadCycles, part.serialCycles);
  if (!fixed)
    return std::nullopt;
  std::optional<int64_t> shortest;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (!canRun(problem, group, task, part))
      continue;
    const EngineGroup &engine = problem.engines[group];
    std::optional<LaneChoice> choice =
        chooseLanes(problem, prefetches ? leastBytes(part, engine) : part.bytes,
                    *fixed, part.computeCycles, engine, lanes);
    if (choice && (!shortest || choice->length < *shortest))
      shortest = choice->length;
  }
  return shortest;
}

/// Cycles of each task: of its longest part, and of all parts one after the
/// other.
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

/// The engine groups that can run any part of each task.
static std::vector<std::vector<bool>> groupsOfTasks(const Problem &problem) {
  std::vector<std::vector<bool>> groups;
  for (const Task &task : problem.tasks) {
    std::vector<bool> able;
    for (unsigned group = 0; group < problem.engines.size(); ++group)
      able.push_back(std::any_of(task.parts.begin(), task.parts.end(),
                                 [&](const Part &part) {
                                   return canRun(problem, group, task, part);
                                 }));
    groups.push_back(std::move(able));
  }
  return groups;
}

/// Tasks that run nowhere but on `groups` share their engines.
static std::optional<Bound>
workBound(const Problem &problem, const TaskCycles &cycles,
          const std::vector<std::vector<bool>> &groupsOfTask,
          const std::vector<bool> &groups) {
  int64_t work = 0, engines = 0;
  for (size_t task = 0; task < problem.tasks.size(); ++task) {
    bool isInside = true;
    for (size_t group = 0; group < groups.size(); ++group)
      isInside &= groups[group] || !groupsOfTask[task][group];
    std::optional<int64_t> sum =
        checkedAdd(work, isInside ? cycles.sum[task] : 0);
    if (!sum)
      return std::nullopt;
    work = *sum;
  }
  std::string name = "work";
  for (size_t group = 0; group < groups.size(); ++group) {
    if (!groups[group])
      continue;
    std::optional<int64_t> sum =
        checkedAdd(engines, problem.engines[group].count);
    if (!sum)
      return std::nullopt;
    engines = *sum;
    name += "_" + problem.engines[group].name;
  }
  std::optional<int64_t> bound = ceilMulDiv(work, 1, 1, engines);
  if (!bound)
    return std::nullopt;
  return Bound{name, *bound};
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

std::optional<std::vector<Bound>> lowerBounds(const Problem &problem) {
  std::optional<TaskCycles> cycles = shortestTasks(problem);
  if (!cycles)
    return std::nullopt;
  std::vector<std::optional<Bound>> found;
  found.push_back(criticalPath(problem, *cycles));
  std::vector<std::vector<bool>> groupsOfTask = groupsOfTasks(problem);
  for (const std::vector<bool> &groups :
       std::set<std::vector<bool>, std::greater<>>(groupsOfTask.begin(),
                                                   groupsOfTask.end()))
    found.push_back(workBound(problem, *cycles, groupsOfTask, groups));
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
