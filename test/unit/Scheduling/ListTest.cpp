//===- ListTest.cpp - List scheduling -------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "List/ListRun.h"
#include "ListSchedules.h"
#include "llm/Scheduling/Addresses.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

using Slots = std::vector<std::string>;

static Slots slotsOf(const Problem &problem, const Solution &solution) {
  Slots slots;
  for (const Slot &slot : solution.slots)
    slots.push_back(show(problem, slot));
  return slots;
}

/// The solution, which must be valid, slot by slot in order of tasks and parts.
static Slots list(const Problem &problem) {
  EXPECT_TRUE(problem.check().empty());
  std::optional<Solution> solution = scheduleList(problem);
  if (!solution)
    return {"none"};
  EXPECT_TRUE(isValid(problem, *solution));
  return slotsOf(problem, *solution);
}

// No tasks, no slots, no time.
TEST(List, NoTasks) {
  EXPECT_EQ(list(machine(2)), Slots({}));
  EXPECT_EQ(scheduleList(machine(2))->makespan, 0);
}

// The chain of 10 + 30 cycles is started before the single tasks of 10 that
// stand ahead of it: 40 cycles, where program order takes 50.
TEST(List, LongestWayFirst) {
  Problem problem = machine(2);
  problem.tasks = {task("s1", matrix, 10, 0), task("s2", matrix, 10, 0),
                   task("l1", matrix, 10, 0), task("l2", matrix, 30, 0, {2})};
  EXPECT_EQ(list(problem),
            Slots({"npu[1] 0..10 lanes 0", "npu[1] 10..20 lanes 0",
                   "npu[0] 0..10 lanes 0", "npu[0] 10..40 lanes 0"}));
  EXPECT_EQ(scheduleEarliest(problem)->makespan, 50);
}

// Each part of attention takes an engine of each group and gives both back at
// once. In program order the norm comes behind both parts, and the product on
// the matrix engine that is idle then; best is the norm on one vector engine,
// beside both parts, 20 + 20, on the other.
TEST(List, SeveralEnginesAtOnce) {
  Problem problem = machine(2);
  problem.engines[0].kinds = matrix;
  problem.engines.push_back({"vpu", vector, 2, {1024}, 0});
  problem.tasks = {task("attn", both(), 20, 0), task("norm", vector, 30, 0),
                   task("mm", matrix, 25, 0)};
  problem.tasks[0].parts[0].count = 2;
  problem.tasks[0].with = {1};
  ASSERT_EQ(problem.check(), std::vector<std::string>());
  std::optional<Solution> inOrder = scheduleEarliest(problem);
  ASSERT_TRUE(inOrder && isValid(problem, *inOrder));
  EXPECT_EQ(slotsOf(problem, *inOrder),
            Slots({"npu[0] 0..20 lanes 0", "npu[1] 0..20 lanes 0",
                   "vpu[0] 20..50 lanes 0", "npu[0] 20..45 lanes 0"}));
  EXPECT_EQ(inOrder->slots[1].with, std::vector<EngineId>({{1, 1}}));
  std::optional<Solution> best = scheduleList(problem);
  ASSERT_TRUE(best && isValid(problem, *best));
  EXPECT_EQ(best->makespan, 40);
}

// A state is carried over the three parts of each of two heads: 0, 2, 4 and 1,
// 3, 5. Whatever engines there are, no more than two run at once: 3 x 10.
TEST(List, PartsInChains) {
  Problem problem = machine(4);
  problem.tasks = {task("scan", matrix, 10, 0)};
  problem.tasks[0].parts[0].count = 6;
  problem.tasks[0].chains = {3, 2};
  EXPECT_EQ(list(problem),
            Slots({"npu[0] 0..10 lanes 0", "npu[1] 0..10 lanes 0",
                   "npu[0] 10..20 lanes 0", "npu[1] 10..20 lanes 0",
                   "npu[0] 20..30 lanes 0", "npu[1] 20..30 lanes 0"}));
  EXPECT_EQ(scheduleEarliest(problem)->makespan, 30);
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 30);
}

