//===- MachineState.cpp - Engines and lanes as time goes by ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"
#include "Core/Lanes.h"
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

/// Returns how many engines of the group can be of use. Engines beyond the
/// number of parts are never used, so to halve these changes nothing.
static int64_t usefulCount(const EngineGroup &engine, const PartTable &table) {
  return std::min<int64_t>(engine.count,
                           std::max<size_t>(table.parts.size(), 1));
}

MachineState::Group::Group(int64_t count) : count(count), idle(count) {
  for (int64_t index = 0; index < count; ++index)
    idle.insert(index);
}

MachineState::MachineState(const Problem &problem, const PartTable &table,
                           unsigned halvings, Solution spare)
    : problem(problem), table(table), free(allLanes(problem)),
      solution(std::move(spare)) {
  for (const EngineGroup &engine : problem.engines) {
    int64_t count = usefulCount(engine, table);
    if (computes(engine))
      count = std::max<int64_t>(count >> halvings, 1);
    groups.emplace_back(count);
  }
  solution.makespan = 0;
  solution.choices.clear();
  for (Slot &slot : solution.slots) {
    slot.prefetches.clear();
    slot.with.clear();
  }
  solution.slots.resize(table.parts.size());
}

unsigned MachineState::mostHalvings(const Problem &problem,
                                    const PartTable &table) {
  unsigned halvings = 0;
  for (const EngineGroup &engine : problem.engines)
    if (computes(engine))
      while (usefulCount(engine, table) >> halvings > 1)
        ++halvings;
  return halvings;
}

int64_t MachineState::idleComputeEngines() const {
  int64_t idle = 0;
  for (size_t group = 0; group < groups.size(); ++group)
    if (computes(problem.engines[group]))
      idle += idleOf(group);
  return idle;
}

int64_t MachineState::nextIdle(unsigned group) const {
  return isIdle(group) ? time : groups[group].ends.top();
}

int64_t MachineState::nextIdle(unsigned group,
                               const std::vector<unsigned> *with) const {
  int64_t next = nextIdle(group);
  if (with)
    for (unsigned other : *with)
      next = std::max(next, nextIdle(other));
  return next;
}

bool MachineState::areIdle(const std::vector<unsigned> *with) const {
  return !with || std::all_of(with->begin(), with->end(),
                              [&](unsigned group) { return isIdle(group); });
}

std::optional<int64_t> MachineState::nextEnd() const {
  if (running.empty())
    return std::nullopt;
  return running.front().end;
}

const std::vector<int64_t> &MachineState::lanesOf(const Running &run) const {
  const Slot &slot = solution.slots[run.part];
  return run.fetch < 0 ? slot.lanes : slot.prefetches[run.fetch].lanes;
}

EngineId MachineState::engineOf(const Running &run) const {
  const Slot &slot = solution.slots[run.part];
  return run.fetch < 0 ? slot.engine : slot.prefetches[run.fetch].engine;
}

int64_t MachineState::whenFree(const int64_t *lanes, int64_t from) const {
  if (fits(lanes, free))
    return from;
  std::vector<int64_t> later = free;
  for (const Running &run : running) {
    if (fits(lanes, later))
      break;
    release(lanesOf(run), later);
    from = std::max(from, run.end);
  }
  return from;
}

std::optional<int64_t>
MachineState::nextRelief(const int64_t *wanted,
                         std::vector<int64_t> &freeThen) const {
  constexpr unsigned farthest = 16;
  auto helps = [&](const std::vector<int64_t> &lanes) {
    for (size_t m = 0; m < lanes.size(); ++m)
      if (lanes[m] > 0 && free[m] < wanted[m])
        return true;
    return false;
  };
  freeThen = free;
  int64_t relief = 0;
  bool found = false;
  unsigned steps = 0;
  for (const Running &run : running) {
    if (found ? run.end != relief : ++steps > farthest)
      break;
    const std::vector<int64_t> &lanes = lanesOf(run);
    release(lanes, freeThen);
    relief = run.end;
    found |= helps(lanes);
  }
  if (!found)
    return std::nullopt;
  return relief;
}

const Ended &MachineState::advanceTo(int64_t to) {
  ended.parts.clear();
  ended.fetched.clear();
  time = to;
  while (!running.empty() && running.front().end <= to) {
    Running run = running.front();
    running.pop_front();
    EngineId engine = engineOf(run);
    giveBackEngine(engine);
    release(lanesOf(run), free);
    if (run.fetch >= 0) {
      ended.fetched.push_back(run.part);
      continue;
    }
    ended.parts.push_back(run.part);
    for (EngineId other : solution.slots[run.part].with)
      giveBackEngine(other);
    Group &group = groups[engine.group];
    if (static_cast<size_t>(engine.index) >= group.rooms.size())
      continue;
    Room &room = group.rooms[engine.index];
    room.running = 0;
    auto [first, last] = room.slices.equal_range(run.part);
    for (auto slice = first; slice != last; ++slice) {
      auto [address, bytes] = slice->second;
      room.fetched -= bytes;
      room.ranges.giveBack(address, bytes);
    }
    room.slices.erase(first, last);
  }
  return ended;
}

