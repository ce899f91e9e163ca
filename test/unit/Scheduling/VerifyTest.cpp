//===- VerifyTest.cpp - The rules for all slots, broken alone -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyFixture.h"
#include "llm/Support/Units.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

// The schedule that the other tests break is valid.
TEST(Verify, ValidSchedule) {
  Schedule schedule;
  EXPECT_TRUE(schedule.problem.check().empty());
  EXPECT_TRUE(isValid(schedule.problem, schedule.solution));
}

// Without tasks the empty schedule of no cycles is valid.
TEST(Verify, EmptySchedule) { EXPECT_TRUE(isValid(machine(1), {})); }

// The order of the slots in the solution says nothing.
TEST(Verify, OrderOfSlots) {
  Schedule schedule;
  std::swap(schedule.slot(norm), schedule.slot(out));
  EXPECT_TRUE(isValid(schedule.problem, schedule.solution));
}

// S4: slots on one engine do not overlap: k_proj beside norm and before q_proj.
TEST(Verify, S4_NoOverlapOnAnEngine) {
  auto change = [](S &s) {
    s.part(kProj).workingSetBytes = 0;
    s.slot(kProj).engine.index = 0;
  };
  EXPECT_EQ(
      broken("S4", change),
      "'q_proj' starts on npu[0] at cycle 200, expected not before the end "
      "of 'k_proj' at cycle 300");
}

// S4: a long slot overlaps all that start before its end, not only the next
// one.
TEST(Verify, S4_LongSlotsOverlapMany) {
  Problem problem = machine(1);
  problem.tasks = {task("long", matrix, 100, 0), task("b", matrix, 10, 0),
                   task("c", matrix, 10, 0)};
  Solution solution{{{0, 0, {0, 0}, 0, 100, {0}, {}},
                     {1, 0, {0, 0}, 20, 30, {0}, {}},
                     {2, 0, {0, 0}, 50, 60, {0}, {}}},
                    100};
  std::vector<Violation> violations = verify(problem, solution);
  ASSERT_EQ(violations.size(), 2u) << textOf(violations);
  EXPECT_EQ(violations[1].message,
            "'c' starts on npu[0] at cycle 50, expected not before the end of "
            "'long' at cycle 100");
  EXPECT_EQ(violations[1].task, 2u);
}

// S4: fetches take turns on their queue too: both start at cycle 0 on dma[0].
TEST(Verify, S4_FetchesTakeTurns) {
  EXPECT_EQ(
      broken("S4", [](S &s) { s.fetch(out).engine.index = 0; }),
      "the fetch of 'q_proj.weight' for 'q_proj' starts on dma[0] at cycle "
      "0, expected not before the end of the fetch of 'out.weight' for "
      "'out' at cycle 100");
}

// S5: a part starts when all that it depends on has ended: out on the other
// engine one cycle before the end of q_proj.
TEST(Verify, S5_PredecessorsHaveEnded) {
  auto change = [](S &s) {
    s.problem.engines[0].count = 3;
    s.slot(out).engine.index = 2;
    s.slot(out).start = 299;
    s.solution.makespan = s.slot(out).end = 319;
  };
  EXPECT_EQ(
      broken("S5", change),
      "'out' starts at cycle 299, expected not before the end of 'q_proj' "
      "at cycle 300; 'out' starts at cycle 299, expected not before the "
      "end of 'k_proj' at cycle 300");
}

// S5: all parts of a task wait for all parts of its predecessor.
TEST(Verify, S5_AllParts) {
  Problem problem = machine(4);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0, {0})};
  for (Task &task : problem.tasks)
    task.parts.push_back(task.parts[0]);
  Solution solution{{{0, 0, {0, 0}, 0, 10, {0}, {}},
                     {0, 1, {0, 1}, 5, 15, {0}, {}},
                     {1, 0, {0, 2}, 15, 25, {0}, {}},
                     {1, 1, {0, 3}, 15, 25, {0}, {}}},
                    25};
  EXPECT_TRUE(isValid(problem, solution));
  solution.slots[3].start = 10;
  solution.slots[3].end = 20;
  EXPECT_EQ(textOf(verify(problem, solution)),
            "S5: part 1 of 'b' starts at cycle 10, expected not before the end "
            "of part 1 of 'a' at cycle 15\n");
}

