//===- EarliestTest.cpp - In program order, as early as possible ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

/// The solution, which must be valid, slot by slot in order of tasks and parts.
static std::vector<std::string> earliest(const Problem &problem) {
  EXPECT_TRUE(problem.check().empty());
  std::optional<Solution> solution = scheduleEarliest(problem);
  if (!solution)
    return {"none"};
  EXPECT_TRUE(isValid(problem, *solution));
  std::vector<std::string> slots;
  for (const Slot &slot : solution->slots)
    slots.push_back(show(problem, slot));
  return slots;
}
using Slots = std::vector<std::string>;

// No tasks, no slots, no time.
TEST(Earliest, NoTasks) {
  Problem problem = machine(2);
  EXPECT_EQ(earliest(problem), Slots({}));
  EXPECT_EQ(scheduleEarliest(problem)->makespan, 0);
}

// Two memory-bound tasks on two engines, each of which takes the full rate: the
// second waits for the lanes of the first, as if there were one engine. It is
// on the first engine, which is idle again.
TEST(Earliest, FullPortsTakeTurns) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100)};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..100 lanes 1024", "npu[0] 100..200 lanes 1024"}));
}

// With ports of half the rate the same two tasks overlap perfectly and end at
// the same cycle: 100 bytes at half a byte per cycle.
TEST(Earliest, HalfPortsOverlap) {
  Problem problem = machine(2, /*portLanes=*/512);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100)};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..200 lanes 512", "npu[1] 0..200 lanes 512"}));
}

// A task that hides its stream leaves lanes for another: 75 bytes in 100 cycles
// are 768 lanes, and 25 bytes in 100 cycles the other 256. One lane more, and
// the third waits: 26 bytes in 100 cycles are 266.24, so 267 lanes.
TEST(Earliest, HiddenStreamsShareTheMemory) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 100, 75), task("b", matrix, 100, 25)};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..100 lanes 768", "npu[1] 0..100 lanes 256"}));
  problem.tasks[1] = task("b", matrix, 100, 26);
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..100 lanes 768", "npu[0] 100..200 lanes 267"}));
}

// The q/k/v fork on four engines with a quarter of the rate each: after the
// norm (100 cycles) q streams 400 bytes in 1600 cycles, k and v 100 bytes in
// 400 cycles, side by side; attention waits for q, which ends last.
TEST(Earliest, QkvFork) {
  Problem problem = machine(4, /*portLanes=*/256);
  problem.tasks = {
      task("norm", vector, 100, 0), task("q", matrix, 50, 400, {0}),
      task("k", matrix, 50, 100, {0}), task("v", matrix, 50, 100, {0}),
      task("attn", both(), 50, 0, {1, 2, 3})};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..100 lanes 0", "npu[0] 100..1700 lanes 256",
                   "npu[1] 100..500 lanes 256", "npu[2] 100..500 lanes 256",
                   "npu[0] 1700..1750 lanes 0"}));
}

// Tasks start in program order: `c` could start at once, but `b`, which waits
// for `a`, is ahead of it.
TEST(Earliest, NothingOvertakes) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 100, 0), task("b", matrix, 10, 0, {0}),
                   task("c", matrix, 60, 0)};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..100 lanes 0", "npu[0] 100..110 lanes 0",
                   "npu[1] 100..160 lanes 0"}));
}

// A program order that is not topological is made so: the first task waits for
// the last.
TEST(Earliest, OrderIsMadeTopological) {
  Problem problem = machine(1);
  problem.tasks = {task("second", matrix, 10, 0, {2}),
                   task("first", matrix, 20, 0), task("other", matrix, 30, 0)};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 50..60 lanes 0", "npu[0] 0..20 lanes 0",
                   "npu[0] 20..50 lanes 0"}));
}

// Where groups differ, a part goes where it ends first: 100 bytes take 400
// cycles on `slow`, the first group, and 100 on `fast`. The second part waits
// for `fast` (ends at 200), since `slow` would have to wait for lanes too (100
// + 400).
TEST(Earliest, EarliestEndAmongGroups) {
  Problem problem = machine(1, /*portLanes=*/256);
  problem.engines[0].name = "slow";
  problem.engines.push_back({"fast", both(), 1, {1024}, 1000});
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100)};
  EXPECT_EQ(earliest(problem), Slots({"fast[0] 0..100 lanes 1024",
                                      "fast[0] 100..200 lanes 1024"}));
  // Half the rate for `fast`: 200 cycles. Now `slow` has lanes from the start,
  // and ends at 400 like `fast` after the first task: the first group wins.
  problem.engines[1].portLanes = {512};
  EXPECT_EQ(earliest(problem),
            Slots({"fast[0] 0..200 lanes 512", "slow[0] 0..400 lanes 256"}));
}

// Only engines with all kinds and enough private memory come into question.
TEST(Earliest, KindsAndPrivateMemory) {
  Problem problem = machine(1);
  problem.engines = {{"vec", vector, 1, {1024}, 1000},
                     {"tiny", both(), 1, {1024}, 10},
                     {"big", both(), 1, {1024}, 100}};
  problem.tasks = {task("m", matrix, 5, 0), task("b", both(), 5, 0),
                   task("v", vector, 5, 0)};
  problem.tasks[1].parts[0].workingSetBytes = 11;
  EXPECT_EQ(earliest(problem),
            Slots({"tiny[0] 0..5 lanes 0", "big[0] 0..5 lanes 0",
                   "vec[0] 0..5 lanes 0"}));
}

// A task whose cycles hold for one group waits for it beside an idle engine.
TEST(Earliest, GroupOfTheTask) {
  Problem problem = machine(1);
  problem.engines.push_back({"other", both(), 1, {1024}, 1000});
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0),
                   task("c", matrix, 10, 0)};
  problem.tasks[0].group = problem.tasks[1].group = 1;
  EXPECT_EQ(earliest(problem),
            Slots({"other[0] 0..10 lanes 0", "other[0] 10..20 lanes 0",
                   "npu[0] 10..20 lanes 0"}));
}

// Parts of one task spread over the engines; the next task waits for all of
// them.
TEST(Earliest, PartsSpread) {
  Problem problem = machine(2);
  Task split = task("split", matrix, 10, 0);
  split.parts.assign(3, split.parts[0]);
  problem.tasks = {split, task("next", matrix, 5, 0, {0})};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..10 lanes 0", "npu[1] 0..10 lanes 0",
                   "npu[0] 10..20 lanes 0", "npu[0] 20..25 lanes 0"}));
}

// A task without work takes no engine from another: it ends where it starts,
// while the only engine is busy, and what follows it waits for the engine only.
TEST(Earliest, TasksWithoutWork) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 10, 0), task("none", matrix, 0, 0),
                   task("b", matrix, 10, 0, {1})};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..10 lanes 0", "npu[0] 0..0 lanes 0",
                   "npu[0] 10..20 lanes 0"}));
}

// A count of engines beyond all tasks costs nothing: engines are not made one
// by one.
TEST(Earliest, ManyEngines) {
  Problem problem = machine(int64_t(1) << 50);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0)};
  EXPECT_EQ(earliest(problem),
            Slots({"npu[0] 0..10 lanes 0", "npu[1] 0..10 lanes 0"}));
}
