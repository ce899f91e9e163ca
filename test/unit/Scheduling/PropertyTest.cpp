//===- PropertyTest.cpp - What holds for thousands of problems ------------===//
//
// Part of the llm-opt project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "Oracle.h"

#include <algorithm>
#include <random>

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

namespace {

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

/// Small problems in which everything happens: several resources and engine groups, few
/// lanes (so that rounding matters), little private memory, sources, several parts,
/// tasks without work. Some are not sound.
class ProblemMaker {
public:
  explicit ProblemMaker(Dice &dice) : dice(dice) {}

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
    engine.privateBytes = dice.between(0, 20);
    problem.engines.push_back(engine);
  }

  void addTask(Problem &problem) {
    Task task;
    unsigned index = problem.tasks.size();
    task.name = "t" + std::to_string(index);
    task.kinds = dice.oneIn(9) ? memory : computeKinds();
    for (int64_t parts = dice.oneIn(3) ? dice.between(2, 3) : 1; parts > 0;
         --parts)
      task.parts.push_back(makePart(problem));
    for (unsigned other = 0; other < index; ++other)
      if (dice.oneIn(4))
        task.predecessors.push_back(other);
    problem.tasks.push_back(task);
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
    for (int64_t &bytes : part.bytes)
      bytes += dice.oneIn(3) ? 0 : dice.between(0, 4);
    return part;
  }

  /// The same tasks, last one first: no longer in a topological order.
  static void reverse(Problem &problem) {
    std::reverse(problem.tasks.begin(), problem.tasks.end());
    for (Task &task : problem.tasks)
      for (unsigned &predecessor : task.predecessors)
        predecessor = problem.tasks.size() - 1 - predecessor;
  }

  Dice &dice;
};

/// A schedule of random choices (engines, lanes, fetches), each part at the first cycle
/// that is free: much that no solver would do, and all of it valid.
class RandomScheduler {
public:
  RandomScheduler(const Problem &problem, Dice &dice)
      : problem(problem), dice(dice), grid(problem) {}

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
  bool isReady(unsigned task, const std::vector<bool> &done) const {
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (!done[predecessor])
        return false;
    return true;
  }

  EngineId anyEngine(EngineKindSet kinds, int64_t workingSet) {
    while (true) {
      unsigned group = dice.between(0, problem.engines.size() - 1);
      const EngineGroup &engine = problem.engines[group];
      if (engine.kinds.containsAll(kinds) && engine.privateBytes >= workingSet)
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
    dropIdleLanes(problem, source.bytes, 0, 0, fetch.lanes);
    int64_t length = *slowLength(problem, source.bytes, 0, 0, fetch.lanes);
    fetch.start = dice.between(0, 5);
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
    EngineId engine =
        anyEngine(problem.tasks[task].kinds, part.workingSetBytes);
    // Slices may not fit beside what runs before; then without a fetch.
    Grid before = grid;
    bool fetches = hasMemoryEngine() && !dice.oneIn(3);
    if (fetches && tryPlace({task, index, engine, ready, 0, {}, {}}, true))
      return;
    grid = before;
    tryPlace({task, index, engine, ready, 0, {}, {}}, false);
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
    dropIdleLanes(problem, bytes, fixed, part.computeCycles, slot.lanes);
    int64_t length =
        *slowLength(problem, bytes, fixed, part.computeCycles, slot.lanes);
    // After all others there is room for the part itself, but not always for slices,
    // which wait with it.
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
    if (!grid.engineIsFree(slot.engine, slot.start, slot.end) ||
        !grid.lanesAreFree(slot.lanes, slot.start, slot.end))
      return false;
    Grid after = grid;
    if (!after.memoryIsFree(slot.engine, part.workingSetBytes, slot.start,
                            slot.end))
      return false;
    after.takeMemory(slot.engine, part.workingSetBytes, slot.start, slot.end);
    for (const PrefetchSlot &fetch : slot.prefetches) {
      int64_t bytes = part.sources[fetch.source].sliceBytes;
      if (!after.memoryIsFree(slot.engine, bytes, fetch.start, slot.end))
        return false;
      after.takeMemory(slot.engine, bytes, fetch.start, slot.end);
    }
    after.takeEngine(slot.engine, slot.start, slot.end);
    after.takeLanes(slot.lanes, slot.start, slot.end);
    grid = after;
    return true;
  }

  const Problem &problem;
  Dice &dice;
  Grid grid;
  Solution solution;
};

/// Changes one or two things in a solution with at least one slot.
class Mutator {
public:
  explicit Mutator(Dice &dice) : dice(dice) {}

