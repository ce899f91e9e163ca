//===- ExactTest.cpp - Optima that are known by hand ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/ExactScheduling/Exact.h"
#include "../Scheduling/Fixtures.h"

#include <set>

using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

/// The makespan, which must be proven to be the shortest, also by the search
/// alone.
static int64_t optimum(const Problem &problem) {
  ExactResult result = scheduleExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Optimal) << result.reason;
  EXPECT_EQ(describe(result), "optimal");
  EXPECT_TRUE(isValid(problem, result.solution));
  EXPECT_EQ(result.lowerBoundCycles, result.solution.makespan);
  ExactOptions options;
  options.usesListAndBounds = false;
  EXPECT_EQ(scheduleExact(problem, options).solution.makespan,
            result.solution.makespan);
  return result.solution.makespan;
}

// No tasks take no time.
TEST(Exact, NoTasks) { EXPECT_EQ(optimum(machine(2)), 0); }

// 3 + 3 beside 2 + 2 + 2: no idle cycle on two engines. The longest first would
// put 3 beside 3 and take 7.
TEST(Exact, FillsTwoEngines) {
  Problem problem = machine(2);
  for (int64_t cycles : {3, 3, 2, 2, 2})
    problem.tasks.push_back(
        task("t" + std::to_string(cycles), matrix, cycles, 0));
  EXPECT_EQ(optimum(problem), 6);
}

// Three cycles of work in parts of two cannot be shared by two engines: 2 + 2
// on one of them, though the work is 6 and the bound 3.
TEST(Exact, ProvesMoreThanTheBound) {
  Problem problem = machine(2);
  for (int i = 0; i < 3; ++i)
    problem.tasks.push_back(task("t" + std::to_string(i), matrix, 2, 0));
  EXPECT_EQ(optimum(problem), 4);
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  for (const Bound &bound : *bounds)
    EXPECT_LE(bound.cycles, 3);
}

// One of two lanes passes a byte in 2 cycles. `a` streams 2 bytes and computes
// for 4 cycles, for which one lane does. `b` could stream its 2 bytes in 2
// cycles with both lanes, but then waits for `a`; with one it takes 4 beside
// `a`. Alone, `c` takes both lanes: 2 cycles more.
TEST(Exact, ChoosesLanes) {
  Problem problem = machine(2);
  problem.resources[0].lanes = 2;
  problem.engines[0].portLanes = {2};
  problem.tasks = {task("a", matrix, 4, 2), task("b", matrix, 0, 2),
                   task("c", matrix, 0, 2, {0, 1})};
  EXPECT_EQ(optimum(problem), 6);
}

/// `first` computes for 10 cycles; `second` waits for it, and streams a weight
/// of 10 bytes with half the lanes of DRAM: 20 cycles, or one, fetched. The
/// memory engine takes all lanes: 10 cycles.
static Problem fetching(int64_t privateBytes) {
  Problem problem = machine(1, 512);
  problem.engines[0].privateBytes = privateBytes;
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("first", matrix, 10, 0),
                   task("second", matrix, 1, 10, {0})};
  problem.tasks[0].parts[0].workingSetBytes = 3;
  problem.tasks[1].parts[0].sources = {{"w", {10}, 10}};
  return problem;
}

// The weight is fetched beside `first`.
TEST(Exact, Fetches) { EXPECT_EQ(optimum(fetching(13)), 11); }

// Where the slice does not fit beside what `first` needs, it is fetched behind
// `first`: 10 + 10 + 1 cycles, still less than 10 + 20.
TEST(Exact, FetchesWhenThereIsRoom) { EXPECT_EQ(optimum(fetching(12)), 21); }

// `other` takes 3 cycles of the one engine, and `second` waits for it, too:
// 3 + 10 + 1 cycles with the fetch beside `first`, also where `other` writes
// what is fetched, as it can come first. A fetch of what `first` writes is only
// beside `other`: 10 + 10 + 1. With both ahead of it, nothing is left to be
// beside it: 3 + 10 + 10 + 1.
TEST(Exact, FetchesWhatHasBeenWritten) {
  Problem problem = fetching(13);
  problem.tasks.push_back(task("other", matrix, 3, 0));
  problem.tasks[1].predecessors = {0, 2};
  std::vector<unsigned> &writers =
      problem.tasks[1].parts[0].sources[0].predecessors;
  EXPECT_EQ(optimum(problem), 14);
  writers = {2};
  EXPECT_EQ(optimum(problem), 14);
  writers = {0};
  EXPECT_EQ(optimum(problem), 21);
  writers = {0, 2};
  EXPECT_EQ(optimum(problem), 24);
}

// A slice that could be fetched early does not have to be: DRAM gives 5 bytes
// per cycle, so the fetch takes 2 cycles and fits beside `early`, but would
// stay beside `first`, whose working set leaves no room. It comes behind
// `first`: 3 + 10 + 2 + 1. Streamed with 50 lanes, the weight takes 41 cycles.
TEST(Exact, DoesNotFetchTooEarly) {
  Problem problem = fetching(12);
  problem.resources[0].bytesPerSecond = 5000000000;
  problem.engines[0].portLanes = {50};
  problem.tasks.push_back(task("early", matrix, 3, 0));
  problem.tasks[0].predecessors = {2};
  EXPECT_EQ(optimum(problem), 16);
}