// What is ready overtakes what waits: `c` runs beside `a`.
TEST(List, ReadyTasksOvertake) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 100, 0), task("b", matrix, 10, 0, {0}),
                   task("c", matrix, 60, 0)};
  EXPECT_EQ(list(problem),
            Slots({"npu[0] 0..100 lanes 0", "npu[0] 100..110 lanes 0",
                   "npu[1] 0..60 lanes 0"}));
}

// Lanes that are left are used when waiting is worse: `a` needs 300 bytes in
// 400 cycles, 768 lanes. With the other 256, `b` takes 400 cycles and ends with
// `a`; after `a` it would take 100 and end at 500.
TEST(List, StartsWithTheLanesThatAreLeft) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 400, 300), task("b", matrix, 0, 100)};
  EXPECT_EQ(list(problem),
            Slots({"npu[0] 0..400 lanes 768", "npu[1] 0..400 lanes 256"}));
  EXPECT_EQ(scheduleEarliest(problem)->makespan, 500);
}

// They are not used when waiting is better: in the second pair, 99 bytes in 100
// cycles take 1014 lanes, and with the other 10 `d` would run for 10240 cycles.
// Who never starts with fewer lanes than the shortest length takes ends at 700.
TEST(List, WaitsForLanesWhenThatIsSooner) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 400, 300), task("b", matrix, 0, 100),
                   task("c", matrix, 100, 99, {0, 1}),
                   task("d", matrix, 0, 100, {0, 1})};
  EXPECT_EQ(
      list(problem),
      Slots({"npu[0] 0..400 lanes 768", "npu[1] 0..400 lanes 256",
             "npu[0] 400..500 lanes 1014", "npu[0] 500..600 lanes 1024"}));
}

// A task waits for a fast engine when that ends it sooner than an idle slow
// one: two times 100 cycles on `fast`, where `slow` takes 400 (an eighth of the
// rate).
TEST(List, WaitsForTheFasterEngine) {
  Problem problem = machine(1, /*portLanes=*/128);
  problem.engines[0].name = "slow";
  problem.engines.push_back({"fast", both(), 1, {512}, 1000});
  problem.tasks = {task("a", matrix, 0, 50), task("b", matrix, 0, 50)};
  EXPECT_EQ(list(problem),
            Slots({"fast[0] 0..100 lanes 512", "fast[0] 100..200 lanes 512"}));
}

// Tasks that wait for a busy kind of engine do not hide those of another kind:
// behind 50 matrix tasks with longer ways, the vector task starts at once.
TEST(List, KindsDoNotHideEachOther) {
  Problem problem = machine(1);
  problem.engines = {{"mat", matrix, 1, {1024}, 0},
                     {"vec", vector, 1, {1024}, 0}};
  for (int i = 0; i < 50; ++i)
    problem.tasks.push_back(task("m", matrix, 10, 0));
  problem.tasks.push_back(task("v", vector, 5, 0));
  EXPECT_EQ(list(problem).back(), "vec[0] 0..5 lanes 0");
}

// Tasks without work end where they start, also in a chain, and need no engine.
TEST(List, TasksWithoutWork) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 10, 0), task("n1", matrix, 0, 0, {0}),
                   task("n2", matrix, 0, 0, {1}), task("b", matrix, 10, 0, {2}),
                   task("n3", matrix, 0, 0)};
  EXPECT_EQ(list(problem),
            Slots({"npu[0] 0..10 lanes 0", "npu[0] 10..10 lanes 0",
                   "npu[0] 10..10 lanes 0", "npu[0] 10..20 lanes 0",
                   "npu[0] 0..0 lanes 0"}));
}