  void mutate(Solution &solution) {
    Slot &slot = solution.slots[dice.between(0, solution.slots.size() - 1)];
    if (!slot.prefetches.empty() && dice.oneIn(2))
      return mutateFetch(slot);
    switch (dice.between(0, 12)) {
    case 0:
      slot.task = dice.between(0, 7);
      break;
    case 1:
      slot.part = dice.between(0, 2);
      break;
    case 2:
      nudge(solution.makespan);
      break;
    case 3:
      solution.slots.push_back(slot);
      break;
    case 4:
      std::swap(slot, solution.slots.back());
      solution.slots.pop_back();
      break;
    case 5: // as a whole, with everything that must follow
      for (Slot &each : solution.slots) {
        ++each.start;
        ++each.end;
      }
      ++solution.makespan;
      break;
    default:
      mutateRun(slot.engine, slot.start, slot.end, slot.lanes);
    }
  }

private:
  void nudge(int64_t &value) {
    value += dice.oneIn(2) ? dice.between(1, 3) : -dice.between(1, 3);
  }

  void mutateFetch(Slot &slot) {
    size_t index = dice.between(0, slot.prefetches.size() - 1);
    PrefetchSlot &fetch = slot.prefetches[index];
    switch (dice.between(0, 8)) {
    case 0:
      fetch.source = dice.between(0, 2);
      break;
    case 1:
      slot.prefetches.erase(slot.prefetches.begin() + index);
      break;
    case 2:
      slot.prefetches.push_back(PrefetchSlot(fetch));
      break;
    default:
      mutateRun(fetch.engine, fetch.start, fetch.end, fetch.lanes);
    }
  }

  void mutateRun(EngineId &engine, int64_t &start, int64_t &end,
                 std::vector<int64_t> &lanes) {
    switch (dice.between(0, 5)) {
    case 0:
      engine.group = dice.between(0, 3);
      break;
    case 1:
      engine.index = dice.between(-1, 3);
      break;
    case 2:
      nudge(start);
      break;
    case 3:
      nudge(end);
      break;
    case 4:
      nudge(lanes[dice.between(0, lanes.size() - 1)]);
      break;
    case 5: { // earlier or later as it is
      int64_t length = end - start;
      nudge(start);
      end = start + length;
      break;
    }
    }
  }

  Dice &dice;
};

} // namespace

/// Calls `check` with so many sound problems.
template <typename Check>
static void forSoundProblems(unsigned count, unsigned seed, Check check) {
  Dice dice(seed);
  ProblemMaker maker(dice);
  while (count > 0) {
    Problem problem = maker.make();
    if (!problem.check().empty())
      continue;
    --count;
    check(problem, dice);
    if (::testing::Test::HasFailure())
      return;
  }
}

// Solutions of both solvers keep all rules, in the eyes of verify() and of the slow
// count, and the list schedule is never longer than the baseline.
TEST(Property, SolversAreValidAndListIsNoLonger) {
  forSoundProblems(3000, 1, [](const Problem &problem, Dice &) {
    std::optional<Solution> baseline = scheduleEarliest(problem);
    std::optional<Solution> best = scheduleList(problem);
    ASSERT_TRUE(baseline && best);
    EXPECT_TRUE(isValid(problem, *baseline));
    EXPECT_TRUE(isValid(problem, *best));
    EXPECT_TRUE(isValidByCounting(problem, *baseline));
    EXPECT_TRUE(isValidByCounting(problem, *best));
    EXPECT_LE(best->makespan, baseline->makespan);
  });
}

