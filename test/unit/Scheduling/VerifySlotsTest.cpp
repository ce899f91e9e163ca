//===- VerifySlotsTest.cpp - The rules for one slot, broken alone ---------===//
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

// S2: the length follows from the lanes: k_proj streams 100 bytes with 512 of
// 1024 lanes in 200 cycles, norm takes its overhead and arithmetic.
TEST(Verify, S2_LengthFollowsFromLanes) {
  EXPECT_EQ(broken("S2", [](S &s) { s.slot(kProj).end = 299; }),
            "'k_proj' takes 199 cycles, expected 200 with its lanes");
  EXPECT_EQ(broken("S2", [](S &s) { s.slot(norm).end = 90; }),
            "'norm' takes 90 cycles, expected 100 with its lanes");
}

// S2: what was prefetched is not streamed again: with all of its 150 bytes
// q_proj would take 300 cycles.
TEST(Verify, S2_FetchedBytesAreNotStreamed) {
  EXPECT_EQ(broken("S2", [](S &s) { s.slot(qProj).prefetches.clear(); }),
            "'q_proj' takes 100 cycles, expected 300 with its lanes");
}

// S2: there is no time before 0, none after maxCount, and no end before the
// start.
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

// S3: lanes are the fewest for the length. To hide 50 bytes behind 100 cycles
// of arithmetic takes 512 lanes; with 600 the length is the same.
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

// S3: no more lanes than the port of the engine: with all 1024 lanes q_proj
// would take 50 cycles (while k_proj, later, holds none).
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

// S4: the engine has every kind that the task needs. dma[0] is idle while
// k_proj runs (the fetches wait for nobody on dma[1]).
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

// S4: a task whose cycles hold for one group stays there: `twin` is as npu is,
// and a fetch of the task is not bound by it.
TEST(Verify, S4_GroupOfTheTask) {
  auto change = [](S &s) {
    s.problem.engines.push_back(s.problem.engines[0]);
    s.problem.engines.back().name = "twin";
    s.slot(kProj).engine.group = 2;
  };
  Schedule schedule;
  change(schedule);
  EXPECT_TRUE(isValid(schedule.problem, schedule.solution));
  EXPECT_EQ(broken("S4",
                   [&](S &s) {
                     change(s);
                     s.problem.tasks[kProj].group = 0;
                     s.problem.tasks[qProj].group = 0;
                   }),
            "'k_proj' is on twin[1], but its cycles are those of 'npu'");
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

// S4: k_proj holds the vector engine, too, all the while: one of the group that
// its task names, which no other part has in these cycles.
TEST(Verify, S4_EnginesBesideItsOwn) {
  auto change = [](S &s) {
    s.problem.engines.push_back({"vpu", vector, 2, {512}, 0});
    s.problem.tasks[kProj].kinds = both();
    s.problem.engines[0].kinds = matrix;
    s.problem.tasks[norm].kinds = matrix;
    s.problem.tasks[kProj].with = {2};
    s.slot(kProj).with = {{2, 1}};
  };
  Schedule schedule;
  change(schedule);
  EXPECT_TRUE(isValid(schedule.problem, schedule.solution));
  auto brokenBehind = [&](const std::function<void(S &)> &then) {
    return broken("S4", [&](S &s) {
      change(s);
      then(s);
    });
  };
  EXPECT_EQ(brokenBehind([](S &s) { s.slot(kProj).with.clear(); }),
            "'k_proj' holds 0 engines beside its own, expected 1");
  EXPECT_EQ(brokenBehind([](S &s) {
              s.slot(out).with = {{2, 0}};
            }),
            "'out' holds 1 engines beside its own, expected 0");
  EXPECT_EQ(brokenBehind([](S &s) {
              s.slot(kProj).with = {{2, 2}};
            }),
            "'k_proj' holds vpu[2] beside its own engine, expected one of the "
            "2 of 'vpu'");
  EXPECT_EQ(brokenBehind([](S &s) {
              s.slot(kProj).with = {{1, 1}};
            }),
            "'k_proj' holds dma[1] beside its own engine, expected one of the "
            "2 of 'vpu'");
  EXPECT_EQ(brokenBehind([](S &s) {
              s.problem.tasks[qProj].with = {2};
              s.slot(qProj).with = {{2, 1}};
            }),
            "'q_proj' starts on vpu[1] at cycle 200, expected not before the "
            "end of 'k_proj' at cycle 300");
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

// S8: its length follows from the bytes of the source and its lanes, 50 bytes
// in 100 cycles, and its times exist.
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

// S8: it holds the fewest lanes for its length, at most those of its port: 511
// lanes take 100.2 cycles, 101, for which 506.9 are enough.
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

// S8: what writes a source, or selects it, has ended when it is fetched.
// k_proj, which ends at 300, is such a task of what is fetched for out from 0
// on.
TEST(Verify, S8_FetchedOnceItIsThere) {
  EXPECT_EQ(broken("S8",
                   [](S &s) {
                     s.part(out).sources[0].predecessors = {qProj, kProj};
                     s.solution.slots[qProj].end = 300;
                   }),
            "the fetch of 'out.weight' for 'out' starts at cycle 0, expected "
            "not before the end of 'q_proj', which writes or selects what it "
            "fetches, at cycle 300; the fetch of 'out.weight' for 'out' starts "
            "at cycle 0, "
            "expected not before the end of 'k_proj', which writes or selects "
            "what it fetches, at cycle 300");
  Schedule late;
  late.part(out).sources[0].predecessors = {qProj};
  late.fetch(out).start = 300;
  late.slot(out).start = late.fetch(out).end = 400;
  late.solution.makespan = late.slot(out).end = 420;
  EXPECT_TRUE(isValid(late.problem, late.solution));
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

// S8: it is of a source of the part, and no source is fetched twice (the bias
// of k_proj has no bytes, so that a second fetch disturbs nobody).
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
