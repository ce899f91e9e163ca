//===- RandomProblems.h - Problems and schedules at random ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_SCHEDULING_RANDOMPROBLEMS_H
#define LLM_TEST_UNIT_SCHEDULING_RANDOMPROBLEMS_H

#include "Fixtures.h"
#include "Oracle.h"

#include <algorithm>
#include <random>

namespace mlir::llm::scheduling::test {

/// The same numbers on every platform: only the engine of <random> is portable.
class Dice {
public:
  explicit Dice(unsigned seed) : engine(seed) {}
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % (high - low + 1));
  }
  bool oneIn(int64_t n) { return between(1, n) == 1; }

private:
  std::mt19937 engine;
};

/// Small problems in which everything happens: several resources and engine
/// groups, few lanes (so that rounding matters), little private memory,
/// sources, several parts, tasks without work. Some are not sound.
class ProblemMaker {
public:
  /// `isTogether`: some parts hold engines of several groups at once.
  explicit ProblemMaker(Dice &dice, bool isTogether = true)
      : dice(dice), isTogether(isTogether) {}

  Problem make() {
    Problem problem;
    problem.clockHz = dice.between(1, 3);
    for (int64_t m = dice.between(1, 2); m > 0; --m)
      problem.resources.push_back(
          {"r" + std::to_string(m), dice.between(1, 4), dice.between(1, 8)});
    addEngines(problem, both());
    for (int64_t more = dice.between(0, 2); more > 0; --more)
      addEngines(problem, computeKinds());
    if (!dice.oneIn(3))
      addEngines(problem, memory);
    int64_t tasks = dice.between(1, 7);
    for (int64_t i = 0; i < tasks; ++i)
      addTask(problem);
    if (dice.oneIn(4))
      reverse(problem);
    return problem;
  }

private:
  EngineKindSet computeKinds() {
    EngineKindSet kinds[] = {matrix, vector, both()};
    return kinds[dice.between(0, 2)];
  }

  void addEngines(Problem &problem, EngineKindSet kinds) {
    EngineGroup engine;
    engine.name = "e" + std::to_string(problem.engines.size());
    engine.kinds = kinds;
    engine.count = dice.between(1, 3);
    for (const Resource &resource : problem.resources)
      engine.portLanes.push_back(dice.between(1, resource.lanes));
    if (dice.oneIn(2))
      setPorts(problem, engine);
    engine.privateBytes = dice.between(0, 20);
    problem.engines.push_back(engine);
  }

  /// At rates that may be no whole number of lanes.
  void setPorts(const Problem &problem, EngineGroup &engine) {
    for (size_t m = 0; m < problem.resources.size(); ++m) {
      const Resource &resource = problem.resources[m];
      int64_t rate = dice.between(1, resource.bytesPerSecond);
      engine.portBytesPerSecond.push_back(rate);
      engine.portLanes[m] =
          (resource.lanes * rate + resource.bytesPerSecond - 1) /
          resource.bytesPerSecond;
    }
  }

  void addTask(Problem &problem) {
    Task task;
    unsigned index = problem.tasks.size();
    task.name = "t" + std::to_string(index);
    task.kinds = dice.oneIn(9) ? memory : computeKinds();
    if (dice.oneIn(3))
      task.group = dice.between(0, problem.engines.size() - 1);
    for (int64_t more = isTogether && dice.oneIn(4) ? dice.between(1, 2) : 0;
         more > 0; --more)
      task.with.push_back(dice.between(0, problem.engines.size() - 1));
    task.parts = makeParts(problem);
    task.lastCombines = canCombine(task.parts) && dice.oneIn(2);
    if (!task.lastCombines)
      task.chains = makeChains(task.parts);
    for (int64_t more = dice.oneIn(3) ? dice.between(1, 2) : 0; more > 0;
         --more) {
      std::vector<Part> parts = makeParts(problem);
      bool lastCombines = canCombine(parts) && dice.oneIn(2);
      Chains chains = lastCombines ? Chains() : makeChains(parts);
      task.alternatives.push_back({std::move(parts), lastCombines, chains});
    }
    for (unsigned other = 0; other < index; ++other)
      if (dice.oneIn(4))
        task.predecessors.push_back(other);
    addWriters(task.parts, task.predecessors);
    for (Split &alternative : task.alternatives)
      addWriters(alternative.parts, task.predecessors);
    problem.tasks.push_back(task);
  }

  /// One, or two where the number of parts is even.
  Chains makeChains(const std::vector<Part> &parts) {
    int64_t count = countParts(parts);
    if (dice.oneIn(2))
      return {};
    if (count % 2 != 0 || dice.oneIn(2))
      return {count, 1};
    return dice.oneIn(2) ? Chains{count / 2, 1} : Chains{count / 2, 2};
  }

  /// Some sources are written by what is ahead.
  void addWriters(std::vector<Part> &parts,
                  const std::vector<unsigned> &predecessors) {
    for (Part &part : parts)
      for (Source &source : part.sources)
        for (unsigned predecessor : predecessors)
          if (dice.oneIn(3))
            source.predecessors.push_back(predecessor);
  }