// S5: parts 0 and 2, 1 and 3 are two chains; only the second part of a chain
// waits for the first.
TEST(Verify, S5_PartsOfAChain) {
  Problem problem = machine(4);
  problem.tasks = {task("scan", matrix, 10, 0)};
  problem.tasks[0].parts[0].count = 4;
  problem.tasks[0].chains = {2, 2};
  Solution solution;
  for (unsigned part = 0; part < 4; ++part) {
    int64_t start = part < 2 ? 0 : 10;
    solution.slots.push_back({0, part, {0, part}, start, start + 10, {0}, {}});
  }
  solution.makespan = 20;
  EXPECT_TRUE(isValid(problem, solution));
  solution.slots[3].start = 9;
  solution.slots[3].end = 19;
  EXPECT_EQ(textOf(verify(problem, solution)),
            "S5: part 3 of 'scan' comes behind another one in a chain and "
            "starts at cycle 9, expected not before the end of part 1 of "
            "'scan' at cycle 10\n");
}

// S6: the lanes that parts and fetches hold are never more than there are. The
// fetch of out.weight, 50 cycles later, meets q_proj.weight and k_proj: 3 x
// 512.
TEST(Verify, S6_LanesOfAllTogether) {
  auto change = [](S &s) {
    s.fetch(out).start = 50;
    s.fetch(out).end = 150;
  };
  std::string message = broken("S6", change);
  EXPECT_EQ(message, "from cycle 100 on, when 'k_proj' starts, 1536 lanes of "
                     "'dram' are held, expected at most 1024");
}

// S7: at cycle 200 npu[0] holds the working set of q_proj and both fetched
// slices, 200 + 100 + 50 bytes. One byte less, and they do not fit.
TEST(Verify, S7_WorkingSetsAndSlices) {
  EXPECT_EQ(broken("S7", [](S &s) { s.problem.engines[0].privateBytes = 349; }),
            "from cycle 200 on, with 'q_proj', 350 private bytes of npu[0] are "
            "held, expected at most 349");
}

// S7: a slice takes its place from the start of the fetch: beside norm, 201 +
// 100 + 50.
TEST(Verify, S7_SlicesFromTheStartOfTheFetch) {
  EXPECT_EQ(
      broken("S7", [](S &s) { s.part(norm).workingSetBytes = 201; }),
      "from cycle 0 on, with 'norm', 351 private bytes of npu[0] are held, "
      "expected at most 350");
}

// S7: and keeps it to the end of the part that consumes it: 301 + 50 while out
// runs, when the slice of q_proj is gone.
TEST(Verify, S7_SlicesToTheEndOfTheConsumer) {
  EXPECT_EQ(broken("S7", [](S &s) { s.part(out).workingSetBytes = 301; }),
            "from cycle 300 on, with 'out', 351 private bytes of npu[0] are "
            "held, expected at most 350");
}

// S7: the memory is that of the engine where the part runs, whatever others
// have.
TEST(Verify, S7_MemoryOfTheEngineItself) {
  auto change = [](S &s) {
    s.problem.engines.push_back({"tiny", matrix, 1, {512}, 99});
    s.slot(kProj).engine = {2, 0};
  };
  EXPECT_EQ(broken("S7", change),
            "from cycle 100 on, with 'k_proj', 100 private "
            "bytes of tiny[0] are held, expected at most 99");
}

// S9: the makespan is the end of the last slot, not more and not less.
TEST(Verify, S9_Makespan) {
  for (int64_t makespan : {int64_t(319), int64_t(321), int64_t(-1), INT64_MAX})
    EXPECT_EQ(broken("S9", [&](S &s) { s.solution.makespan = makespan; }),
              "the makespan is " + std::to_string(makespan) +
                  " cycles, expected 320, the end of the last slot");
}