/// `count` tasks of three sizes; each waits for the `fan` tasks ahead of it.
static Problem manyTasks(unsigned count, unsigned fan) {
  Problem problem = machine(4, /*portLanes=*/512);
  for (unsigned i = 0; i < count; ++i) {
    problem.tasks.push_back(task("t", matrix, 1 + i % 7 * 10, 1 + i % 11 * 10));
    for (unsigned ahead = 1; ahead <= fan && ahead <= i; ++ahead)
      problem.tasks.back().predecessors.push_back(i - ahead);
  }
  return problem;
}

// The same problem gives the same slots.
TEST(List, IsDeterministic) {
  Problem problem = manyTasks(200, 0);
  EXPECT_EQ(slotsOf(problem, *scheduleList(problem)),
            slotsOf(problem, *scheduleList(problem)));
}

/// The schedules that are tried.
static size_t countTries(const Problem &problem, int64_t repeats) {
  size_t tries = 0;
  EXPECT_TRUE(scheduleList(
      problem, [&] { ++tries; }, repeats));
  return tries;
}

// What runs once costs 30,000 placed parts among the stages (one, here), and as
// many among all tasks. Each try that does not give up has 4,000 parts or more.
// Those that do still count 30. What is often run is searched longer. The bound
// is far off, so that nothing else ends a search.
TEST(List, TriesLittleForWhatRunsOnce) {
  Problem problem = machine(3);
  for (unsigned i = 0; i < 8; ++i) {
    Task own = task("t" + std::to_string(i), matrix, 10, 0);
    own.parts[0].count = 500;
    Part half = own.parts[0];
    half.computeCycles = 5;
    half.count = 1000;
    own.alternatives = {{{half}}};
    LeastWork least;
    least.computeCycles = 10;
    least.bytes = {0};
    least.againBytes = {0};
    least.mostParts = 1000;
    own.least = {least};
    problem.tasks.push_back(own);
  }
  ASSERT_TRUE(problem.check().empty());
  size_t once = countTries(problem, 1), often = countTries(problem, 8);
  EXPECT_GT(often, 2 * once);
}

// A hundred thousand tasks, independent or in a chain, are checked, bounded,
// scheduled and verified in about a second: nothing is quadratic in tasks.
TEST(List, ScalesToManyTasks) {
  for (unsigned fan : {0u, 1u, 3u}) {
    Problem problem = manyTasks(100000, fan);
    std::optional<Solution> best = scheduleList(problem);
    std::optional<Solution> baseline = scheduleEarliest(problem);
    ASSERT_TRUE(best && baseline);
    EXPECT_TRUE(isValid(problem, *best));
    EXPECT_TRUE(isValid(problem, *baseline));
    EXPECT_LE(best->makespan, baseline->makespan);
  }
}

// One task of a hundred thousand parts, and one that waits for all of them.
TEST(List, ScalesToManyParts) {
  Problem problem = machine(64, /*portLanes=*/16);
  problem.tasks = {task("split", matrix, 10, 1),
                   task("join", matrix, 5, 0, {0})};
  problem.tasks[0].parts.assign(100000, problem.tasks[0].parts[0]);
  std::optional<Solution> best = scheduleList(problem);
  ASSERT_TRUE(best);
  EXPECT_TRUE(isValid(problem, *best));
  // A part streams its byte through 16 of 1024 lanes in 64 cycles; ceil(100000
  // / 64) = 1563 rounds of 64 engines, then the join.
  EXPECT_EQ(best->makespan, 1563 * 64 + 5);
}

/// Parts of so many cycles each.
static std::vector<Part> partsOf(const std::vector<int64_t> &cycles) {
  std::vector<Part> parts;
  for (int64_t each : cycles) {
    Part part;
    part.computeCycles = each;
    part.bytes = {0};
    parts.push_back(part);
  }
  return parts;
}

// A task of 100 cycles is cut into four of 25 where there are four engines.
TEST(List, CutsATaskForSeveralEngines) {
  Problem problem = machine(4);
  problem.tasks = {task("a", matrix, 100, 0)};
  std::vector<Part> quarter = partsOf({25});
  quarter[0].count = 4;
  problem.tasks[0].alternatives = {{partsOf({50, 50})}, {quarter}};
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(solution->choices, std::vector<unsigned>({2}));
  EXPECT_EQ(slotsOf(problem, *solution),
            Slots({"npu[0] 0..25 lanes 0", "npu[1] 0..25 lanes 0",
                   "npu[2] 0..25 lanes 0", "npu[3] 0..25 lanes 0"}));
}