  static bool canCombine(const std::vector<Part> &parts) {
    return parts.size() > 1 && parts.back().count == 1;
  }

  std::vector<Part> makeParts(const Problem &problem) {
    std::vector<Part> parts;
    for (int64_t left = dice.oneIn(3) ? dice.between(2, 4) : 1; left > 0;) {
      parts.push_back(makePart(problem));
      parts.back().count = dice.between(1, left);
      left -= parts.back().count;
    }
    return parts;
  }

  Part makePart(const Problem &problem) {
    Part part;
    part.bytes.assign(problem.resources.size(), 0);
    if (dice.oneIn(8))
      return part; // no work
    part.overheadCycles = dice.between(0, 2);
    part.serialCycles = dice.between(0, 2);
    part.computeCycles = dice.between(0, 8);
    part.workingSetBytes = dice.between(0, 8);
    for (int64_t count = dice.between(0, 2); count > 0; --count) {
      Source source{"s" + std::to_string(count), {}, dice.between(0, 6)};
      for (int64_t &bytes : part.bytes) {
        source.bytes.push_back(dice.between(0, 3));
        bytes += source.bytes.back();
      }
      part.sources.push_back(source);
    }
    if (!part.sources.empty())
      part.sources[0].stagingBytes = dice.between(0, part.workingSetBytes);
    for (int64_t &bytes : part.bytes)
      bytes += dice.oneIn(3) ? 0 : dice.between(0, 4);
    return part;
  }

  /// The same tasks, last one first: no longer in a topological order.
  static void reverse(Problem &problem) {
    std::reverse(problem.tasks.begin(), problem.tasks.end());
    auto renumber = [&](std::vector<unsigned> &predecessors) {
      for (unsigned &predecessor : predecessors)
        predecessor = problem.tasks.size() - 1 - predecessor;
    };
    auto renumberWriters = [&](std::vector<Part> &parts) {
      for (Part &part : parts)
        for (Source &source : part.sources)
          renumber(source.predecessors);
    };
    for (Task &task : problem.tasks) {
      renumber(task.predecessors);
      renumberWriters(task.parts);
      for (Split &alternative : task.alternatives)
        renumberWriters(alternative.parts);
    }
  }

  Dice &dice;
  bool isTogether;
};

/// A schedule of random choices (engines, lanes, fetches), each part at the
/// first cycle that is free: much that no solver would do, and all of it valid.
class RandomScheduler {
public:
  /// Cuts each task in one of the ways that it has.
  RandomScheduler(const Problem &given, Dice &dice)
      : dice(dice), solution(chooseCuts(given, dice)),
        problem(spellOut(given, solution)), grid(problem) {}

  Solution run() {
    std::vector<bool> done(problem.tasks.size(), false);
    for (size_t left = problem.tasks.size(); left > 0;) {
      unsigned task = dice.between(0, problem.tasks.size() - 1);
      if (done[task] || !isReady(task, done))
        continue;
      done[task] = true;
      --left;
      for (unsigned part = 0; part < problem.tasks[task].parts.size(); ++part)
        place(task, part);
    }
    return std::move(solution);
  }

private:
  static Solution chooseCuts(const Problem &given, Dice &dice) {
    Solution cut;
    for (const Task &task : given.tasks)
      cut.choices.push_back(dice.between(0, task.alternatives.size()));
    return cut;
  }

  bool isReady(unsigned task, const std::vector<bool> &done) const {
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (!done[predecessor])
        return false;
    return true;
  }

  EngineId anyEngine(EngineKindSet kinds, int64_t workingSet,
                     std::optional<unsigned> only = std::nullopt,
                     const std::vector<unsigned> &others = {}) {
    while (true) {
      unsigned group =
          only ? *only : dice.between(0, problem.engines.size() - 1);
      const EngineGroup &engine = problem.engines[group];
      if (engine.kinds.containsAll(kinds) &&
          engine.privateBytes >= workingSet &&
          std::count(others.begin(), others.end(), group) == 0)
        return {group, dice.between(0, engine.count - 1)};
    }
  }

  std::vector<int64_t> anyLanes(EngineId engine) {
    std::vector<int64_t> lanes;
    for (int64_t port : problem.engines[engine.group].portLanes)
      lanes.push_back(dice.between(1, port));
    return lanes;
  }

  bool hasMemoryEngine() const {
    for (const EngineGroup &engine : problem.engines)
      if (engine.kinds.contains(EngineKind::Memory))
        return true;
    return false;
  }