// Memory engines that also run parts: two that stream 3 bytes behind 2 cycles
// of overhead, 5 cycles, or 4 when the bytes were fetched in 3; and one of 4.
// Two engines are both busy for 8 cycles when one fetches for the other: 3 + 5
// beside 4 + 4. Without a fetch, or with two, one of them is busy for 9.
TEST(Exact, FetchesForTheOtherEngine) {
  Problem problem = machine(2);
  problem.engines[0].kinds = memory;
  problem.tasks = {task("t", memory, 2, 3)};
  std::vector<Part> &parts = problem.tasks[0].parts;
  parts[0].overheadCycles = 2;
  parts[0].sources = {{"w", {3}, 3}};
  parts[0].count = 2;
  parts.push_back(task("", memory, 4, 0).parts[0]);
  EXPECT_EQ(optimum(problem), 8);
}

// Where the slice never fits, it is streamed.
TEST(Exact, DoesNotFetchWhatNeverFits) { EXPECT_EQ(optimum(fetching(9)), 30); }

// Where the part takes no time once its weight was fetched, it holds no working
// set: the slice fits alone, behind `first`. 10 + 10 cycles.
TEST(Exact, WithoutLengthHoldsNothing) {
  Problem problem = fetching(10);
  problem.tasks[1].parts[0].computeCycles = 0;
  problem.tasks[1].parts[0].workingSetBytes = 1;
  EXPECT_EQ(optimum(problem), 20);
}

// Such parts give way to each other's slices where only one fits: three of 3
// bytes on two engines. A byte takes a lane 4 cycles: 12 cycles with the one
// lane of an engine, 6 with the two of a memory engine, of which two at once
// have all lanes. The third fetch starts where a part of the first two ends:
// 6 + 6 cycles. Nothing is shorter: streaming takes 12 from the start on.
TEST(Exact, WithoutLengthMakesRoom) {
  Problem problem = machine(2, 1);
  problem.resources[0].lanes = 4;
  problem.engines[0].privateBytes = 6;
  problem.engines.push_back({"dma", memory, 3, {2}, 0});
  problem.tasks = {task("t", matrix, 0, 3)};
  Part &part = problem.tasks[0].parts[0];
  part.workingSetBytes = 5;
  part.sources = {{"w", {3}, 6, 2}};
  part.count = 3;
  EXPECT_EQ(optimum(problem), 12);
}

// Two parts of 2 cycles, and two of no time once their slices of 5 of 9 bytes
// were fetched, in 3 cycles each: the second fetch starts when the first slice
// is gone, at cycle 3, while a part of the other task runs on the engine.
TEST(Exact, WithoutLengthEndsWhileAnotherRuns) {
  Problem problem = machine(1);
  problem.engines[0].privateBytes = 9;
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("a", matrix, 2, 0), task("b", matrix, 0, 3)};
  problem.tasks[1].parts[0].sources = {{"w", {3}, 5}};
  for (Task &each : problem.tasks)
    each.parts[0].count = 2;
  EXPECT_EQ(optimum(problem), 6);
}

// 12 cycles whole; 4 + 4 on two engines and 3 to join them; 6 + 6 in equal
// parts: the latter.
TEST(Exact, ChoosesTheCut) {
  Problem problem = machine(2);
  Task cut = task("t", matrix, 12, 0);
  Part four = task("", matrix, 4, 0).parts[0];
  Part three = task("", matrix, 3, 0).parts[0];
  Part six = task("", matrix, 6, 0).parts[0];
  four.count = six.count = 2;
  cut.alternatives = {{{four, three}, true}, {{six}, false}};
  problem.tasks = {cut};
  EXPECT_EQ(optimum(problem), 6);
  // With six cycles to join, and nothing else, whole is as good: 4 + 3 = 7.
  problem.tasks[0].alternatives.pop_back();
  EXPECT_EQ(optimum(problem), 7);
}

// A part too large for every private memory: infeasible, and by how much.
TEST(Exact, Infeasible) {
  Problem problem = machine(1);
  problem.tasks = {task("t", matrix, 1, 0)};
  problem.tasks[0].parts[0].workingSetBytes = 1001;
  ExactResult result = scheduleExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Infeasible);
  EXPECT_FALSE(result.hasSolution());
  EXPECT_EQ(describe(result),
            "infeasible because working set of 't': expected at most the 1000 "
            "private bytes of 'npu', found 1001, 1 too many");
}

