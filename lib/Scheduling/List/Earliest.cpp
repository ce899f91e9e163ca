//===- Earliest.cpp - In program order, as early as possible --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core/Graph.h"
#include "MachineState.h"
#include "llm/Scheduling/Solvers.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

namespace {
struct Placement {
  const Mode *mode = nullptr;
  int64_t start = 0, end = 0;
};
} // namespace

/// Finds the placement that ends first if the part may start at `ready`. The
/// first mode wins ties.
static std::optional<Placement> findPlacement(const MachineState &machine,
                                              const PartTable &table,
                                              size_t part, int64_t ready) {
  Placement best;
  for (const Mode &mode : table.modesOf(part)) {
    int64_t start = ready;
    if (mode.length > 0) {
      int64_t idle = machine.nextIdle(mode.group, table.shapeOf(part).with);
      start = machine.whenFree(table.lanesOf(mode), std::max(ready, idle));
    }
    std::optional<int64_t> end = checkedAdd(start, mode.length);
    if (end && (!best.mode || *end < best.end))
      best = {&mode, start, *end};
  }
  if (!best.mode)
    return std::nullopt;
  return best;
}

std::optional<Solution> scheduleEarliest(const Problem &problem) {
  std::optional<PartTable> table = listParts(problem);
  std::vector<unsigned> order = topologicalOrder(problem);
  if (!table || order.size() != problem.tasks.size())
    return std::nullopt;

  MachineState machine(problem, *table);
  std::vector<int64_t> taskEnds(problem.tasks.size(), 0);
  for (unsigned task : order) {
    int64_t ready = machine.now();
    for (unsigned predecessor : problem.tasks[task].predecessors)
      ready = std::max(ready, taskEnds[predecessor]);
    for (size_t part = table->first[task]; part < table->first[task + 1];
         ++part) {
      if (table->combines(part))
        ready = std::max(ready, taskEnds[task]);
      else if (!table->isFree(part))
        ready = std::max(
            ready, machine.endOf(part - problem.tasks[task].chains.stride));
      std::optional<Placement> placement =
          findPlacement(machine, *table, part, ready);
      if (!placement)
        return std::nullopt;
      // No part starts before one that is ahead of it, so later parts are ready
      // at this start or later.
      ready = placement->start;
      machine.advanceTo(ready);
      unsigned group = placement->mode->group;
      EngineId engine = machine.findIdle(group, 0).value_or(EngineId{group, 0});
      if (!machine.start(part, engine, placement->mode->length,
                         table->lanesOf(*placement->mode)))
        return std::nullopt;
      taskEnds[task] = std::max(taskEnds[task], placement->end);
    }
  }
  return machine.takeSolution();
}

} // namespace mlir::llm::scheduling