// The baseline starts tasks in program order wherever that is topological.
TEST(Property, EarliestStartsInOrder) {
  forSoundProblems(1000, 2, [](const Problem &problem, Dice &) {
    for (unsigned task = 0; task < problem.tasks.size(); ++task)
      for (unsigned predecessor : problem.tasks[task].predecessors)
        if (predecessor > task)
          return;
    std::optional<Solution> solution = scheduleEarliest(problem);
    ASSERT_TRUE(solution);
    for (size_t i = 1; i < solution->slots.size(); ++i)
      EXPECT_LE(solution->slots[i - 1].start, solution->slots[i].start);
  });
}

// No schedule is shorter than a bound: neither those of the solvers nor random ones,
// which prefetch.
TEST(Property, BoundsHold) {
  size_t fetches = 0;
  forSoundProblems(1500, 3, [&](const Problem &problem, Dice &dice) {
    Solution random = RandomScheduler(problem, dice).run();
    for (const Slot &slot : random.slots)
      fetches += slot.prefetches.size();
    int64_t shortest =
        std::min({random.makespan, scheduleEarliest(problem)->makespan,
                  scheduleList(problem)->makespan});
    std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
    ASSERT_TRUE(bounds);
    for (const Bound &bound : *bounds)
      EXPECT_LE(bound.cycles, shortest) << bound.name;
  });
  EXPECT_GT(fetches, 1000u); // else the test shows nothing of prefetches
}

// verify() and the slow count agree on random schedules with fetches, and on what is
// left of them after one or two changes: most are broken, some still valid.
TEST(Property, VerifyAgreesWithCounting) {
  size_t valid = 0, broken = 0;
  forSoundProblems(1500, 4, [&](const Problem &problem, Dice &dice) {
    Solution solution = RandomScheduler(problem, dice).run();
    EXPECT_TRUE(isValid(problem, solution));
    EXPECT_TRUE(isValidByCounting(problem, solution));
    Mutator mutator(dice);
    for (int i = 0; i < 12; ++i) {
      Solution changed = solution;
      for (int64_t changes = dice.between(1, 2);
           changes > 0 && !changed.slots.empty(); --changes)
        mutator.mutate(changed);
      std::vector<Violation> violations = verify(problem, changed);
      bool expected = isValidByCounting(problem, changed);
      EXPECT_EQ(violations.empty(), expected) << textOf(violations);
      ++(expected ? valid : broken);
    }
  });
  EXPECT_GT(valid, 500u);
  EXPECT_GT(broken, 5000u);
}

// The length and the lanes of chooseLanes() are those of counting: the lanes within
// reach, without those that the length can spare.
TEST(Property, ChooseLanesAgreesWithCounting) {
  forSoundProblems(1500, 5, [](const Problem &problem, Dice &dice) {
    for (const Task &task : problem.tasks) {
      const Part &part = task.parts[0];
      for (const EngineGroup &engine : problem.engines) {
        std::vector<int64_t> available, lanes;
        for (size_t m = 0; m < part.bytes.size(); ++m) {
          available.push_back(dice.between(0, problem.resources[m].lanes));
          lanes.push_back(std::min(available[m], engine.portLanes[m]));
        }
        int64_t fixed = part.overheadCycles + part.serialCycles;
        std::optional<int64_t> length =
            slowLength(problem, part.bytes, fixed, part.computeCycles, lanes);
        std::optional<LaneChoice> choice =
            chooseLanes(problem, part, engine, available);
        ASSERT_EQ(choice.has_value(), length.has_value());
        if (!choice)
          continue;
        dropIdleLanes(problem, part.bytes, fixed, part.computeCycles, lanes);
        EXPECT_EQ(choice->length, *length);
        EXPECT_EQ(choice->lanes, lanes);
      }
    }
  });
}
