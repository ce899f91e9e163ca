//===- ExplainTest.cpp - What holds a schedule back -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Explain.h"
#include "RandomProblems.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

/// "none, slack 3; engine, critical | npu: busy 20, dependence 10": one line.
static std::string show(const Problem &problem,
                        const Explanation &explanation) {
  std::string text;
  for (const TaskExplanation &task : explanation.tasks) {
    text += text.empty() ? "" : "; ";
    text += stringify(task.heldBackBy);
    text += task.isCritical() ? ", critical"
                              : ", slack " + std::to_string(task.slackCycles);
  }
  for (size_t group = 0; group < problem.engines.size(); ++group) {
    const GroupExplanation &engines = explanation.engines[group];
    text += " | " + problem.engines[group].name + ": busy " +
            std::to_string(engines.busyCycles);
    for (Cause cause : allCauses)
      if (int64_t cycles = engines.idleCycles[static_cast<size_t>(cause)])
        text +=
            ", " + std::string(stringify(cause)) + " " + std::to_string(cycles);
  }
  return text;
}

static std::string explained(const Problem &problem, std::vector<Slot> slots) {
  Solution solution;
  solution.slots = std::move(slots);
  for (const Slot &slot : solution.slots)
    solution.makespan = std::max(solution.makespan, slot.end);
  EXPECT_TRUE(isValid(problem, solution));
  return show(problem, *explain(problem, solution));
}

/// A source of 100 bytes that is all that the task streams, and its slice.
static Task fetchable(std::string name, int64_t compute, int64_t sliceBytes,
                      int64_t workingSetBytes) {
  Task result = task(std::move(name), matrix, compute, 100);
  result.parts[0].sources = {{"w", {100}, sliceBytes}};
  result.parts[0].workingSetBytes = workingSetBytes;
  return result;
}

static Problem machineWithDma(int64_t count) {
  Problem problem = machine(count);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  return problem;
}

// The second engine is idle for 10 cycles as b waits for a, and for 10 more as
// nothing starts behind b.
TEST(Explain, waitsForADependence) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0, {0})};
  EXPECT_EQ(
      explained(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                          {1, 0, {0, 0}, 10, 20, {0}, {}}}),
      "none, critical; dependence, critical | npu: busy 20, dependence 10, "
      "no_work 10");
}

// One engine: b could run at once elsewhere. c is on the other group, 15 cycles
// shorter than the two: so much slack it has, and its engine no other work.
TEST(Explain, waitsForAnEngine) {
  Problem problem = machine(1);
  problem.engines[0].kinds = matrix;
  problem.engines.push_back({"vpu", vector, 1, {1024}, 1000});
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0),
                   task("c", vector, 5, 0)};
  EXPECT_EQ(explained(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                                {1, 0, {0, 0}, 10, 20, {0}, {}},
                                {2, 0, {1, 0}, 0, 5, {0}, {}}}),
            "none, critical; engine, critical; none, slack 15 | npu: busy 20 | "
            "vpu: busy 5, no_work 15");
}

// Two engines, but a holds all lanes for 100 cycles. By dependences and engines
// b could not be later, but a could be 100 cycles later: lanes are no part of
// the graph.
TEST(Explain, waitsForBandwidth) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100)};
  EXPECT_EQ(explained(problem, {{0, 0, {0, 0}, 0, 100, {1024}, {}},
                                {1, 0, {0, 1}, 100, 200, {1024}, {}}}),
            "none, slack 100; bandwidth, critical | npu: busy 200, bandwidth "
            "100, no_work 100");
}

// 512 lanes were free all the time: with them b, in 200 cycles instead of 100,
// would have ended at the same time. It waits for the others.
TEST(Explain, waitsForMoreLanes) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 0, 50), task("b", matrix, 0, 100)};
  EXPECT_EQ(explained(problem, {{0, 0, {0, 0}, 0, 100, {512}, {}},
                                {1, 0, {0, 1}, 100, 200, {1024}, {}}}),
            "none, slack 100; bandwidth, critical | npu: busy 200, bandwidth "
            "100, no_work 100");
}

