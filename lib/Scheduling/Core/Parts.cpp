//===- Parts.cpp - Where and how fast each part can run -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "Lanes.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

EngineKindSet ownKinds(const Problem &problem, const Task &task) {
  EngineKindSet kinds = task.kinds;
  for (unsigned group : task.with)
    kinds = kinds.without(problem.engines[group].kinds);
  return kinds;
}

bool isEligible(const Problem &problem, unsigned group, const Task &task) {
  return task.group.value_or(group) == group &&
         problem.engines[group].kinds.containsAll(ownKinds(problem, task)) &&
         std::find(task.with.begin(), task.with.end(), group) ==
             task.with.end();
}

int64_t countTeams(const Problem &problem, const Task &task, int64_t engines) {
  for (unsigned group : task.with)
    engines = std::min(engines, problem.engines[group].count);
  return engines;
}

bool canRun(const Problem &problem, unsigned group, const Task &task,
            const Part &part) {
  return isEligible(problem, group, task) &&
         part.workingSetBytes <= problem.engines[group].privateBytes;
}

bool hasMemoryEngine(const Problem &problem) {
  return std::any_of(problem.engines.begin(), problem.engines.end(),
                     [](const EngineGroup &engine) {
                       return engine.kinds.contains(EngineKind::Memory);
                     });
}

int64_t countEngines(const Problem &problem,
                     const std::function<bool(unsigned group)> &holds) {
  int64_t count = 0;
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    if (holds(group))
      count =
          checkedAdd(count, problem.engines[group].count).value_or(maxCount);
  return count;
}

int64_t countMemoryEngines(const Problem &problem) {
  return countEngines(problem, [&](unsigned group) {
    return problem.engines[group].kinds.contains(EngineKind::Memory);
  });
}

int64_t countComputeEngines(const Problem &problem) {
  return countEngines(problem, [&](unsigned group) {
    return !problem.engines[group].kinds.contains(EngineKind::Memory);
  });
}

int64_t leastNeedOf(const Problem &problem, const Part &part) {
  int64_t need = part.workingSetBytes;
  if (part.sources.empty() || !hasMemoryEngine(problem))
    return need;
  for (const Source &source : part.sources)
    need -= source.stagingBytes;
  if (part.overheadCycles + part.serialCycles + part.computeCycles > 0)
    return need;
  for (size_t m = 0; m < part.bytes.size(); ++m) {
    int64_t left = part.bytes[m];
    for (const Source &source : part.sources)
      left -= source.bytes[m];
    if (left > 0)
      return need;
  }
  return 0;
}

bool mayRun(const Problem &problem, unsigned group, const Task &task,
            const Part &part) {
  return isEligible(problem, group, task) &&
         leastNeedOf(problem, part) <= problem.engines[group].privateBytes;
}

/// Adds the ways to run the part, and says where they are. Returns nothing on
/// overflow.
static std::optional<PartTable::Shape>
listModes(const Problem &problem, const Task &task, const Part &part,
          const std::vector<int64_t> &lanes, PartTable &table) {
  size_t first = table.modes.size();
  PartTable::Shape shape{&part,    part.workingSetBytes,
                         maxCount, false,
                         0,        task.with.empty() ? nullptr : &task.with,
                         first,    0};
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (!canRun(problem, group, task, part))
      continue;
    size_t row = table.lanes.size();
    table.lanes.resize(row + lanes.size());
    std::optional<int64_t> length = chooseLanes(
        problem, part, part.bytes, problem.engines[group], lanes,
        table.lanes.data() + row);
    if (!length)
      return std::nullopt;
    shape.shortest = std::min(shape.shortest, *length);
    table.modes.push_back({group, *length});
  }
  shape.modesEnd = table.modes.size();
  shape.streams = shape.shortest >
                  part.overheadCycles + part.serialCycles + part.computeCycles;
  return shape;
}

std::optional<PartTable> listParts(const Problem &problem) {
  PartTable table;
  table.resourceCount = problem.resources.size();
  std::vector<int64_t> lanes = allLanes(problem);
  // Most problems have one part for each task, on one group.
  table.first.reserve(problem.tasks.size() + 1);
  table.parts.reserve(problem.tasks.size());
  table.shapes.reserve(problem.tasks.size());
  table.modes.reserve(problem.tasks.size());
  table.lanes.reserve(problem.tasks.size() * table.resourceCount);
  for (unsigned t = 0; t < problem.tasks.size(); ++t) {
    const Task &task = problem.tasks[t];
    table.first.push_back(table.parts.size());
    table.lastCombines.push_back(task.lastCombines);
    unsigned number = 0;
    for (const Part &part : task.parts) {
      std::optional<PartTable::Shape> shape =
          listModes(problem, task, part, lanes, table);
      if (!shape || shape->firstMode == shape->modesEnd)
        return std::nullopt;
      table.hasSources |= !part.sources.empty();
      unsigned index = table.shapes.size();
      table.shapes.push_back(*shape);
      for (int64_t same = 0; same < part.count; ++same)
        table.parts.push_back({t, number++, index});
    }
  }
  table.first.push_back(table.parts.size());
  if (std::any_of(problem.tasks.begin(), problem.tasks.end(),
                  [](const Task &task) { return task.chains.areThere(); }))
    for (const Task &task : problem.tasks)
      table.chains.push_back(task.chains);
  return table;
}

/// How many parts run at once on the groups that can run one of them.
static int64_t teamsFor(const Problem &problem, const Task &task,
                        const std::vector<Part> &parts) {
  int64_t engines = countEngines(problem, [&](unsigned group) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part &part) {
      return mayRun(problem, group, task, part);
    });
  });
  return countTeams(problem, task, engines);
}

std::optional<int64_t> spanOf(const Problem &problem, const Task &task,
                              unsigned choice,
                              const std::vector<int64_t> &cycles) {
  const std::vector<Part> &parts = task.partsOf(choice);
  bool lastCombines = task.lastCombinesOf(choice);
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
    int64_t teams = std::min(teamsFor(problem, task, parts),
                             count / task.chainsOf(choice).length);
    longest = std::max(longest, ceilMulDiv(sum, 1, 1, teams).value_or(0));
  }
  return lastCombines ? checkedAdd(longest, cycles.back())
                      : std::optional<int64_t>(longest);
}

} // namespace mlir::llm::scheduling
