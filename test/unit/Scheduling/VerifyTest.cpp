//===- VerifyTest.cpp - Each rule of a schedule, broken alone -------------===//
//
// Part of the llm-opt project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "llm/Support/Units.h"

#include <functional>

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

// One schedule, valid to the last lane and byte, that each test breaks in one way. The
// DRAM gives one byte per cycle; half of it, 512 lanes, is the port of each engine, so
// that b bytes take 2 b cycles.
//
//   cycle    0         100        200        300   320
//   npu[0]   | norm     |          | q_proj   | out |
//   npu[1]              | k_proj   . . . . .  |
//   dma[0]   | q_proj.weight       |
//   dma[1]   | out.weight |
//   lanes    | 512+512  | 512+512  | 512+512  | 0   |
//   npu[0]   | 100+150  | 150      | 200+150  | 50+50 bytes
//
// norm: 10 + 90 cycles of arithmetic. q_proj: 150 bytes, of which 100 are fetched in 200
// cycles, so 50 are left for 100 cycles. k_proj: 100 bytes in 200 cycles; its bias has
// no byte and is fetched in no time. out: 20 cycles; all of its 50 bytes are fetched.
enum TaskIndex { norm, qProj, kProj, out };

namespace {
struct Schedule {
  Problem problem = machine(2, /*portLanes=*/512);
  Solution solution;

  Schedule() {
    problem.engines[0].privateBytes = 350;
    problem.engines.push_back({"dma", memory, 2, {512}, 350});
    problem.tasks = {task("norm", vector, 90, 0),
                     task("q_proj", matrix, 50, 150, {norm}),
                     task("k_proj", matrix, 100, 100, {norm}),
                     task("out", matrix, 20, 50, {qProj, kProj})};
    part(norm).overheadCycles = 10;
    part(norm).workingSetBytes = 100;
    part(qProj).workingSetBytes = 200;
    part(qProj).sources = {{"q_proj.weight", {100}, 100}};
    part(kProj).workingSetBytes = 100;
    part(kProj).sources = {{"k_proj.bias", {0}, 0}};
    part(out).workingSetBytes = 50;
    part(out).sources = {{"out.weight", {50}, 50}};
    solution.slots = {
        {norm, 0, {0, 0}, 0, 100, {0}, {}},
        {qProj, 0, {0, 0}, 200, 300, {512}, {{0, {1, 0}, 0, 200, {512}}}},
        {kProj, 0, {0, 1}, 100, 300, {512}, {{0, {1, 0}, 0, 0, {0}}}},
        {out, 0, {0, 0}, 300, 320, {0}, {{0, {1, 1}, 0, 100, {512}}}}};
    solution.makespan = 320;
  }
  Part &part(unsigned task) { return problem.tasks[task].parts[0]; }
  Slot &slot(unsigned task) { return solution.slots[task]; }
  PrefetchSlot &fetch(unsigned task) { return slot(task).prefetches[0]; }
};
} // namespace

/// The messages after `change`; they must all be of one rule.
static std::string broken(const std::string &rule,
                          const std::function<void(Schedule &)> &change) {
  Schedule schedule;
  change(schedule);
  EXPECT_EQ(schedule.problem.check(), std::vector<std::string>());
  std::vector<Violation> violations =
      verify(schedule.problem, schedule.solution);
  EXPECT_FALSE(violations.empty());
  std::string text;
  for (const Violation &violation : violations) {
    EXPECT_EQ(violation.rule, rule) << violation.message;
    text += (text.empty() ? "" : "; ") + violation.message;
  }
  return text;
}
using S = Schedule;

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

// S1: each part has exactly one slot.
TEST(Verify, S1_OneSlotForEachPart) {
  EXPECT_EQ(broken("S1",
                   [](S &s) {
                     s.solution.slots.erase(s.solution.slots.begin() + kProj);
                   }),
            "'k_proj' has 0 slots, expected 1");
  EXPECT_EQ(
      broken("S1",
             [](S &s) { // again, where nobody minds
               s.part(norm).workingSetBytes = 0;
               s.solution.slots.push_back({norm, 0, {0, 0}, 100, 200, {0}, {}});
               s.problem.tasks[qProj].predecessors.clear();
               s.problem.tasks[kProj].predecessors.clear();
             }),
      "'norm' has 2 slots, expected 1");
}