// c's slice of 500 bytes comes to npu[0] within the first 100 cycles: b, with a
// working set of 600 of 1000 bytes, has no room there, and waits for a on
// npu[1]. c waits for its slice. c could start 5 cycles later than it does, as
// could a and b.
TEST(Explain, waitsForAFetchAndForMemory) {
  Problem problem = machineWithDma(2);
  problem.tasks = {task("a", matrix, 100, 0), task("b", matrix, 20, 0),
                   fetchable("c", 15, 500, 0)};
  problem.tasks[1].parts[0].workingSetBytes = 600;
  EXPECT_EQ(
      explained(problem,
                {{0, 0, {0, 1}, 0, 100, {0}, {}},
                 {1, 0, {0, 1}, 100, 120, {0}, {}},
                 {2, 0, {0, 0}, 100, 115, {0}, {{0, {1, 0}, 0, 100, {1024}}}}}),
      // npu[0] is idle for 100 cycles. b and c start then, for memory and for
      // the fetch: the first of these counts.
      "none, critical; memory, critical; fetch, slack 5 | npu: busy 135, fetch "
      "100, no_work 5 | dma: busy 100, no_work 20");
}

// The slice of b, 600 bytes, has room when a has ended, which holds 500: the
// DMA waits for that for 30 cycles, and b then for its slice, for 100.
TEST(Explain, aFetchWaitsForMemory) {
  Problem problem = machineWithDma(1);
  problem.tasks = {task("a", matrix, 30, 0), fetchable("b", 15, 600, 0)};
  problem.tasks[0].parts[0].workingSetBytes = 500;
  EXPECT_EQ(
      explained(
          problem,
          {{0, 0, {0, 0}, 0, 30, {0}, {}},
           {1, 0, {0, 0}, 130, 145, {0}, {{0, {1, 0}, 30, 130, {1024}}}}}),
      "none, slack 100; fetch, critical | npu: busy 45, fetch 100 | dma: busy "
      "100, memory 30, no_work 15");
}

// a writes what is fetched for b: the DMA waits for it, and a has no slack,
// although b itself starts 100 cycles after it.
TEST(Explain, aFetchWaitsForItsWriter) {
  Problem problem = machineWithDma(1);
  problem.tasks = {task("a", matrix, 30, 0), fetchable("b", 15, 600, 0)};
  problem.tasks[1].predecessors = {0};
  problem.tasks[1].parts[0].sources[0].predecessors = {0};
  EXPECT_EQ(
      explained(
          problem,
          {{0, 0, {0, 0}, 0, 30, {0}, {}},
           {1, 0, {0, 0}, 130, 145, {0}, {{0, {1, 0}, 30, 130, {1024}}}}}),
      "none, critical; fetch, critical | npu: busy 45, fetch 100 | dma: busy "
      "100, dependence 30, no_work 15");
}

// b's slice lies on npu[0], which a holds: npu[1] is idle by choice.
TEST(Explain, aSliceBindsItsPartToAnEngine) {
  Problem problem = machineWithDma(2);
  problem.tasks = {task("a", matrix, 150, 0), fetchable("b", 15, 600, 0)};
  EXPECT_EQ(
      explained(problem,
                {{0, 0, {0, 0}, 0, 150, {0}, {}},
                 {1, 0, {0, 0}, 150, 165, {0}, {{0, {1, 0}, 0, 100, {1024}}}}}),
      "none, critical; engine, critical | npu: busy 165, choice 150, no_work "
      "15 | dma: busy 100, no_work 65");
}

// Nothing holds a back for 5 cycles.
TEST(Explain, waitsForNothing) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 10, 0)};
  EXPECT_EQ(explained(problem, {{0, 0, {0, 0}, 5, 15, {0}, {}}}),
            "choice, critical | npu: busy 10, choice 5");
}