int64_t MachineState::fetchedBytes(EngineId engine) const {
  const std::vector<Room> &rooms = groups[engine.group].rooms;
  return static_cast<size_t>(engine.index) < rooms.size()
             ? rooms[engine.index].fetched
             : 0;
}

int64_t MachineState::runningBytes(EngineId engine) const {
  const std::vector<Room> &rooms = groups[engine.group].rooms;
  return static_cast<size_t>(engine.index) < rooms.size()
             ? rooms[engine.index].running
             : 0;
}

int64_t MachineState::topOfSlices(EngineId engine, int64_t sliceBytes) const {
  const std::vector<Room> &rooms = groups[engine.group].rooms;
  if (static_cast<size_t>(engine.index) >= rooms.size())
    return sliceBytes;
  const FreeRanges &ranges = rooms[engine.index].ranges;
  return std::max(ranges.top(), ranges.lowestFor(sliceBytes) + sliceBytes);
}

MachineState::Room &MachineState::roomOf(EngineId engine) {
  std::vector<Room> &rooms = groups[engine.group].rooms;
  if (static_cast<size_t>(engine.index) >= rooms.size())
    rooms.resize(engine.index + 1);
  return rooms[engine.index];
}

std::optional<EngineId> MachineState::findIdle(unsigned group,
                                               int64_t workingSetBytes) {
  Group &of = groups[group];
  int64_t most = problem.engines[group].privateBytes - workingSetBytes;
  for (size_t index = of.idle.next(0); index != IndexSet::none;
       index = of.idle.next(index + 1)) {
    EngineId engine{group, static_cast<int64_t>(index)};
    if (topOfSlices(engine, 0) <= most)
      return engine;
  }
  return std::nullopt;
}

void MachineState::enqueue(Running run) {
  running.insert(std::upper_bound(running.begin(), running.end(), run), run);
}

void MachineState::takeEngine(EngineId engine, int64_t end) {
  Group &group = groups[engine.group];
  group.idle.erase(engine.index);
  group.ends.push(end);
}

/// Gives back the engine of its group that ends first.
void MachineState::giveBackEngine(EngineId engine) {
  Group &group = groups[engine.group];
  group.ends.pop();
  group.idle.insert(engine.index);
}

void MachineState::takeLanes(const std::vector<int64_t> &lanes) {
  for (size_t m = 0; m < free.size(); ++m)
    free[m] -= lanes[m];
}

bool MachineState::start(size_t part, EngineId engine, int64_t length,
                         const int64_t *lanes) {
  std::optional<int64_t> end = checkedAdd(time, length);
  if (!end)
    return false;
  Slot &slot = solution.slots[part];
  slot.task = table.parts[part].task;
  slot.part = table.parts[part].part;
  slot.engine = engine;
  slot.start = time;
  slot.end = *end;
  slot.lanes.assign(lanes, lanes + free.size());
  solution.makespan = std::max(solution.makespan, *end);
  const PartTable::Shape &shape = table.shapeOf(part);
  // A part with slices has an end at which they make room, even if that is now.
  bool occupies = length > 0 || !slot.prefetches.empty();
  if (shape.with)
    for (unsigned group : *shape.with) {
      int64_t index = occupies ? groups[group].idle.next(0) : 0;
      slot.with.push_back({group, index});
      if (occupies)
        takeEngine(slot.with.back(), *end);
    }
  if (!occupies)
    return true;
  takeEngine(engine, *end);
  enqueue({*end, part, -1});
  takeLanes(slot.lanes);
  roomOf(engine).running =
      slot.prefetches.empty()
          ? shape.workingSetBytes
          : workingSetWith(table.partOf(part), slot.prefetches);
  return true;
}

bool MachineState::fetch(size_t part, unsigned source, EngineId target,
                         unsigned group, LaneChoice choice) {
  std::optional<int64_t> end = checkedAdd(time, choice.length);
  std::optional<EngineId> engine = findIdle(group, 0);
  if (!end || !engine)
    return false;
  std::vector<PrefetchSlot> &fetches = solution.slots[part].prefetches;
  takeEngine(*engine, *end);
  enqueue({*end, part, static_cast<int>(fetches.size())});
  takeLanes(choice.lanes);
  fetches.push_back({source, *engine, time, *end, std::move(choice.lanes)});
  int64_t bytes = table.partOf(part).sources[source].sliceBytes;
  Room &room = roomOf(target);
  room.fetched += bytes;
  if (bytes > 0)
    room.slices.insert({part, {room.ranges.takeLowest(bytes), bytes}});
  return true;
}

Solution MachineState::takeSolution() { return std::move(solution); }

} // namespace mlir::llm::scheduling