// Two halves that take as long as the whole are not worth it: it stays whole.
TEST(List, LeavesATaskWhole) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 100, 0)};
  problem.tasks[0].alternatives = {{partsOf({100, 100})}};
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->choiceOf(0), 0u);
  EXPECT_EQ(slotsOf(problem, *solution), Slots({"npu[0] 0..100 lanes 0"}));
}

// The part that joins partial sums starts when they are there, and what waits
// for the task waits for it: 40, then 10, then 5.
TEST(List, JoinsPartialSums) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 100, 0), task("b", matrix, 5, 0, {0})};
  problem.tasks[0].alternatives = {{partsOf({40, 40, 10}), true}};
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(slotsOf(problem, *solution),
            Slots({"npu[0] 0..40 lanes 0", "npu[1] 0..40 lanes 0",
                   "npu[0] 40..50 lanes 0", "npu[0] 50..55 lanes 0"}));
}

/// One engine and one memory engine, each with a port of half a byte per cycle:
/// `a` computes for 100 cycles, then `b` computes for 10 and streams 50 bytes.
static Problem fetching() {
  Problem problem = machine(1, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {512}, 0});
  problem.tasks = {task("a", matrix, 100, 0), task("b", matrix, 10, 50, {0})};
  problem.tasks[0].parts[0].workingSetBytes = 400;
  problem.tasks[1].parts[0].workingSetBytes = 600;
  problem.tasks[1].parts[0].sources = {{"w", {50}, 500, 100}};
  return problem;
}

// While `a` computes, the 50 bytes for `b` are fetched: it takes 10 cycles, not
// 100. Its slice takes 500 bytes beside the 400 of `a`, and beside the 600 of
// `b` less the 100 through which it would have streamed them: all 1000.
TEST(List, FetchesAhead) {
  Problem problem = fetching();
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(slotsOf(problem, *solution),
            Slots({"npu[0] 0..100 lanes 0", "npu[0] 100..110 lanes 0"}));
  ASSERT_EQ(solution->slots[1].prefetches.size(), 1u);
  EXPECT_EQ(solution->slots[1].prefetches[0].start, 0);
  EXPECT_EQ(solution->slots[1].prefetches[0].end, 100);
}

// One byte less of private memory, and nothing can be fetched.
TEST(List, FetchesWhatHasRoom) {
  Problem problem = fetching();
  problem.engines[0].privateBytes = 999;
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_EQ(slotsOf(problem, *solution),
            Slots({"npu[0] 0..100 lanes 0", "npu[0] 100..200 lanes 512"}));
}

// Bytes are not enough: `c` needs a range of 500. While `a` computes, 0..60,
// the slice for `p` comes to 0..300, and while `p` does, 60..160, that for `q`
// to 300..600. Then 700 of the 1000 bytes are free, but not 500 in a row, until
// `q` has ended at 260: `c` takes longer than its 10 cycles of arithmetic.
TEST(List, FetchesWhatHasARange) {
  Problem problem = machine(1, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("a", matrix, 60, 0), task("p", matrix, 100, 60, {0}),
                   task("q", matrix, 100, 60, {1}),
                   task("c", matrix, 10, 50, {2})};
  int64_t slices[] = {0, 300, 300, 500};
  for (int i = 1; i < 4; ++i)
    problem.tasks[i].parts[0].sources = {
        {"w", problem.tasks[i].parts[0].bytes, slices[i], 0}};
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_TRUE(allocateAddresses(problem, *solution).shortages.empty());
  EXPECT_GT(solution->makespan, 260 + 10);
  // With 100 bytes more its slice is at 600..1100.
  problem.engines[0].privateBytes = 1100;
  EXPECT_EQ(scheduleList(problem)->makespan, 260 + 10);
}