// S1: no slot is of a task or a part that does not exist.
TEST(Verify, S1_SlotsAreOfPartsThatExist) {
  EXPECT_EQ(broken("S1",
                   [](S &s) {
                     s.solution.slots.push_back({4, 0, {0, 0}, 0, 1, {0}, {}});
                   }),
            "slot 4 is of task 4, expected below 4");
  EXPECT_EQ(
      broken("S1",
             [](S &s) {
               s.solution.slots.push_back({out, 1, {0, 0}, 0, 1, {0}, {}});
             }),
      "slot 4 is of 'out', part 1, expected below 1");
}

// S2: the length follows from the lanes: k_proj streams 100 bytes with 512 of 1024
// lanes in 200 cycles, norm takes its overhead and arithmetic.
TEST(Verify, S2_LengthFollowsFromLanes) {
  EXPECT_EQ(broken("S2", [](S &s) { s.slot(kProj).end = 299; }),
            "'k_proj' takes 199 cycles, expected 200 with its lanes");
  EXPECT_EQ(broken("S2", [](S &s) { s.slot(norm).end = 90; }),
            "'norm' takes 90 cycles, expected 100 with its lanes");
}

// S2: what was prefetched is not streamed again: with all of its 150 bytes q_proj would
// take 300 cycles.
TEST(Verify, S2_FetchedBytesAreNotStreamed) {
  EXPECT_EQ(broken("S2", [](S &s) { s.slot(qProj).prefetches.clear(); }),
            "'q_proj' takes 100 cycles, expected 300 with its lanes");
}

// S2: there is no time before 0, none after maxCount, and no end before the start.
TEST(Verify, S2_TimesExist) {
  std::string tail =
      ", expected a start at or after 0 and an end at or after it";
  EXPECT_EQ(
      broken("S2",
             [](S &s) { s.slot(norm).start = -100, s.slot(norm).end = 0; }),
      "'norm' is in cycles -100 to 0" + tail);
  EXPECT_EQ(broken("S2", [](S &s) { s.slot(out).start = 340; }),
            "'out' is in cycles 340 to 320" + tail);
  EXPECT_EQ(broken("S2",
                   [](S &s) {
                     s.slot(out).start = maxCount - 19;
                     s.solution.makespan = s.slot(out).end = maxCount + 1;
                   }),
            "'out' is in cycles " + std::to_string(maxCount - 19) + " to " +
                std::to_string(maxCount + 1) + tail);
}

// S3: lanes are the fewest for the length. To hide 50 bytes behind 100 cycles of
// arithmetic takes 512 lanes; with 600 the length is the same.
TEST(Verify, S3_FewestLanes) {
  auto change = [](S &s) {
    s.problem.engines[0].portLanes = {1024};
    s.problem.resources.push_back({"l2", 1000000000, 1024});
    for (EngineGroup &engine : s.problem.engines)
      engine.portLanes.push_back(1024);
    for (Task &task : s.problem.tasks) {
      task.parts[0].bytes.push_back(0);
      for (Source &source : task.parts[0].sources)
        source.bytes.push_back(0);
    }
    for (Slot &slot : s.solution.slots) {
      slot.lanes.push_back(0);
      for (PrefetchSlot &fetch : slot.prefetches)
        fetch.lanes.push_back(0);
    }
    // 25 bytes of the second resource in 100 cycles: 256 lanes.
    s.part(qProj).bytes[1] = 25;
    s.slot(qProj).lanes[1] = 300;
  };
  EXPECT_EQ(broken("S3", change),
            "'q_proj' holds 300 lanes of 'l2', the fewest "
            "for 100 cycles are 256");
}

// S3: no more lanes than the port of the engine: with all 1024 lanes q_proj would take
// 50 cycles (while k_proj, later, holds none).
TEST(Verify, S3_PortOfTheEngine) {
  auto change = [](S &s) {
    s.slot(qProj).lanes = {1024};
    s.slot(qProj).start = 300;
    s.slot(qProj).end = 350;
    s.slot(out).start = 350;
    s.solution.makespan = s.slot(out).end = 370;
  };
  EXPECT_EQ(broken("S3", change),
            "'q_proj' holds 1024 lanes of 'dram', expected "
            "1 to 512 on this engine");
}

// S3: lanes are held if, and only if, bytes pass.
TEST(Verify, S3_LanesForBytesOnly) {
  EXPECT_EQ(broken("S3", [](S &s) { s.slot(out).lanes = {1}; }),
            "'out' holds 1 lanes of 'dram', expected 0 for no bytes");
  EXPECT_EQ(
      broken("S3", [](S &s) { s.slot(kProj).lanes = {0}; }),
      "'k_proj' holds 0 lanes of 'dram', expected 1 to 512 on this engine");
  EXPECT_EQ(broken("S3", [](S &s) { s.slot(kProj).lanes = {-512}; }),
            "'k_proj' holds -512 lanes of 'dram', expected 1 to 512 on this "
            "engine");
}