// Parts of 10, 4 and 5 cycles of which the last one joins the others. The
// first part that starts counts for the op; the second one could wait 6 cycles,
// but not the whole op.
TEST(Explain, slackIsThatOfTheTightestPart) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0)};
  std::vector<Part> &parts = problem.tasks[0].parts;
  parts = {parts[0], parts[0], parts[0]};
  parts[1].computeCycles = 4;
  parts[2].computeCycles = 5;
  problem.tasks[0].lastCombines = true;
  EXPECT_EQ(explained(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                                {0, 1, {0, 1}, 0, 4, {0}, {}},
                                {0, 2, {0, 1}, 10, 15, {0}, {}}}),
            "none, critical | npu: busy 19, dependence 6, no_work 5");
}

// Behind a, without length: b on the same engine, 3 cycles later. a could wait
// for these 3, and has no engine to wait for.
TEST(Explain, aTaskWithoutLength) {
  Problem problem = machine(1);
  problem.tasks = {task("c", matrix, 4, 0), task("a", matrix, 0, 0, {0}),
                   task("b", matrix, 10, 0, {1})};
  EXPECT_EQ(explained(problem, {{0, 0, {0, 0}, 0, 4, {0}, {}},
                                {1, 0, {0, 0}, 4, 4, {0}, {}},
                                {2, 0, {0, 0}, 7, 17, {0}, {}}}),
            "none, slack 3; dependence, slack 3; choice, critical | npu: busy "
            "14, choice 3");
}

TEST(Explain, overflowIsNothing) {
  Problem problem = machine(int64_t(1) << 60);
  problem.tasks = {task("a", matrix, 10, 0)};
  Solution solution;
  solution.slots = {{0, 0, {0, 0}, 0, 10, {0}, {}}};
  solution.makespan = 10;
  EXPECT_FALSE(explain(problem, solution));
}

//===----------------------------------------------------------------------===//
// Random schedules, by counting
//===----------------------------------------------------------------------===//

namespace {

/// The definitions of Explain.h, run by run and cycle by cycle.
class SlowExplanation {
public:
  SlowExplanation(const Problem &problem, const Solution &solution)
      : problem(problem), solution(solution) {
    for (const Slot &slot : solution.slots) {
      runs.push_back({&slot, nullptr, slot.engine, slot.start, slot.end,
                      workingSetWith(partOf(slot), slot.prefetches), 0,
                      slot.with});
      for (const PrefetchSlot &fetch : slot.prefetches)
        runs.push_back({&slot,
                        &fetch,
                        fetch.engine,
                        fetch.start,
                        fetch.end,
                        0,
                        partOf(slot).sources[fetch.source].sliceBytes,
                        {}});
    }
  }

  /// The end of all when the parts of the task start so much later.
  int64_t makespanWhenDelayed(unsigned task, int64_t cycles) const {
    std::vector<int64_t> starts;
    for (const Run &run : runs)
      starts.push_back(run.start +
                       (run.slot->task == task && !run.fetch ? cycles : 0));
    int64_t last = 0;
    for (bool changes = true; changes;) {
      changes = false;
      for (size_t a = 0; a < runs.size(); ++a)
        for (size_t b = 0; b < runs.size(); ++b) {
          int64_t end = starts[a] + runs[a].end - runs[a].start;
          last = std::max(last, end);
          if (!isBehind(runs[b], runs[a]) || starts[b] >= end)
            continue;
          starts[b] = end;
          changes = true;
        }
    }
    return last;
  }

  Cause causeOfTask(unsigned task) const {
    const Run *first = nullptr;
    for (const Run &run : runs)
      if (run.slot->task == task && !run.fetch &&
          (!first || std::make_pair(run.start, run.slot->part) <
                         std::make_pair(first->start, first->slot->part)))
        first = &run;
    return causeOf(*first);
  }

  GroupExplanation engines(unsigned group) const {
    GroupExplanation result;
    for (int64_t cycle = 0; cycle < solution.makespan; ++cycle) {
      int64_t idle = 0;
      for (int64_t i = 0; i < problem.engines[group].count; ++i)
        idle += isIdle({group, i}, cycle);
      result.busyCycles += problem.engines[group].count - idle;
      result.idleCycles[static_cast<size_t>(idleCause(group, cycle))] += idle;
    }
    return result;
  }

private:
  struct Run {
    const Slot *slot;
    const PrefetchSlot *fetch;
    EngineId engine;
    int64_t start, end;
    int64_t workingSet, slice;
    std::vector<EngineId> others;
    bool holds(EngineId one) const {
      return engine == one || std::count(others.begin(), others.end(), one) > 0;
    }
  };