// Four parts read 50 bytes of each of two sources, 100 cycles, and compute for
// 100. The engine streams all of the first one, 200, while one source of the
// second and of the third is fetched: they take 100 each, as they stream the
// other one. And so the fourth. With both sources of the second fetched, none
// of the third is there at 300.
TEST(List, FetchesOneSourceAndStreamsTheOther) {
  Problem problem = machine(1, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {512}, 0});
  problem.tasks = {task("attention", matrix, 100, 100)};
  Part &part = problem.tasks[0].parts[0];
  part.sources = {{"keys", {50}, 50, 0}, {"values", {50}, 50, 0}};
  part.count = 4;
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(solution->makespan, 200 + 3 * 100);
}

// What is fetched for a late task never keeps an early one out: `b` needs all
// of the memory once `a` has ended, so nothing of `c` is fetched before.
TEST(List, FetchesNothingInTheWay) {
  Problem problem = fetching();
  problem.tasks[1].parts[0].workingSetBytes = 1000;
  problem.tasks[1].parts[0].sources.clear();
  problem.tasks.push_back(task("c", matrix, 10, 50, {1}));
  problem.tasks[2].parts[0].sources = {{"w", {50}, 500, 0}};
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(solution->makespan, 100 + 100 + 100);
}

// The weight of `b` is written by `a`: its fetch waits for that, 100..200, and
// is not worth waiting for, as `b` streams as fast itself. What `c` reads is
// there from the start, but comes behind it in the order: the memory engine
// either waits for `b` or goes ahead to `c`. Ahead is better here.
TEST(List, FetchesWhatIsWritten) {
  Problem problem = fetching();
  problem.tasks[1].parts[0].sources[0].predecessors = {0};
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(solution->makespan, 100 + 100);
}

// Two halves of `b` stream 50 bytes each, 100 cycles, once `a` has written
// them. While the engine streams one, the memory engine fetches the other: the
// engine is done after 100 cycles and 5 of arithmetic, and not after 200.
TEST(List, FetchesAnotherPartOfWhatIsWritten) {
  Problem problem = machine(1, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {512}, 0});
  problem.tasks = {task("a", matrix, 30, 0), task("b", matrix, 5, 50, {0})};
  Part &half = problem.tasks[1].parts[0];
  half.sources = {{"w", {50}, 50, 0, {0}}};
  half.count = 2;
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(solution->makespan, 30 + 100 + 5);
}

// Of equal tasks the longest part goes first: 30 beside 20 + 10, not 10 + 30
// beside 20.
TEST(List, LongestPartFirst) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0)};
  for (int64_t cycles : {20, 30}) {
    Part part = problem.tasks[0].parts[0];
    part.computeCycles = cycles;
    problem.tasks[0].parts.push_back(part);
  }
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->makespan, 30);
}

// Two engines can stream with all lanes together, and `s`, which comes first,
// would take both: 2 x 100, then 2 x 100 of arithmetic. With one of them
// streaming and the other one computing at a time it is as long; with the
// memory engine in place of the streaming one, which needs half of the lanes,
// both are done after 150: 100 + 50.
TEST(List, StreamsBesideArithmetic) {
  Problem problem = machine(2, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {512}, 0});
  problem.tasks = {task("s", matrix, 0, 50), task("c", matrix, 50, 0),
                   task("end", matrix, 1, 0, {0})};
  problem.tasks[0].parts[0].sources = {{"w", {50}, 200, 0}};
  problem.tasks[0].parts[0].count = 4;
  problem.tasks[1].parts[0].count = 4;
  std::optional<Solution> solution = scheduleList(problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  // 200 bytes at one a cycle, and the end; 4 x 50 of arithmetic hide beside.
  EXPECT_EQ(solution->makespan, 200 + 1);
}