// A slot without length lies inside another one, on its engine, and holds
// nothing; but what depends on it starts after it.
TEST(Verify, SlotsWithoutLength) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 100, 0), task("none", matrix, 0, 0),
                   task("b", matrix, 10, 0, {1})};
  for (Task &task : problem.tasks)
    task.parts[0].workingSetBytes = 1000;
  Solution solution{{{0, 0, {0, 0}, 0, 100, {0}, {}},
                     {1, 0, {0, 0}, 50, 50, {0}, {}},
                     {2, 0, {0, 0}, 100, 110, {0}, {}}},
                    110};
  EXPECT_TRUE(isValid(problem, solution));
  solution.slots[1].start = solution.slots[1].end = 101;
  EXPECT_EQ(
      textOf(verify(problem, solution)),
      "S5: 'b' starts at cycle 100, expected not before the end of 'none' "
      "at cycle 101\n");
}

// No more violations than asked for, but at least one: an empty answer means
// valid.
TEST(Verify, Limit) {
  Schedule schedule;
  schedule.solution.slots.clear();
  EXPECT_EQ(verify(schedule.problem, schedule.solution).size(), 5u);
  EXPECT_EQ(verify(schedule.problem, schedule.solution, 2).size(), 2u);
  EXPECT_EQ(verify(schedule.problem, schedule.solution, 0).size(), 1u);
}

// A problem that is not sound has no valid schedule.
TEST(Verify, UnsoundProblems) {
  Schedule schedule;
  schedule.problem.clockHz = 0;
  std::vector<Violation> violations =
      verify(schedule.problem, schedule.solution);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].rule, "S0");
}

// Any number in any field is answered, not crashed on: each field in turn takes
// each extreme value (or, being an index, its lower bits, of which one is
// wrong), alone and all at once.
TEST(Verify, AnyNumberIsAnswered) {
  using Setter = std::function<void(S &, int64_t)>;
  const std::vector<Setter> fields = {
      [](S &s, int64_t v) { s.slot(qProj).task = v | 8; },
      [](S &s, int64_t v) { s.slot(qProj).part = v | 8; },
      [](S &s, int64_t v) { s.slot(qProj).engine.group = v | 8; },
      [](S &s, int64_t v) { s.slot(qProj).engine.index = v; },
      [](S &s, int64_t v) { s.slot(qProj).start = v; },
      [](S &s, int64_t v) { s.slot(qProj).end = v; },
      [](S &s, int64_t v) { s.slot(qProj).lanes = {v}; },
      [](S &s, int64_t v) {
        s.slot(qProj).lanes.resize(v % 2 == 0 ? 0 : 2, v);
      },
      [](S &s, int64_t v) { s.fetch(qProj).source = v | 8; },
      [](S &s, int64_t v) { s.fetch(qProj).engine.group = v | 8; },
      [](S &s, int64_t v) { s.fetch(qProj).engine.index = v; },
      [](S &s, int64_t v) { s.fetch(qProj).start = v; },
      [](S &s, int64_t v) { s.fetch(qProj).end = v; },
      [](S &s, int64_t v) { s.fetch(qProj).lanes = {v}; },
      [](S &s, int64_t v) {
        s.fetch(qProj).lanes.resize(v % 2 == 0 ? 0 : 2, v);
      },
      [](S &s, int64_t v) { s.solution.makespan = v; }};
  for (int64_t value : {INT64_MIN, INT64_MIN + 1, int64_t(-1), maxCount,
                        INT64_MAX - 1, INT64_MAX}) {
    Schedule all;
    for (const Setter &set : fields) {
      Schedule schedule;
      set(schedule, value);
      EXPECT_FALSE(verify(schedule.problem, schedule.solution).empty());
      set(all, value);
      EXPECT_FALSE(verify(all.problem, all.solution).empty());
    }
    // Lanes and times that would overflow when added up.
    for (Slot &slot : all.solution.slots)
      slot = all.solution.slots[qProj];
    EXPECT_FALSE(verify(all.problem, all.solution).empty());
  }
}