  const Part &partOf(const Slot &slot) const {
    return problem.tasks[slot.task].parts[slot.part];
  }
  bool isCombining(const Run &run) const {
    const Task &task = problem.tasks[run.slot->task];
    return !run.fetch && task.lastCombines &&
           run.slot->part + 1 == task.parts.size();
  }
  bool dependsOn(const Run &run, const Run &other) const {
    if (other.fetch)
      return false;
    if (run.slot->task == other.slot->task)
      return !run.fetch && run.slot != other.slot &&
             (isCombining(run) ||
              other.slot->part ==
                  beforeInChain(problem.tasks[run.slot->task], run.slot->part));
    const std::vector<unsigned> &tasks =
        run.fetch ? partOf(*run.slot).sources[run.fetch->source].predecessors
                  : problem.tasks[run.slot->task].predecessors;
    return std::count(tasks.begin(), tasks.end(), other.slot->task);
  }
  bool isBehind(const Run &run, const Run &other) const {
    bool share = other.holds(run.engine);
    for (EngineId one : run.others)
      share |= other.holds(one);
    bool onEngine = share && run.start < run.end && other.start < other.end &&
                    run.start >= other.end;
    bool isFetched = !run.fetch && other.fetch && run.slot == other.slot;
    return onEngine || isFetched || dependsOn(run, other);
  }

  bool isIdle(EngineId engine, int64_t cycle) const {
    for (const Run &run : runs)
      if (run.holds(engine) && run.start <= cycle && cycle < run.end)
        return false;
    return true;
  }
  int64_t freeBytes(EngineId engine, int64_t cycle) const {
    int64_t free = problem.engines[engine.group].privateBytes;
    for (const Run &run : runs) {
      if (!(run.slot->engine == engine) || cycle < run.start)
        continue;
      free -= cycle < run.end ? run.workingSet : 0;
      free -= cycle < run.slot->end ? run.slice : 0;
    }
    return free;
  }
  bool lanesAreFree(const Run &wanted, int64_t cycle) const {
    for (size_t m = 0; m < problem.resources.size(); ++m) {
      int64_t held = 0;
      for (const Run &run : runs)
        if (run.start <= cycle && cycle < run.end)
          held += lanesOf(run)[m];
      if (held + lanesOf(wanted)[m] > problem.resources[m].lanes)
        return false;
    }
    return true;
  }
  static const std::vector<int64_t> &lanesOf(const Run &run) {
    return run.fetch ? run.fetch->lanes : run.slot->lanes;
  }

  bool canBeOn(const Run &run, EngineId engine) const {
    const EngineGroup &group = problem.engines[engine.group];
    const Task &task = problem.tasks[run.slot->task];
    if (run.fetch)
      return group.kinds.contains(EngineKind::Memory);
    if (!run.slot->prefetches.empty())
      return engine == run.engine;
    return group.kinds.containsAll(leftOf(problem, task)) &&
           std::count(task.with.begin(), task.with.end(), engine.group) == 0 &&
           task.group.value_or(engine.group) == engine.group &&
           group.privateBytes >= run.workingSet;
  }

  Cause causeOf(const Run &run) const {
    if (run.start == 0)
      return Cause::None;
    for (const Run &other : runs)
      if (dependsOn(run, other) && other.end == run.start)
        return Cause::Dependence;
    for (const Run &other : runs)
      if (!run.fetch && other.fetch && other.slot == run.slot &&
          other.end == run.start)
        return Cause::Fetch;
    int64_t before = run.start - 1;
    bool anyIdle = false, anyRoom = false;
    for (unsigned group = 0; group < problem.engines.size(); ++group)
      for (int64_t i = 0; i < problem.engines[group].count; ++i)
        if (canBeOn(run, {group, i}) && isIdle({group, i}, before)) {
          anyIdle = true;
          anyRoom |= freeBytes({group, i}, before) >= run.workingSet;
        }
    if (run.fetch)
      anyRoom = freeBytes(run.slot->engine, before) >= run.slice;
    bool isShort = run.start == run.end;
    for (EngineId other : run.others) {
      bool anyOther = false;
      for (int64_t i = 0; i < problem.engines[other.group].count; ++i)
        anyOther |= isIdle({other.group, i}, before);
      anyIdle &= anyOther;
    }
    if (!anyIdle && !isShort)
      return Cause::Engine;
    if (!lanesAreFree(run, before) && !isShort)
      return Cause::Bandwidth;
    return anyRoom || (isShort && !run.fetch) ? Cause::Choice : Cause::Memory;
  }