// Seven tasks on three engines (Graham, 1969): the longest first takes 11, and
// the best 9: 5 + 4, 5 + 4, 3 + 3 + 3. The list schedule has one of 3 in front:
// 3 + 4 + 3, 5 + 4, 5 + 3: 10. A search that may look at one node only stays
// there, with the work of 27 cycles over three engines as bound: 1 of 9.
TEST(Exact, EndsAtTheLimitOfNodes) {
  Problem problem = machine(3);
  for (int64_t cycles : {5, 5, 4, 4, 3, 3, 3})
    problem.tasks.push_back(
        task("t" + std::to_string(cycles), matrix, cycles, 0));
  EXPECT_EQ(optimum(problem), 9);
  ExactOptions options;
  options.nodes = 1;
  ExactResult result = scheduleExact(problem, options);
  EXPECT_TRUE(isValid(problem, result.solution));
  EXPECT_EQ(describe(result), "feasible, gap 11.2 %");
  EXPECT_EQ(result.reason, "the search ended at its limit after 1 nodes");
}

// Seven such tasks again. The caller is told of the list schedule (10) until
// one as long as the bound (9) ends the search; or ends it before its first
// node.
TEST(Exact, TellsHowFarItIsAndEndsWhenToldTo) {
  Problem problem = machine(3);
  for (int64_t cycles : {5, 5, 4, 4, 3, 3, 3})
    problem.tasks.push_back(
        task("t" + std::to_string(cycles), matrix, cycles, 0));
  ExactOptions options;
  int64_t tries = 0, last = -1;
  std::set<int64_t> makespans;
  options.reportStart = [&] { ++tries; };
  options.report = [&](const ExactProgress &progress) {
    EXPECT_GE(progress.nodes, last);
    EXPECT_EQ(progress.lowerBoundCycles, 9);
    last = progress.nodes;
    makespans.insert(progress.makespan);
    return true;
  };
  EXPECT_EQ(describe(scheduleExact(problem, options)), "optimal");
  EXPECT_GT(tries, 0);
  EXPECT_GT(last, 0);
  EXPECT_EQ(makespans, std::set<int64_t>{10});

  options.report = [](const ExactProgress &) { return false; };
  ExactResult result = scheduleExact(problem, options);
  EXPECT_TRUE(isValid(problem, result.solution));
  EXPECT_EQ(describe(result), "feasible, gap 11.2 %");
  EXPECT_EQ(result.reason, "the search was interrupted after 0 nodes");
}

// The same beside three tasks of 5 cycles on two vector engines, which take 10,
// the optimum of both. The bound of the work is 15 over two, 8, and 9 for the
// seven: yet within 9 cycles each of the three would run in cycle 4.
TEST(Exact, ProvesAboveTheBoundsBeforeItSearches) {
  Problem problem = machine(3);
  problem.engines[0].kinds = matrix;
  problem.engines.push_back({"vpu", vector, 2, {1024}, 0});
  for (int64_t cycles : {5, 5, 4, 4, 3, 3, 3})
    problem.tasks.push_back(
        task("t" + std::to_string(cycles), matrix, cycles, 0));
  for (int i = 0; i < 3; ++i)
    problem.tasks.push_back(task("v" + std::to_string(i), vector, 5, 0));
  EXPECT_EQ(optimum(problem), 10);
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  for (const Bound &bound : *bounds)
    EXPECT_LE(bound.cycles, 9);
  ExactOptions options;
  options.nodes = 1;
  ExactResult result = scheduleExact(problem, options);
  EXPECT_EQ(result.lowerBoundCycles, 10);
  EXPECT_EQ(describe(result), "optimal"); // as the list schedule takes 10
}

// The clock ends a search, too.
TEST(Exact, EndsAtTheLimitOfTime) {
  Problem problem = machine(3);
  for (int i = 0; i < 40; ++i)
    problem.tasks.push_back(
        task("t" + std::to_string(i), matrix, 100 + 7 * i % 31, 0));
  ExactOptions options;
  options.seconds = 0.001;
  options.usesListAndBounds = false;
  ExactResult result = scheduleExact(problem, options);
  EXPECT_EQ(result.status, ExactStatus::Feasible);
  EXPECT_TRUE(isValid(problem, result.solution));
}

// Three tasks side by side on two engines, then one: three times the length of
// one, while the bound is half of three and one. Only a search could tell, but
// 32 bits do not hold that many cycles.
TEST(Exact, RefusesLargeNumbers) {
  Problem problem = machine(2);
  for (int i = 0; i < 3; ++i)
    problem.tasks.push_back(
        task("t" + std::to_string(i), matrix, 200'000'000, 0));
  problem.tasks.push_back(task("last", matrix, 200'000'000, 0, {0, 1, 2}));
  ExactResult result = scheduleExact(problem);
  EXPECT_EQ(result.status, ExactStatus::Unknown);
  EXPECT_FALSE(result.hasSolution());
  EXPECT_EQ(result.lowerBoundCycles, 500'000'000);
  EXPECT_EQ(
      describe(result),
      "unknown because schedules of more than 500000000 cycles are beyond "
      "the integers of the solver");
}

// 3000 equal parts and as many fetches are not worth an attempt, unless a
// simpler solver meets the bound.
TEST(Exact, RefusesManyParts) {
  Problem problem = machine(2);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("t", matrix, 3, 2)};
  Part &part = problem.tasks[0].parts[0];
  part.sources = {{"w", {2}, 2}};
  part.count = 3001;
  EXPECT_EQ(
      scheduleExact(problem).reason,
      "it has more than 4096 parts and fetches, or more than 65536 ways to "
      "run them");
}
