//===- Prefetcher.cpp - Sources ahead of the parts that read them ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefetcher.h"
#include "Lanes.h"

#include <algorithm>

namespace mlir::llm::scheduling {

Prefetcher::Prefetcher(const Problem &problem, const Plan &plan,
                       Machine &machine)
    : problem(problem), plan(plan), machine(machine) {
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    if (problem.engines[group].kinds.contains(EngineKind::Memory))
      queues.push_back(group);
  if (queues.empty())
    return;
  states.resize(plan.table.parts.size());
  windows.resize(problem.engines.size());
}

void Prefetcher::Window::push(size_t position, int64_t bytes) {
  while (!greatest.empty() && greatest.back().second <= bytes)
    greatest.pop_back();
  greatest.push_back({position, bytes});
}

int64_t Prefetcher::Window::from(size_t position) {
  while (!greatest.empty() && greatest.front().first < position)
    greatest.pop_front();
  return greatest.empty() ? 0 : greatest.front().second;
}

void Prefetcher::widen(size_t position) {
  for (; behindWindow <= position; ++behindWindow) {
    size_t part = plan.order[behindWindow].part;
    const PartModes &modes = plan.table.modesOf(part);
    if (modes.shortest() == 0)
      continue; // it occupies nothing
    int64_t bytes = plan.table.partOf(part).workingSetBytes;
    for (const Mode &mode : modes.modes)
      windows[mode.group].push(behindWindow, bytes);
  }
}

void Prefetcher::noteStart(size_t part) {
  if (states.empty())
    return;
  states[part].hasStarted = true;
  while (firstUnstarted < plan.order.size() &&
         states[plan.order[firstUnstarted].part].hasStarted)
    ++firstUnstarted;
}

std::optional<unsigned> Prefetcher::idleQueue() const {
  for (unsigned group : queues)
    if (machine.isIdle(group))
      return group;
  return std::nullopt;
}

std::vector<int64_t> Prefetcher::bytesLeft(size_t part) const {
  const Part &numbers = plan.table.partOf(part);
  std::vector<int64_t> bytes = numbers.bytes;
  for (const PrefetchSlot &fetch : machine.fetchesOf(part))
    for (size_t m = 0; m < bytes.size(); ++m)
      bytes[m] -= numbers.sources[fetch.source].bytes[m];
  return bytes;
}

std::optional<LaneChoice>
Prefetcher::shortest(size_t part, unsigned group,
                     const std::vector<int64_t> &bytes,
                     const std::vector<int64_t> &lanes) const {
  const Part &numbers = plan.table.partOf(part);
  return chooseLanes(problem, bytes,
                     numbers.overheadCycles + numbers.serialCycles,
                     numbers.computeCycles, problem.engines[group], lanes);
}

std::optional<unsigned> Prefetcher::nextSource(size_t part,
                                               unsigned group) const {
  const std::vector<Source> &sources = plan.table.partOf(part).sources;
  std::vector<int64_t> bytes = bytesLeft(part), lanes = allLanes(problem);
  std::optional<LaneChoice> now = shortest(part, group, bytes, lanes);
  std::optional<unsigned> best;
  int64_t least = now ? now->length : 0;
  for (unsigned source = 0; source < sources.size(); ++source) {
    const std::vector<PrefetchSlot> &fetches = machine.fetchesOf(part);
    if (std::any_of(
            fetches.begin(), fetches.end(),
            [&](const PrefetchSlot &fetch) { return fetch.source == source; }))
      continue;
    std::vector<int64_t> left = bytes;
    for (size_t m = 0; m < left.size(); ++m)
      left[m] -= sources[source].bytes[m];
    std::optional<LaneChoice> with = shortest(part, group, left, lanes);
    if (!with || with->length >= least)
      continue;
    least = with->length;
    best = source;
  }
  return best;
}

bool Prefetcher::hasRoom(EngineId engine, int64_t bytes) {
  int64_t beside = std::max(windows[engine.group].from(firstUnstarted),
                            machine.runningBytes(engine));
  int64_t room = problem.engines[engine.group].privateBytes -
                 machine.fetchedBytes(engine) - beside;
  return bytes <= room;
}

std::optional<EngineId> Prefetcher::chooseTarget(size_t part, int64_t bytes) {
  std::optional<EngineId> best;
  for (const Mode &mode : plan.table.modesOf(part).modes) {
    for (int64_t index = 0; index < machine.countOf(mode.group); ++index) {
      EngineId engine{mode.group, index};
      if (hasRoom(engine, bytes) &&
          (!best || machine.fetchedBytes(engine) < machine.fetchedBytes(*best)))
        best = engine;
    }
  }
  return best;
}

bool Prefetcher::startFetches(std::vector<size_t> &waiting) {
  if (queues.empty())
    return true;
  std::vector<int64_t> lanes = allLanes(problem);
  next = std::max(next, firstUnstarted);
  while (next < plan.order.size()) {
    std::optional<unsigned> queue = idleQueue();
    if (!queue)
      return true;
    size_t part = plan.order[next].part;
    State &state = states[part];
    std::optional<unsigned> source;
    if (!state.hasStarted)
      source = nextSource(
          part, state.target ? state.target->group
                             : plan.table.modesOf(part).modes.front().group);
    if (!source) {
      ++next;
      continue;
    }
    const Source &numbers = plan.table.partOf(part).sources[*source];
    auto fetchWith = [&](const std::vector<int64_t> &available) {
      return chooseLanes(problem, numbers.bytes, 0, 0, problem.engines[*queue],
                         available);
    };
    std::optional<LaneChoice> now = fetchWith(machine.freeLanes());
    std::optional<LaneChoice> alone = fetchWith(lanes);
    // A fetch with few lanes would hold the queue, and its part, for long.
    if (!now || !alone || now->length > 2 * alone->length)
      return true;
    widen(next);
    std::optional<EngineId> target = state.target;
    if (target ? !hasRoom(*target, numbers.sliceBytes)
               : !(target = chooseTarget(part, numbers.sliceBytes)))
      return true;
    if (!machine.fetch(part, *source, *target, *queue, *now))
      return false;
    state.target = target;
    ++state.inFlight;
    waiting.push_back(part);
  }
  return true;
}

} // namespace mlir::llm::scheduling