  Cause idleCause(unsigned group, int64_t cycle) const {
    int64_t next = INT64_MAX;
    Cause first = Cause::NoWork;
    for (const Run &run : runs) {
      bool isOn = run.engine.group == group;
      for (EngineId other : run.others)
        isOn |= other.group == group;
      if (!isOn || run.start <= cycle || run.start == run.end ||
          run.start > next)
        continue;
      Cause cause = causeOf(run);
      if (cause == Cause::Engine && run.others.empty())
        cause = Cause::Choice;
      first = run.start < next ? cause : std::min(first, cause);
      next = run.start;
    }
    return first;
  }

  const Problem &problem;
  const Solution &solution;
  std::vector<Run> runs;
};

void checkExplanation(const Problem &problem, const Solution &solution) {
  std::optional<Explanation> explanation = explain(problem, solution);
  ASSERT_TRUE(explanation);
  SlowExplanation slow(problem, solution);
  bool anyCritical = false;
  for (unsigned task = 0; task < problem.tasks.size(); ++task) {
    const TaskExplanation &found = explanation->tasks[task];
    anyCritical |= found.isCritical();
    ASSERT_EQ(slow.makespanWhenDelayed(task, found.slackCycles),
              solution.makespan);
    ASSERT_GT(slow.makespanWhenDelayed(task, found.slackCycles + 1),
              solution.makespan);
    ASSERT_EQ(stringify(found.heldBackBy), stringify(slow.causeOfTask(task)));
  }
  ASSERT_TRUE(anyCritical);
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    const GroupExplanation &found = explanation->engines[group];
    GroupExplanation expected = slow.engines(group);
    ASSERT_EQ(found.busyCycles, expected.busyCycles);
    ASSERT_EQ(found.idleCycles, expected.idleCycles);
    int64_t all = found.busyCycles;
    for (int64_t cycles : found.idleCycles)
      all += cycles;
    ASSERT_EQ(all, solution.makespan * problem.engines[group].count);
  }
}

} // namespace

TEST(Explain, randomSchedulesAsCounted) {
  size_t causes[allCauses.size()] = {};
  for (unsigned seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    Problem given = ProblemMaker(dice).make();
    if (!given.check().empty())
      continue;
    Solution solution = RandomScheduler(given, dice).run();
    Problem problem = spellOut(given, solution);
    solution.choices.clear();
    ASSERT_TRUE(isValid(problem, solution));
    ASSERT_NO_FATAL_FAILURE(checkExplanation(problem, solution));
    std::optional<Solution> listed = scheduleList(problem);
    ASSERT_TRUE(listed);
    ASSERT_NO_FATAL_FAILURE(checkExplanation(problem, *listed));
    std::optional<Explanation> explanation = explain(problem, solution);
    for (const TaskExplanation &task : explanation->tasks)
      ++causes[static_cast<size_t>(task.heldBackBy)];
    for (const GroupExplanation &engines : explanation->engines)
      for (size_t cause = 0; cause < allCauses.size(); ++cause)
        causes[cause] += engines.idleCycles[cause] > 0;
  }
  // Each is met, of a task or of idle engines, but for that of several
  // problems.
  for (size_t cause = 0; cause < allCauses.size(); ++cause)
    EXPECT_EQ(causes[cause] > 0, allCauses[cause] != Cause::LayerBoundary)
        << stringify(allCauses[cause]);
}
