//===- Prefetcher.cpp - Sources ahead of the parts that read them ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prefetcher.h"
#include "Core/Lanes.h"

#include <algorithm>

namespace mlir::llm::scheduling {

Prefetcher::Prefetcher(const Problem &problem, const Plan &plan,
                       MachineState &machine, const ListOptions &options)
    : problem(problem), plan(plan), machine(machine), options(options),
      lanes(allLanes(problem)) {
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    if (problem.engines[group].kinds.contains(EngineKind::Memory))
      queues.push_back(group);
  if (queues.empty())
    return;
  hasEnded.resize(problem.tasks.size(), false);
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

void Prefetcher::skip() {
  size_t part = plan.order[next];
  const PartTable::Shape &shape = plan.table.shapeOf(part);
  const State &state = states[part];
  // The windows are only of parts that take time, have not started and have
  // nothing fetched.
  if (!state.hasStarted && !state.target && shape.shortest > 0)
    for (const Mode &mode : plan.table.modesOf(shape))
      windows[mode.group].push(next, shape.workingSetBytes);
  ++next;
  loadAhead();
}

void Prefetcher::loadAhead() const {
  // Each step needs what the one before it has loaded.
  constexpr size_t step = 4;
  if (plan.order.size() - next <= 4 * step)
    return;
  auto shapeAt = [&](size_t steps) -> const PartTable::Shape & {
    return plan.table.shapeOf(plan.order[next + steps * step]);
  };
  size_t part = plan.order[next + 4 * step];
  __builtin_prefetch(&plan.table.parts[part]);
  __builtin_prefetch(&states[part]);
  __builtin_prefetch(&shapeAt(3));
  __builtin_prefetch(&shapeAt(2).part->bytes);
  const std::vector<Source> &sources = shapeAt(1).part->sources;
  if (sources.empty())
    return;
  __builtin_prefetch(&sources.front());
  __builtin_prefetch(&sources.front().sliceBytes);
}

void Prefetcher::noteStart(size_t part) {
  if (states.empty())
    return;
  State &state = states[part];
  state.hasStarted = true;
  if (state.target) {
    auto &of = needs[{state.target->group, state.target->index}];
    of.erase(of.find(state.need));
  }
  while (firstUnstarted < plan.order.size() &&
         states[plan.order[firstUnstarted]].hasStarted)
    ++firstUnstarted;
}

void Prefetcher::noteFetched(size_t part) {
  State &state = states[part];
  --state.inFlight;
  arrivals[{state.target->group, state.target->index}].erase(
      {machine.now(), part});
}

std::optional<int64_t>
Prefetcher::nextArrival(EngineId engine,
                        const std::vector<bool> &forParts) const {
  auto known = arrivals.find({engine.group, engine.index});
  if (known != arrivals.end())
    for (auto [end, part] : known->second)
      if (forParts[part])
        return end;
  return std::nullopt;
}

std::optional<unsigned> Prefetcher::idleQueue() const {
  for (unsigned group : queues)
    if (machine.isIdle(group))
      return group;
  return std::nullopt;
}

void Prefetcher::findBytesLeft(size_t part, std::vector<int64_t> &bytes) const {
  const Part &numbers = plan.table.partOf(part);
  bytes = numbers.bytes;
  for (const PrefetchSlot &fetch : machine.fetchesOf(part))
    for (size_t m = 0; m < bytes.size(); ++m)
      bytes[m] -= numbers.sources[fetch.source].bytes[m];
}

const std::vector<unsigned> &Prefetcher::sourcesWorthFetching(size_t part,
                                                              unsigned group) {
  std::vector<unsigned> &order = worthFetching;
  std::pair<unsigned, unsigned> asked{plan.table.parts[part].shape, group};
  if (worthFor == asked)
    return order;
  worthFor = asked;
  order.clear();
  const Part &numbers = plan.table.partOf(part);
  left = numbers.bytes;
  auto take = [&](unsigned source, int64_t times) {
    for (size_t m = 0; m < left.size(); ++m)
      left[m] -= times * numbers.sources[source].bytes[m];
  };
  auto length = [&] {
    return shortestLength(problem, numbers, left, problem.engines[group],
                          lanes);
  };
  int64_t least = length().value_or(0);
  while (least > 0 && order.size() < numbers.sources.size()) {
    std::optional<unsigned> best;
    for (unsigned source = 0; source < numbers.sources.size(); ++source) {
      if (std::find(order.begin(), order.end(), source) != order.end())
        continue;
      take(source, 1);
      std::optional<int64_t> with = length();
      take(source, -1);
      if (!with || *with >= least)
        continue;
      least = *with;
      best = source;
    }
    if (!best)
      break;
    order.push_back(*best);
    take(*best, 1);
  }
  return order;
}

std::optional<unsigned> Prefetcher::nextSource(size_t part) {
  if (states[part].hasStarted)
    return std::nullopt;
  const std::vector<Source> &sources = plan.table.partOf(part).sources;
  if (sources.empty())
    return std::nullopt;
  const std::optional<EngineId> &target = states[part].target;
  unsigned group =
      target ? target->group : plan.table.modesOf(part).front().group;
  const Habit &habit = options.habitOf(plan.table.parts[part].task);
  if (habit.fetchesOne && target)
    return std::nullopt;
  auto wasFetched = [&](unsigned source) {
    if (!target)
      return false;
    const std::vector<PrefetchSlot> &fetches = machine.fetchesOf(part);
    return std::any_of(
        fetches.begin(), fetches.end(),
        [&](const PrefetchSlot &fetch) { return fetch.source == source; });
  };
  bool waits = habit.waitsForSources;
  for (unsigned source : sourcesWorthFetching(part, group))
    if ((waits || isThere(sources[source])) && !wasFetched(source))
      return source;
  return std::nullopt;
}

bool Prefetcher::isThere(const Source &source) const {
  return std::all_of(source.predecessors.begin(), source.predecessors.end(),
                     [&](unsigned task) { return hasEnded[task]; });
}

int64_t Prefetcher::needWith(size_t part, unsigned source) const {
  const Part &numbers = plan.table.partOf(part);
  int64_t now = workingSetWith(numbers, machine.fetchesOf(part));
  return std::max<int64_t>(0, now - numbers.sources[source].stagingBytes);
}

bool Prefetcher::hasRoom(EngineId engine, size_t part, unsigned source) {
  auto bound = needs.find({engine.group, engine.index});
  int64_t beside =
      std::max({windows[engine.group].from(firstUnstarted),
                machine.runningBytes(engine), needWith(part, source)});
  if (bound != needs.end() && !bound->second.empty())
    beside = std::max(beside, *bound->second.rbegin());
  int64_t slice = plan.table.partOf(part).sources[source].sliceBytes;
  return machine.topOfSlices(engine, slice) <=
         problem.engines[engine.group].privateBytes - beside;
}

void Prefetcher::bind(size_t part, EngineId engine, int64_t need) {
  auto &of = needs[{engine.group, engine.index}];
  State &state = states[part];
  if (state.target)
    of.erase(of.find(state.need));
  state.target = engine;
  state.need = need;
  of.insert(need);
}

std::optional<EngineId> Prefetcher::chooseTarget(size_t part, unsigned source) {
  if (states[part].target)
    return hasRoom(*states[part].target, part, source) ? states[part].target
                                                       : std::nullopt;
  std::optional<EngineId> best;
  for (const Mode &mode : plan.table.modesOf(part)) {
    for (int64_t index = 0; index < machine.countOf(mode.group); ++index) {
      EngineId engine{mode.group, index};
      if (hasRoom(engine, part, source) &&
          (!best || machine.fetchedBytes(engine) < machine.fetchedBytes(*best)))
        best = engine;
    }
  }
  return best;
}

bool Prefetcher::startFetches(std::vector<size_t> &waiting) {
  if (queues.empty())
    return true;
  while (next < plan.order.size()) {
    std::optional<unsigned> queue = idleQueue();
    if (!queue)
      return true;
    size_t part = plan.order[next];
    std::optional<unsigned> source = nextSource(part);
    if (!source) {
      skip();
      continue;
    }
    const Source &numbers = plan.table.partOf(part).sources[*source];
    if (!isThere(numbers))
      return true;
    const EngineGroup &engine = problem.engines[*queue];
    auto lengthWith = [&](const std::vector<int64_t> &available) {
      return shortestLength(problem, numbers.bytes, 0, 0, engine, available);
    };
    std::optional<int64_t> now = lengthWith(machine.freeLanes());
    std::optional<int64_t> alone = lengthWith(lanes);
    // A fetch with few lanes would hold the queue, and its part, for long.
    if (!now || !alone || *now > 2 * *alone)
      return true;
    std::optional<EngineId> target = chooseTarget(part, *source);
    if (!target)
      return true;
    int64_t need = needWith(part, *source);
    std::optional<LaneChoice> choice =
        chooseLanes(problem, numbers.bytes, 0, 0, engine, machine.freeLanes());
    if (!machine.fetch(part, *source, *target, *queue, std::move(*choice)))
      return false;
    bind(part, *target, need);
    ++states[part].inFlight;
    arrivals[{target->group, target->index}].insert(
        {machine.now() + *now, part});
    waiting.push_back(part);
  }
  return true;
}

} // namespace mlir::llm::scheduling