// Each part needs 410 of 1024 lanes to take 100 cycles: two fit, and the third
// one takes 201 with the 204 that are left, or waits until 200. With a third of
// the lanes, 341, each takes 40 x 1024 / 341 = 121, and 339 are enough for
// that.
TEST(List, SharesLanes) {
  Problem problem = machine(3);
  problem.tasks = {task("a", matrix, 100, 40)};
  problem.tasks[0].parts[0].count = 3;
  EXPECT_EQ(list(problem),
            Slots({"npu[0] 0..120 lanes 342", "npu[1] 0..121 lanes 339",
                   "npu[2] 0..120 lanes 342"}));
}

// Two parts of `heavy` take all lanes, and then no part of `light` runs: twice
// 100 cycles on two of three engines, then 4 parts of `light` on three of them.
// One at a time leaves lanes for two of the others; when those have all run,
// the last two run together, if that is not forbidden, too.
TEST(ListRun, LimitsPartsOfATask) {
  Problem problem = machine(3);
  problem.tasks = {task("heavy", matrix, 100, 50),
                   task("light", matrix, 100, 10)};
  for (Task &task : problem.tasks)
    task.parts[0].count = 4;
  std::optional<Plan> plan = Plan::make(problem);
  ASSERT_TRUE(plan);
  ListOptions options;
  options.habits.resize(2);
  EXPECT_EQ(ListRun(problem, *plan, options).run()->makespan, 400);
  options.habits[0].mostParts = 1;
  std::optional<Solution> solution = ListRun(problem, *plan, options).run();
  ASSERT_TRUE(solution);
  EXPECT_TRUE(isValid(problem, *solution));
  EXPECT_EQ(solution->makespan, 300);
  options.habits[0].alwaysMostParts = true;
  EXPECT_EQ(ListRun(problem, *plan, options).run()->makespan, 400);
}

// A run gives up only where its makespan is not below the limit, and is
// otherwise the same run. Problems are random, with fetches and several groups.
TEST(ListRun, GivesUpNoRunThatIsBelowTheLimit) {
  unsigned gaveUp = 0, runs = 0;
  checkCutProblems(4000, [&](const Problem &problem, Dice &dice) {
    std::optional<Plan> plan = Plan::make(problem);
    if (!plan)
      return;
    ListOptions options;
    options.prefetches = dice.oneIn(2);
    if (dice.oneIn(2))
      options.habits.front().shares = dice.between(0, 4);
    std::optional<Solution> whole = ListRun(problem, *plan, options).run();
    if (!whole)
      return;
    ++runs;
    ListRun below(problem, *plan, options, whole->makespan + 1);
    std::optional<Solution> again = below.run();
    ASSERT_TRUE(again);
    EXPECT_EQ(slotsOf(problem, *again), slotsOf(problem, *whole));
    // Slots that another run has left do not shine through.
    ListRun half(problem, *plan, options, whole->makespan / 2 + 1, *whole);
    std::optional<Solution> found = half.run();
    EXPECT_EQ(found.has_value(), !half.hasGivenUp());
    if (found) {
      EXPECT_EQ(slotsOf(problem, *found), slotsOf(problem, *whole));
    }
    gaveUp += half.hasGivenUp();
  });
  EXPECT_GT(runs, 800u);
  EXPECT_GT(gaveUp, runs / 2);
}

// A limit hides no schedule below it, and the best one is the same.
TEST(List, BriefRunsWithALimit) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    Problem problem = ProblemMaker(dice).make();
    if (!problem.check().empty())
      continue;
    std::optional<Solution> best =
        scheduleListBriefly(problem, nullptr, INT64_MAX);
    ASSERT_TRUE(best);
    std::optional<Solution> same =
        scheduleListBriefly(problem, nullptr, best->makespan + 1);
    ASSERT_TRUE(same);
    EXPECT_EQ(slotsOf(problem, *same), slotsOf(problem, *best));
    EXPECT_EQ(same->choices, best->choices);
    EXPECT_FALSE(scheduleListBriefly(problem, nullptr, best->makespan));
  }
}