  PrefetchSlot placeFetch(const Source &source, unsigned index) {
    PrefetchSlot fetch;
    fetch.source = index;
    fetch.engine = anyEngine(memory, 0);
    fetch.lanes = anyLanes(fetch.engine);
    const EngineGroup &group = problem.engines[fetch.engine.group];
    dropIdleLanes(problem, source.bytes, 0, 0, fetch.lanes, group);
    int64_t length =
        *slowLength(problem, source.bytes, 0, 0, fetch.lanes, group);
    fetch.start = dice.between(0, 5);
    for (const Slot &slot : solution.slots)
      for (unsigned writer : source.predecessors)
        if (slot.task == writer)
          fetch.start = std::max(fetch.start, slot.end);
    while (
        !grid.engineIsFree(fetch.engine, fetch.start, fetch.start + length) ||
        !grid.lanesAreFree(fetch.lanes, fetch.start, fetch.start + length))
      ++fetch.start;
    fetch.end = fetch.start + length;
    grid.takeEngine(fetch.engine, fetch.start, fetch.end);
    grid.takeLanes(fetch.lanes, fetch.start, fetch.end);
    return fetch;
  }

  void place(unsigned task, unsigned index) {
    const Part &part = problem.tasks[task].parts[index];
    int64_t ready = dice.between(0, 3);
    for (const Slot &slot : solution.slots)
      for (unsigned predecessor : problem.tasks[task].predecessors)
        if (slot.task == predecessor)
          ready = std::max(ready, slot.end);
    bool combines = problem.tasks[task].lastCombines &&
                    index + 1 == problem.tasks[task].parts.size();
    for (const Slot &slot : solution.slots)
      if ((combines && slot.task == task) ||
          (slot.task == task && slot.part != index &&
           slot.part == beforeInChain(problem.tasks[task], index)))
        ready = std::max(ready, slot.end);
    const std::vector<unsigned> &others = problem.tasks[task].with;
    EngineId engine =
        anyEngine(leftOf(problem, problem.tasks[task]), part.workingSetBytes,
                  problem.tasks[task].group, others);
    std::vector<EngineId> with;
    for (unsigned group : others)
      with.push_back(anyEngine({}, 0, group));
    // Slices may not fit beside what runs before; then without a fetch.
    Grid before = grid;
    bool fetches = hasMemoryEngine() && !dice.oneIn(3);
    if (fetches &&
        tryPlace({task, index, engine, ready, 0, {}, {}, with}, true))
      return;
    grid = before;
    tryPlace({task, index, engine, ready, 0, {}, {}, with}, false);
  }

  bool tryPlace(Slot slot, bool fetches) {
    const Part &part = problem.tasks[slot.task].parts[slot.part];
    std::vector<int64_t> bytes = part.bytes;
    for (unsigned i = 0; fetches && i < part.sources.size(); ++i) {
      if (dice.oneIn(3))
        continue;
      slot.prefetches.push_back(placeFetch(part.sources[i], i));
      slot.start = std::max(slot.start, slot.prefetches.back().end);
      for (size_t m = 0; m < bytes.size(); ++m)
        bytes[m] -= part.sources[i].bytes[m];
    }
    int64_t fixed = part.overheadCycles + part.serialCycles;
    slot.lanes = anyLanes(slot.engine);
    const EngineGroup &group = problem.engines[slot.engine.group];
    dropIdleLanes(problem, bytes, fixed, part.computeCycles, slot.lanes, group);
    int64_t length = *slowLength(problem, bytes, fixed, part.computeCycles,
                                 slot.lanes, group);
    // After all others there is room for the part itself, but not always for
    // slices, which wait with it.
    int64_t last = slot.prefetches.empty() ? INT64_MAX : slot.start + 100;
    while (!tryTake(slot, length))
      if (slot.start++ == last)
        return false;
    solution.makespan = std::max(solution.makespan, slot.end);
    solution.slots.push_back(std::move(slot));
    return true;
  }

  bool tryTake(Slot &slot, int64_t length) {
    const Part &part = problem.tasks[slot.task].parts[slot.part];
    slot.end = slot.start + length;
    for (EngineId other : slot.with)
      if (!grid.engineIsFree(other, slot.start, slot.end))
        return false;
    if (!grid.engineIsFree(slot.engine, slot.start, slot.end) ||
        !grid.lanesAreFree(slot.lanes, slot.start, slot.end))
      return false;
    Grid after = grid;
    int64_t bytes = needOf(part, slot);
    if (!after.memoryIsFree(slot.engine, bytes, slot.start, slot.end))
      return false;
    after.takeMemory(slot.engine, bytes, slot.start, slot.end);
    for (const PrefetchSlot &fetch : slot.prefetches) {
      int64_t bytes = part.sources[fetch.source].sliceBytes;
      if (!after.memoryIsFree(slot.engine, bytes, fetch.start, slot.end))
        return false;
      after.takeMemory(slot.engine, bytes, fetch.start, slot.end);
    }
    after.takeEngine(slot.engine, slot.start, slot.end);
    for (EngineId other : slot.with)
      after.takeEngine(other, slot.start, slot.end);
    after.takeLanes(slot.lanes, slot.start, slot.end);
    grid = after;
    return true;
  }

  Dice &dice;
  Solution solution;
  Problem problem;
  Grid grid;
};

} // namespace mlir::llm::scheduling::test

#endif // LLM_TEST_UNIT_SCHEDULING_RANDOMPROBLEMS_H
