//===- Oracle.cpp - A slow second opinion on schedules --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include <algorithm>
#include <set>

namespace mlir::llm::scheduling::test {

std::optional<int64_t> slowLength(const Problem &problem,
                                  const std::vector<int64_t> &bytes,
                                  int64_t fixed, int64_t compute,
                                  const std::vector<int64_t> &lanes,
                                  const EngineGroup &engine) {
  int64_t cycles = compute;
  for (size_t m = 0; m < bytes.size(); ++m) {
    if (bytes[m] > 0 && lanes[m] <= 0)
      return std::nullopt;
    const Resource &from = problem.resources[m];
    while (cycles * lanes[m] * from.bytesPerSecond <
           bytes[m] * from.lanes * problem.clockHz)
      ++cycles;
    if (!engine.portBytesPerSecond.empty())
      while (cycles * engine.portBytesPerSecond[m] < bytes[m] * problem.clockHz)
        ++cycles;
  }
  return fixed + cycles;
}

void dropIdleLanes(const Problem &problem, const std::vector<int64_t> &bytes,
                   int64_t fixed, int64_t compute, std::vector<int64_t> &lanes,
                   const EngineGroup &engine) {
  auto length = slowLength(problem, bytes, fixed, compute, lanes, engine);
  for (int64_t &some : lanes) {
    while (some > 0) {
      --some;
      if (slowLength(problem, bytes, fixed, compute, lanes, engine) == length)
        continue;
      ++some;
      break;
    }
  }
}

int64_t Grid::at(const Row &row, int64_t cycle) {
  return cycle < static_cast<int64_t>(row.size()) ? row[cycle] : 0;
}

void Grid::add(Row &row, int64_t start, int64_t end, int64_t amount) {
  if (static_cast<int64_t>(row.size()) < end)
    row.resize(end, 0);
  for (int64_t cycle = start; cycle < end; ++cycle)
    row[cycle] += amount;
}

bool Grid::engineIsFree(EngineId engine, int64_t start, int64_t end) const {
  auto row = busy.find({engine.group, engine.index});
  for (int64_t cycle = start; row != busy.end() && cycle < end; ++cycle)
    if (at(row->second, cycle) > 0)
      return false;
  return true;
}

bool Grid::lanesAreFree(const std::vector<int64_t> &wanted, int64_t start,
                        int64_t end) const {
  for (size_t m = 0; m < wanted.size(); ++m) {
    auto row = lanes.find(m);
    for (int64_t cycle = start; row != lanes.end() && cycle < end; ++cycle)
      if (at(row->second, cycle) + wanted[m] > problem->resources[m].lanes)
        return false;
  }
  return true;
}

bool Grid::memoryIsFree(EngineId engine, int64_t wanted, int64_t start,
                        int64_t end) const {
  auto row = bytes.find({engine.group, engine.index});
  for (int64_t cycle = start; cycle < end; ++cycle) {
    int64_t held = row == bytes.end() ? 0 : at(row->second, cycle);
    if (held + wanted > problem->engines[engine.group].privateBytes)
      return false;
  }
  return true;
}

void Grid::takeEngine(EngineId engine, int64_t start, int64_t end) {
  add(busy[{engine.group, engine.index}], start, end, 1);
}

void Grid::takeLanes(const std::vector<int64_t> &some, int64_t start,
                     int64_t end) {
  for (size_t m = 0; m < some.size(); ++m)
    add(lanes[m], start, end, some[m]);
}

void Grid::takeMemory(EngineId engine, int64_t some, int64_t start,
                      int64_t end) {
  add(bytes[{engine.group, engine.index}], start, end, some);
}

int64_t needOf(const Part &part, const Slot &slot) {
  int64_t bytes = part.workingSetBytes;
  for (unsigned source = 0; source < part.sources.size(); ++source)
    for (const PrefetchSlot &fetch : slot.prefetches)
      if (fetch.source == source)
        bytes -= part.sources[source].stagingBytes;
  return bytes;
}

static bool engineFits(const Problem &problem, EngineId engine,
                       EngineKindSet kinds,
                       std::optional<unsigned> group = std::nullopt) {
  return engine.group < problem.engines.size() && engine.index >= 0 &&
         engine.index < problem.engines[engine.group].count &&
         problem.engines[engine.group].kinds.containsAll(kinds) &&
         (!group || *group == engine.group);
}

/// Times, length and lanes of a part or a fetch on an engine that exists; takes
/// the engine and the lanes.
static bool runIsValid(const Problem &problem, Grid &grid, EngineId engine,
                       int64_t start, int64_t end,
                       const std::vector<int64_t> &lanes,
                       const std::vector<int64_t> &bytes, int64_t fixed,
                       int64_t compute) {
  if (start < 0 || end < start || lanes.size() != bytes.size())
    return false;
  const EngineGroup &group = problem.engines[engine.group];
  for (size_t m = 0; m < lanes.size(); ++m)
    if (lanes[m] < 0 || lanes[m] > group.portLanes[m])
      return false;
  if (slowLength(problem, bytes, fixed, compute, lanes, group) != end - start)
    return false;
  std::vector<int64_t> fewest = lanes;
  dropIdleLanes(problem, bytes, fixed, compute, fewest, group);
  if (fewest != lanes || !grid.engineIsFree(engine, start, end) ||
      !grid.lanesAreFree(lanes, start, end))
    return false;
  grid.takeEngine(engine, start, end);
  grid.takeLanes(lanes, start, end);
  return true;
}

/// The other engines that a part holds; takes them.
static bool othersAreValid(const Problem &problem, Grid &grid, const Task &task,
                           const Slot &slot) {
  if (slot.with.size() != task.with.size())
    return false;
  for (size_t i = 0; i < slot.with.size(); ++i) {
    if (!engineFits(problem, slot.with[i], {}, task.with[i]) ||
        !grid.engineIsFree(slot.with[i], slot.start, slot.end))
      return false;
    grid.takeEngine(slot.with[i], slot.start, slot.end);
  }
  return true;
}

EngineKindSet leftOf(const Problem &problem, const Task &task) {
  EngineKindSet left;
  for (EngineKind kind : allEngineKinds) {
    bool isElsewhere = false;
    for (unsigned group : task.with)
      isElsewhere |= problem.engines[group].kinds.contains(kind);
    if (task.kinds.contains(kind) && !isElsewhere)
      left.insert(kind);
  }
  return left;
}

static bool slotIsValid(const Problem &problem, Grid &grid, const Slot &slot) {
  const Task &task = problem.tasks[slot.task];
  const Part &part = task.parts[slot.part];
  if (!engineFits(problem, slot.engine, leftOf(problem, task), task.group) ||
      slot.start < 0 || slot.end < slot.start ||
      !othersAreValid(problem, grid, task, slot))
    return false;
  std::vector<int64_t> left = part.bytes;
  std::set<unsigned> fetched;
  for (const PrefetchSlot &fetch : slot.prefetches) {
    if (fetch.source >= part.sources.size() ||
        !fetched.insert(fetch.source).second ||
        !engineFits(problem, fetch.engine, EngineKind::Memory) ||
        fetch.end > slot.start)
      return false;
    const Source &source = part.sources[fetch.source];
    if (!runIsValid(problem, grid, fetch.engine, fetch.start, fetch.end,
                    fetch.lanes, source.bytes, 0, 0) ||
        !grid.memoryIsFree(slot.engine, source.sliceBytes, fetch.start,
                           slot.end))
      return false;
    grid.takeMemory(slot.engine, source.sliceBytes, fetch.start, slot.end);
    for (size_t m = 0; m < left.size(); ++m)
      left[m] -= source.bytes[m];
  }
  if (!runIsValid(problem, grid, slot.engine, slot.start, slot.end, slot.lanes,
                  left, part.overheadCycles + part.serialCycles,
                  part.computeCycles) ||
      !grid.memoryIsFree(slot.engine, needOf(part, slot), slot.start, slot.end))
    return false;
  grid.takeMemory(slot.engine, needOf(part, slot), slot.start, slot.end);
  return true;
}

Problem spellOut(const Problem &problem, const Solution &solution) {
  Problem spelled = problem;
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    const Task &task = problem.tasks[i];
    unsigned choice = solution.choices.empty() ? 0 : solution.choices[i];
    Task &own = spelled.tasks[i];
    const std::vector<Part> &parts =
        choice == 0 ? task.parts : task.alternatives[choice - 1].parts;
    own.lastCombines = choice == 0 ? task.lastCombines
                                   : task.alternatives[choice - 1].lastCombines;
    own.chains =
        choice == 0 ? task.chains : task.alternatives[choice - 1].chains;
    own.alternatives.clear();
    own.parts.clear();
    for (const Part &part : parts)
      for (int64_t same = 0; same < part.count; ++same) {
        own.parts.push_back(part);
        own.parts.back().count = 1;
      }
  }
  return spelled;
}

