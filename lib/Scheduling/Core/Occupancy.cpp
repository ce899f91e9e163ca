//===- Occupancy.cpp - What is idle and free as time goes by --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Occupancy.h"
#include "Lanes.h"
#include "PartNumbers.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace mlir::llm::scheduling {

Occupancy::Occupancy(const Problem &problem, const Solution &solution)
    : problem(problem), freeLanes(allLanes(problem)) {
  for (const EngineGroup &group : problem.engines)
    groups.push_back({group.count, {}});
  PartNumbers parts(problem);
  for (const Slot &slot : solution.slots) {
    const Part &part = parts.part(slot.task, slot.part);
    hold(slot.start, slot.end, slot.engine, true,
         workingSetWith(part, slot.prefetches), &slot.lanes);
    for (EngineId other : slot.with)
      hold(slot.start, slot.end, other, true, 0, nullptr);
    for (const PrefetchSlot &fetch : slot.prefetches) {
      hold(fetch.start, fetch.end, fetch.engine, true, 0, &fetch.lanes);
      hold(fetch.start, slot.end, slot.engine, false,
           part.sources[fetch.source].sliceBytes, nullptr);
    }
  }
  // What is given back at a moment can be held by another from that moment on.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change &a, const Change &b) {
                     return std::tie(a.time, a.sign) < std::tie(b.time, b.sign);
                   });
}

void Occupancy::hold(int64_t start, int64_t end, EngineId engine,
                     bool takesEngine, int64_t bytes,
                     const std::vector<int64_t> *lanes) {
  if (start == end)
    return;
  size_t number = numberOf(engine);
  changes.push_back({start, 1, number, takesEngine, bytes, lanes});
  changes.push_back({end, -1, number, takesEngine, bytes, lanes});
}

size_t Occupancy::numberOf(EngineId engine) {
  auto [entry, isNew] =
      numbers.try_emplace({engine.group, engine.index}, engines.size());
  if (isNew) {
    int64_t bytes = problem.engines[engine.group].privateBytes;
    engines.push_back({engine.group, bytes});
    --groups[engine.group].unused;
    groups[engine.group].idleFree.insert(bytes);
  }
  return entry->second;
}

void Occupancy::advanceTo(int64_t time) {
  for (; next < changes.size() && changes[next].time < time; ++next) {
    now = changes[next].time;
    apply(changes[next]);
  }
  now = time;
}

void Occupancy::apply(const Change &change) {
  Engine &engine = engines[change.engine];
  Group &group = groups[engine.group];
  countIdleCycles(engine.group);
  if (!engine.isBusy)
    group.idleFree.erase(group.idleFree.find(engine.freeBytes));
  engine.freeBytes -= change.sign * change.bytes;
  if (change.takesEngine)
    engine.isBusy = change.sign > 0;
  if (!engine.isBusy)
    group.idleFree.insert(engine.freeBytes);
  if (change.lanes)
    for (size_t m = 0; m < freeLanes.size(); ++m)
      freeLanes[m] -= change.sign * (*change.lanes)[m];
}

bool Occupancy::isIdle(EngineId engine) const {
  auto entry = numbers.find({engine.group, engine.index});
  return entry == numbers.end() || !engines[entry->second].isBusy;
}

int64_t Occupancy::freeBytes(EngineId engine) const {
  auto entry = numbers.find({engine.group, engine.index});
  return entry == numbers.end() ? problem.engines[engine.group].privateBytes
                                : engines[entry->second].freeBytes;
}

bool Occupancy::areFree(const std::vector<int64_t> &lanes) const {
  return fits(lanes.data(), freeLanes);
}

int64_t Occupancy::countIdle(unsigned group) const {
  return groups[group].unused +
         static_cast<int64_t>(groups[group].idleFree.size());
}

std::optional<int64_t> Occupancy::mostFreeOnIdle(unsigned group) const {
  if (groups[group].unused > 0)
    return problem.engines[group].privateBytes;
  if (groups[group].idleFree.empty())
    return std::nullopt;
  return *groups[group].idleFree.rbegin();
}

void Occupancy::countIdleCycles(unsigned group) {
  groups[group].idleCycles +=
      countIdle(group) * (now - groups[group].countedUpTo);
  groups[group].countedUpTo = now;
}

int64_t Occupancy::takeIdleCycles(unsigned group) {
  countIdleCycles(group);
  return std::exchange(groups[group].idleCycles, 0);
}

} // namespace mlir::llm::scheduling
