//===- Machine.cpp - Engines and lanes as time goes by --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Lanes.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

static void release(const std::vector<int64_t> &lanes,
                    std::vector<int64_t> &free) {
  for (size_t m = 0; m < lanes.size(); ++m)
    free[m] += lanes[m];
}

static bool computes(const EngineGroup &engine) {
  return engine.kinds.contains(EngineKind::Matrix) ||
         engine.kinds.contains(EngineKind::Vector);
}

/// Engines beyond the number of parts are never used: half of those is no
/// choice.
static int64_t usefulCount(const EngineGroup &engine, const PartTable &table) {
  return std::min<int64_t>(engine.count,
                           std::max<size_t>(table.parts.size(), 1));
}

Machine::Machine(const Problem &problem, const PartTable &table,
                 unsigned halvings)
    : table(table), free(allLanes(problem)) {
  for (const EngineGroup &engine : problem.engines) {
    Group group;
    group.count = usefulCount(engine, table);
    if (computes(engine))
      group.count = std::max<int64_t>(group.count >> halvings, 1);
    groups.push_back(std::move(group));
  }
  solution.slots.resize(table.parts.size());
}

unsigned Machine::mostHalvings(const Problem &problem, const PartTable &table) {
  unsigned halvings = 0;
  for (const EngineGroup &engine : problem.engines)
    if (computes(engine))
      while (usefulCount(engine, table) >> halvings > 1)
        ++halvings;
  return halvings;
}

bool Machine::isIdle(unsigned group) const {
  return !groups[group].idle.empty() ||
         groups[group].touched < groups[group].count;
}

int64_t Machine::nextIdle(unsigned group) const {
  return isIdle(group) ? time : groups[group].ends.top();
}

std::optional<int64_t> Machine::nextEnd() const {
  if (running.empty())
    return std::nullopt;
  return running.begin()->first;
}

int64_t Machine::whenFree(const std::vector<int64_t> &lanes,
                          int64_t from) const {
  std::vector<int64_t> later = free;
  for (auto [end, part] : running) {
    if (fits(lanes, later))
      break;
    release(solution.slots[part].lanes, later);
    from = std::max(from, end);
  }
  return from;
}

std::optional<Machine::Relief>
Machine::nextRelief(const std::vector<int64_t> &wanted) const {
  constexpr unsigned farthest = 16;
  auto helps = [&](const std::vector<int64_t> &lanes) {
    for (size_t m = 0; m < lanes.size(); ++m)
      if (lanes[m] > 0 && free[m] < wanted[m])
        return true;
    return false;
  };
  Relief relief{0, free};
  bool found = false;
  unsigned steps = 0;
  for (auto [end, part] : running) {
    if (found ? end != relief.time : ++steps > farthest)
      break;
    const std::vector<int64_t> &lanes = solution.slots[part].lanes;
    release(lanes, relief.free);
    relief.time = end;
    found |= helps(lanes);
  }
  if (!found)
    return std::nullopt;
  return relief;
}

std::vector<size_t> Machine::advanceTo(int64_t to) {
  std::vector<size_t> ended;
  time = to;
  while (!running.empty() && running.begin()->first <= to) {
    size_t part = running.begin()->second;
    running.erase(running.begin());
    const Slot &slot = solution.slots[part];
    Group &group = groups[slot.engine.group];
    group.ends.pop();
    group.idle.push(slot.engine.index);
    release(slot.lanes, free);
    ended.push_back(part);
  }
  return ended;
}

int64_t Machine::takeEngine(Group &group) {
  if (group.idle.empty())
    return group.touched++;
  int64_t index = group.idle.top();
  group.idle.pop();
  return index;
}

bool Machine::start(size_t part, unsigned group, const LaneChoice &choice) {
  std::optional<int64_t> end = checkedAdd(time, choice.length);
  if (!end)
    return false;
  Slot &slot = solution.slots[part];
  slot.task = table.parts[part].task;
  slot.part = table.parts[part].part;
  slot.engine.group = group;
  slot.start = time;
  slot.end = *end;
  slot.lanes = choice.lanes;
  solution.makespan = std::max(solution.makespan, *end);
  if (choice.length == 0)
    return true;
  slot.engine.index = takeEngine(groups[group]);
  groups[group].ends.push(*end);
  running.insert({*end, part});
  for (size_t m = 0; m < free.size(); ++m)
    free[m] -= choice.lanes[m];
  return true;
}

Solution Machine::takeSolution() { return std::move(solution); }

} // namespace mlir::llm::scheduling