unsigned beforeInChain(const Task &task, unsigned part) {
  int64_t place = 0, left = part / task.chains.stride;
  for (; left > 0; --left)
    place = place + 1 == task.chains.length ? 0 : place + 1;
  return place == 0 ? part : part - task.chains.stride;
}

bool isValidByCounting(const Problem &given, const Solution &solution) {
  for (size_t i = 0; i < solution.choices.size(); ++i)
    if (i >= given.tasks.size() ||
        solution.choices[i] > given.tasks[i].alternatives.size())
      return false;
  if (!solution.choices.empty() &&
      solution.choices.size() != given.tasks.size())
    return false;
  Problem problem = spellOut(given, solution);
  std::map<std::pair<unsigned, unsigned>, const Slot *> slotOf;
  size_t parts = 0;
  for (const Task &task : problem.tasks)
    parts += task.parts.size();
  int64_t makespan = 0;
  for (const Slot &slot : solution.slots) {
    if (slot.task >= problem.tasks.size() ||
        slot.part >= problem.tasks[slot.task].parts.size() ||
        !slotOf.insert({{slot.task, slot.part}, &slot}).second)
      return false;
    makespan = std::max(makespan, slot.end);
  }
  if (slotOf.size() != parts || makespan != solution.makespan)
    return false;

  for (const auto &[key, slot] : slotOf)
    for (unsigned predecessor : problem.tasks[key.first].predecessors)
      for (unsigned p = 0; p < problem.tasks[predecessor].parts.size(); ++p)
        if (slot->start < slotOf.at({predecessor, p})->end)
          return false;

  for (const auto &[key, slot] : slotOf) {
    const Part &part = problem.tasks[key.first].parts[key.second];
    for (const PrefetchSlot &fetch : slot->prefetches) {
      if (fetch.source >= part.sources.size())
        return false;
      for (unsigned writer : part.sources[fetch.source].predecessors)
        for (unsigned p = 0; p < problem.tasks[writer].parts.size(); ++p)
          if (fetch.start < slotOf.at({writer, p})->end)
            return false;
    }
  }

  for (const auto &[key, slot] : slotOf) {
    const Task &task = problem.tasks[key.first];
    for (unsigned p = 0; p + 1 < task.parts.size(); ++p)
      if (task.lastCombines && key.second + 1 == task.parts.size() &&
          slot->start < slotOf.at({key.first, p})->end)
        return false;
  }

  for (const auto &[key, slot] : slotOf) {
    unsigned before = beforeInChain(problem.tasks[key.first], key.second);
    if (before != key.second &&
        slot->start < slotOf.at({key.first, before})->end)
      return false;
  }

  Grid grid(problem);
  for (const Slot &slot : solution.slots)
    if (!slotIsValid(problem, grid, slot))
      return false;
  return true;
}

} // namespace mlir::llm::scheduling::test