// S3: a slot says for each resource how many lanes it holds.
TEST(Verify, S3_LanesOfEachResource) {
  EXPECT_EQ(broken("S3", [](S &s) { s.slot(kProj).lanes = {}; }),
            "'k_proj' holds lanes of 0 resources, expected 1");
  EXPECT_EQ(broken("S3",
                   [](S &s) {
                     s.slot(norm).lanes = {0, 0};
                   }),
            "'norm' holds lanes of 2 resources, expected 1");
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

// S4: a long slot overlaps all that start before its end, not only the next one.
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

// S4: the engine has every kind that the task needs. dma[0] is idle while k_proj runs
// (the fetches wait for nobody on dma[1]).
TEST(Verify, S4_KindsOfTheEngine) {
  auto change = [](S &s) {
    s.fetch(qProj).engine.index = 1;
    s.fetch(qProj).start = 0;
    s.slot(out).prefetches.clear();
    s.part(out).bytes = {0};
    s.part(out).sources.clear();
    s.slot(kProj).engine = {1, 0};
  };
  EXPECT_EQ(broken("S4", change),
            "'k_proj' is on dma[0] of kind memory, expected matrix");
}

// S4: the engine exists.
TEST(Verify, S4_EngineExists) {
  EXPECT_EQ(broken("S4", [](S &s) { s.slot(kProj).engine.index = 2; }),
            "'k_proj' is on npu[2], which does not exist");
  EXPECT_EQ(broken("S4", [](S &s) { s.slot(kProj).engine.index = -1; }),
            "'k_proj' is on npu[-1], which does not exist");
  EXPECT_EQ(broken("S4", [](S &s) { s.slot(kProj).engine.group = 7; }),
            "'k_proj' is on group 7[1], which does not exist");
}

// S5: a part starts when all that it depends on has ended: out on the other engine one
// cycle before the end of q_proj.
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

// S6: the lanes that parts and fetches hold are never more than there are. The fetch of
// out.weight, 50 cycles later, meets q_proj.weight and k_proj: 3 x 512.
TEST(Verify, S6_LanesOfAllTogether) {
  auto change = [](S &s) {
    s.fetch(out).start = 50;
    s.fetch(out).end = 150;
  };
  std::string message = broken("S6", change);
  EXPECT_EQ(message, "from cycle 100 on, when 'k_proj' starts, 1536 lanes of "
                     "'dram' are held, expected at most 1024");
}

// S7: at cycle 200 npu[0] holds the working set of q_proj and both fetched slices,
// 200 + 100 + 50 bytes. One byte less, and they do not fit.
TEST(Verify, S7_WorkingSetsAndSlices) {
  EXPECT_EQ(broken("S7", [](S &s) { s.problem.engines[0].privateBytes = 349; }),
            "from cycle 200 on, with 'q_proj', 350 private bytes of npu[0] are "
            "held, expected at most 349");
}

// S7: a slice takes its place from the start of the fetch: beside norm, 201 + 100 + 50.
TEST(Verify, S7_SlicesFromTheStartOfTheFetch) {
  EXPECT_EQ(
      broken("S7", [](S &s) { s.part(norm).workingSetBytes = 201; }),
      "from cycle 0 on, with 'norm', 351 private bytes of npu[0] are held, "
      "expected at most 350");
}

// S7: and keeps it to the end of the part that consumes it: 301 + 50 while out runs,
// when the slice of q_proj is gone.
TEST(Verify, S7_SlicesToTheEndOfTheConsumer) {
  EXPECT_EQ(broken("S7", [](S &s) { s.part(out).workingSetBytes = 301; }),
            "from cycle 300 on, with 'out', 351 private bytes of npu[0] are "
            "held, expected at most 350");
}

// S7: the memory is that of the engine where the part runs, whatever others have.
TEST(Verify, S7_MemoryOfTheEngineItself) {
  auto change = [](S &s) {
    s.problem.engines.push_back({"tiny", matrix, 1, {512}, 99});
    s.slot(kProj).engine = {2, 0};
  };
  EXPECT_EQ(broken("S7", change),
            "from cycle 100 on, with 'k_proj', 100 private "
            "bytes of tiny[0] are held, expected at most 99");
}

// S8: a fetch runs on an engine that moves memory, and that exists.
TEST(Verify, S8_EngineOfTheFetch) {
  EXPECT_EQ(broken("S8",
                   [](S &s) {
                     s.fetch(out).engine = {0, 1};
                   }),
            "the fetch of 'out.weight' for 'out' is on npu[1] of kind "
            "matrix+vector, expected memory");
  EXPECT_EQ(broken("S8", [](S &s) { s.fetch(out).engine.index = 2; }),
            "the fetch of 'out.weight' for 'out' is on dma[2], which does not "
            "exist");
}

// S8: its length follows from the bytes of the source and its lanes, 50 bytes in 100
// cycles, and its times exist.
TEST(Verify, S8_LengthOfTheFetch) {
  EXPECT_EQ(broken("S8", [](S &s) { s.fetch(out).end = 99; }),
            "the fetch of 'out.weight' for 'out' takes 99 cycles, expected 100 "
            "with its lanes");
  EXPECT_EQ(broken("S8",
                   [](S &s) {
                     s.fetch(out).start = -100;
                     s.fetch(out).end = 0;
                   }),
            "the fetch of 'out.weight' for 'out' is in cycles -100 to 0, "
            "expected a start at or after 0 and an end at or after it");
}

// S8: it holds the fewest lanes for its length, at most those of its port: 511 lanes
// take 100.2 cycles, 101, for which 506.9 are enough.
TEST(Verify, S8_LanesOfTheFetch) {
  auto fewest = [](S &s) {
    s.fetch(out).lanes = {511};
    s.fetch(out).end = 101;
    s.slot(kProj).start = 101;
    s.slot(kProj).end = 301;
    s.slot(out).start = 301;
    s.solution.makespan = s.slot(out).end = 321;
  };
  EXPECT_EQ(broken("S8", fewest),
            "the fetch of 'out.weight' for 'out' holds 511 "
            "lanes of 'dram', the fewest for 101 cycles are 507");
  auto port = [](S &s) {
    s.problem.engines.push_back({"slow", memory, 1, {256}, 0});
    s.fetch(out).engine = {2, 0};
  };
  EXPECT_EQ(broken("S8", port),
            "the fetch of 'out.weight' for 'out' holds 512 "
            "lanes of 'dram', expected 1 to 256 on this engine");
  auto none = [](S &s) { s.fetch(out).lanes = {}; };
  EXPECT_EQ(broken("S8", none),
            "the fetch of 'out.weight' for 'out' holds lanes "
            "of 0 resources, expected 1");
}

// S8: it is done before the part starts.
TEST(Verify, S8_FetchedBeforeTheStart) {
  auto change = [](S &s) {
    s.fetch(out).start = 300;
    s.fetch(out).end = 400;
  };
  EXPECT_EQ(
      broken("S8", change),
      "the fetch of 'out.weight' for 'out' ends at cycle 400, expected by "
      "the start of the part at cycle 300");
}

// S8: it is of a source of the part, and no source is fetched twice (the bias of k_proj
// has no bytes, so that a second fetch disturbs nobody).
TEST(Verify, S8_SourcesOfThePart) {
  EXPECT_EQ(broken("S8",
                   [](S &s) {
                     s.slot(kProj).prefetches.push_back({1, {1, 0}, 0, 0, {0}});
                   }),
            "'k_proj' fetches source 1, expected below 1");
  EXPECT_EQ(broken("S8",
                   [](S &s) {
                     s.slot(kProj).prefetches.push_back({0, {1, 0}, 0, 0, {0}});
                   }),
            "'k_proj' fetches a source more than once");
}

// S9: the makespan is the end of the last slot, not more and not less.
TEST(Verify, S9_Makespan) {
  for (int64_t makespan : {int64_t(319), int64_t(321), int64_t(-1), INT64_MAX})
    EXPECT_EQ(broken("S9", [&](S &s) { s.solution.makespan = makespan; }),
              "the makespan is " + std::to_string(makespan) +
                  " cycles, expected 320, the end of the last slot");
}

// A slot without length lies inside another one, on its engine, and holds nothing; but
// what depends on it starts after it.
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

// No more violations than asked for, but at least one: an empty answer means valid.
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

// Any number in any field is answered, not crashed on: each field in turn takes each
// extreme value (or, being an index, its lower bits, of which one is wrong), alone and
// all at once.
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
