//===- BoundsTest.cpp - Lower bounds of the makespan ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

/// "critical_path=1 bytes_dram=2"
static std::string boundsOf(const Problem &problem) {
  EXPECT_TRUE(problem.check().empty());
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  if (!bounds)
    return "none";
  std::string text;
  for (const Bound &bound : *bounds)
    text += (text.empty() ? "" : " ") + bound.name + "=" +
            std::to_string(bound.cycles);
  return text;
}

// Without tasks nothing takes time, and there is no work to name.
TEST(Bounds, NoTasks) {
  EXPECT_EQ(boundsOf(machine(1)), "critical_path=0 bytes_dram=0 stages=0");
}

// A diamond: the path is the longer side, 10 + 40 + 5; the work is 10 + 20 + 40
// + 5 = 75 on two engines, ceil(37.5) = 38, but 5 of it after the 50 that are
// ahead of it: 50 + ceil(2.5). Between top and bottom is the longer side: 40
// against 60 / 2.
TEST(Bounds, DiamondOfArithmetic) {
  Problem problem = machine(2);
  problem.tasks = {task("top", both(), 10, 0), task("left", both(), 20, 0, {0}),
                   task("right", both(), 40, 0, {0}),
                   task("bottom", both(), 5, 0, {1, 2})};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=55 work_npu=53 bytes_dram=0 stages=55");
}

// Tasks count where they are confined: 30 + 60 on the one engine with matrix
// units, all 110 on that one and the two vector engines (36.7).
TEST(Bounds, WorkOfEachSetOfEngines) {
  Problem problem = machine(1);
  problem.engines.push_back({"vec", vector, 2, {1024}, 0});
  problem.tasks = {task("m", matrix, 30, 0), task("v", vector, 20, 0),
                   task("b", both(), 60, 0)};
  EXPECT_EQ(boundsOf(problem), "critical_path=60 work_npu_vec=37 work_npu=90 "
                               "bytes_dram=0 stages=90");
}

// Attention holds an engine of each kind: its four parts of 30 run two at a
// time, as there are two vector engines, 60 from the first start to the last
// end. The vector engines have 4 x 30 of it and 20 of their own, (120 + 20) /
// 2, the matrix engines 120 / 4.
TEST(Bounds, EnginesOfSeveralGroupsAtOnce) {
  Problem problem = machine(4);
  problem.engines[0].kinds = matrix;
  problem.engines.push_back({"vec", vector, 2, {1024}, 0});
  problem.tasks = {task("attn", both(), 30, 0), task("v", vector, 20, 0)};
  problem.tasks[0].parts[0].count = 4;
  problem.tasks[0].with = {1};
  EXPECT_EQ(boundsOf(problem), "critical_path=60 work_npu=30 work_vec=70 "
                               "bytes_dram=0 stages=70");
  EXPECT_EQ(scheduleList(problem)->makespan, 80);
}

// Streams count as the time for which they hold an engine: with a port of a
// quarter, 100 bytes take 400 cycles; two such tasks on one engine 800, and so
// do their bytes, as no other engine has a port. Overhead and serial cycles
// belong to the engine's time alone.
TEST(Bounds, PortsLimitWhatOneEngineStreams) {
  Problem problem = machine(1, /*portLanes=*/256);
  problem.tasks = {task("a", matrix, 10, 100), task("b", matrix, 10, 100)};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=400 work_npu=800 bytes_dram=800 stages=800");
  problem.tasks[0].parts[0].overheadCycles = 3;
  problem.tasks[0].parts[0].serialCycles = 4;
  EXPECT_EQ(boundsOf(problem),
            "critical_path=407 work_npu=807 bytes_dram=800 stages=807");
}

// Where a memory engine exists, a source may be there before the part starts:
// only the 20 other bytes and the 30 cycles of arithmetic are on the path. All
// bytes still have to pass: 100. Without a memory engine the part streams all
// 100. With it, T cycles are enough to fetch T bytes, each of which saves 70 /
// 80 of a cycle: T >= 100 - T 7 / 8, so 54. There is room for all of it.
// Nothing is fetched before the first stage: its 100 bytes pass while it lasts.
TEST(Bounds, PrefetchedBytesAreNotOnThePath) {
  Problem problem = machine(1);
  problem.tasks = {task("q", matrix, 30, 100)};
  problem.tasks[0].parts[0].sources = {{"w", {80}, 80}};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=100 work_npu=100 bytes_dram=100 stages=100");
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  EXPECT_EQ(boundsOf(problem), "critical_path=30 work_npu=30 bytes_dram=100 "
                               "streams_npu=54 room_npu=54 stages=100");
}

// A source that private memory (1000 bytes) cannot hold beside a working set of
// 200 is never prefetched (S7): its bytes stay on the path. One of 800 fits:
// T >= 900 - T. Of 900 cycles that the part takes otherwise, 100 are left when
// what fits beside it is there, and 100 behind the slice: T >= 900 - (T - 100).
TEST(Bounds, SourcesThatDoNotFitStayOnThePath) {
  Problem problem = machine(1);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("q", matrix, 30, 900)};
  problem.tasks[0].parts[0].workingSetBytes = 200;
  problem.tasks[0].parts[0].sources = {{"w", {801}, 801}};
  EXPECT_EQ(boundsOf(problem), "critical_path=900 work_npu=900 bytes_dram=900 "
                               "streams_npu=900 room_npu=900 stages=900");
  problem.tasks[0].parts[0].sources = {{"w", {800}, 800}};
  EXPECT_EQ(boundsOf(problem), "critical_path=100 work_npu=100 bytes_dram=900 "
                               "streams_npu=450 room_npu=500 stages=900");
}

// Parts may run side by side: the path has the longest (30), the work all of
// them (10 + 30 + 20 on two engines).
TEST(Bounds, PartsRunSideBySide) {
  Problem problem = machine(2);
  Task split = task("split", matrix, 10, 0);
  for (int64_t compute : {30, 20}) {
    split.parts.push_back(split.parts[0]);
    split.parts.back().computeCycles = compute;
  }
  problem.tasks = {split};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=30 work_npu=30 bytes_dram=0 stages=30");
}

// Each resource has a bound of its own rate: 300 bytes at 1, 100 at half a byte
// per cycle.
TEST(Bounds, BytesOfEachResource) {
  Problem problem = machine(4);
  problem.resources.push_back({"link", 500000000, 8});
  problem.engines[0].portLanes = {1024, 8};
  for (int i = 0; i < 2; ++i) {
    problem.tasks.push_back(task("t", matrix, 0, 150));
    problem.tasks.back().parts[0].bytes.push_back(50);
  }
  // A task: max(150, 100) cycles; two of them on four engines: 75.
  EXPECT_EQ(boundsOf(problem), "critical_path=150 work_npu=75 bytes_dram=300 "
                               "bytes_link=200 stages=300");
}

// A task that needs no kind runs on any engine, and its bound says so: 50
// cycles on 1 + 4 engines.
TEST(Bounds, TasksOfNoKind) {
  Problem problem = machine(1);
  problem.engines.push_back({"dma", memory, 4, {1024}, 0});
  problem.tasks = {task("any", {}, 50, 0)};
  EXPECT_EQ(boundsOf(problem), "critical_path=50 work_npu_dma=10 bytes_dram=0 "
                               "streams_npu_dma=10 room_npu_dma=10 stages=50");
}

// Tasks whose cycles hold for one group share its engines, although another one
// has the kinds: 3 x 100 cycles on two, 10 on one. A task of any group is in
// the bound of both together: (310 + 50) / 3.
TEST(Bounds, TasksOfOneGroup) {
  Problem problem = machine(2);
  problem.engines.push_back({"slow", both(), 1, {1024}, 1000});
  for (int i = 0; i < 3; ++i) {
    problem.tasks.push_back(task("t", matrix, 100, 0));
    problem.tasks.back().group = 0;
  }
  problem.tasks.push_back(task("s", matrix, 10, 0));
  problem.tasks.back().group = 1;
  problem.tasks.push_back(task("any", matrix, 50, 0));
  EXPECT_EQ(boundsOf(problem),
            "critical_path=100 work_npu_slow=120 "
            "work_npu=150 work_slow=10 bytes_dram=0 stages=150");
}

// Each number is the least over all ways to cut a task, for itself: in two
// halves the span is 60, and the work of both 120, where the whole has 100.
TEST(Bounds, WaysToCut) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 100, 0)};
  Part half = problem.tasks[0].parts[0];
  half.computeCycles = 60;
  half.count = 2;
  problem.tasks[0].alternatives = {{{half}}};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=60 work_npu=50 bytes_dram=0 stages=60");
}

// Ways are those of one way to cut: whole, `a` and `b` take 100 cycles and 10
// bytes each, cut 60 cycles and 120 bytes. Nothing is shorter than 60 + 60, or
// 60 + 100 / 2 on both engines, and each way to cut for itself needs no more
// than that. But both of them whole take 100 + 100, `b` alone cut 100 and then
// the 120 of its bytes, `a` alone the 120 of its own and then 100, and both cut
// 240. Another task runs beside them, so that all is one stage.
TEST(Bounds, WaysAsTasksAreCut) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 100, 10), task("b", matrix, 100, 10, {0}),
                   task("beside", matrix, 1, 0)};
  Part half = problem.tasks[0].parts[0];
  half.computeCycles = 50;
  half.bytes = {60};
  half.count = 2;
  for (unsigned task : {0, 1})
    problem.tasks[task].alternatives = {{{half}}};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=120 work_npu=110 bytes_dram=20 stages=200");
}

// How a stage is cut also decides when what it streams is there, behind what
// the stage before it streams. `a` takes 100 cycles whole, and 10 bytes; in
// halves 50 cycles, when 120 bytes were fetched, and private memory could hold
// them when it begins: but `first` streams all the time. So 100 + 100, or 100 +
// 120.
TEST(Bounds, BytesBehindOthers) {
  Problem problem = machine(2);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("first", matrix, 0, 100),
                   task("a", matrix, 100, 10, {0})};
  Part &whole = problem.tasks[1].parts[0];
  whole.sources = {{"w", {10}, 10, 0}};
  Part half = whole;
  half.computeCycles = 50;
  half.bytes = {60};
  half.sources = {{"w", {60}, 60, 0}};
  half.count = 2;
  problem.tasks[1].alternatives = {{{half}}};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=150 work_npu=150 bytes_dram=110 streams_npu=100 "
            "room_npu=100 stages=200");
  EXPECT_EQ(scheduleList(problem)->makespan, 200);
}

// What private memory may hold when a row of stages begins, 8 bytes of the two
// kinds of engines, is more than the last two stages stream: nothing is carried
// into the last one. `a` needs all private memory for 5 cycles, then 3 bytes
// are fetched in 1 for `b`, which takes no time, and `c` takes 5 more.
TEST(Bounds, HeldBytesAreNotCarried) {
  Problem problem = machine(1);
  problem.clockHz = 1;
  problem.resources = {{"dram", 3, 3}};
  problem.engines = {{"npu", both(), 1, {1}, 4}, {"dma", memory, 1, {3}, 4}};
  problem.tasks = {task("a", matrix, 5, 5), task("b", matrix, 0, 3, {0}),
                   task("c", matrix, 5, 0, {1})};
  problem.tasks[0].parts[0].workingSetBytes = 4;
  problem.tasks[1].parts[0].sources = {{"w", {3}, 3, 0}};
  Part other = problem.tasks[2].parts[0];
  other.computeCycles = 10;
  other.bytes = {4};
  other.sources = {{"w", {4}, 4, 0}};
  problem.tasks[2].alternatives = {{{other}}};
  EXPECT_EQ(scheduleList(problem)->makespan, 11);
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  ASSERT_TRUE(bounds);
  for (const Bound &bound : *bounds)
    EXPECT_LE(bound.cycles, 11) << bound.name;
}

// The work of two tasks passes before what waits for both: 2 x 100, then the 50
// and 30 behind them, which is also the best schedule. All work of the matrix
// engine is 230, and the longest way 100 + 50 + 30.
TEST(Bounds, WorkBeforeAWay) {
  Problem problem = machine(1);
  problem.engines = {{"mat", matrix, 1, {1024}, 0},
                     {"vec", vector, 1, {1024}, 0}};
  problem.tasks = {task("a", matrix, 100, 0), task("b", matrix, 100, 0),
                   task("v", vector, 50, 0, {0, 1}),
                   task("m", matrix, 30, 0, {2}), task("w", vector, 1, 0)};
  EXPECT_EQ(boundsOf(problem), "critical_path=180 work_mat=230 work_vec=180 "
                               "bytes_dram=0 stages=280");
  EXPECT_EQ(scheduleList(problem)->makespan, 280);
}

// The same of bytes: 2 x 100 stream before the way of 50 and 30. The work of
// the last one on both engines, 15, comes behind 100 + 50.
TEST(Bounds, BytesBeforeAWay) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100),
                   task("v", matrix, 50, 0, {0, 1}),
                   task("m", matrix, 30, 0, {2}), task("w", matrix, 1, 0)};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=180 work_npu=165 bytes_dram=200 stages=280");
  EXPECT_EQ(scheduleList(problem)->makespan, 280);
}

// Between tasks that all wait for, bounds of different kinds add up: 30 of the
// first one, 99 of the work of three on two engines, where the longest way is
// 66, and 20 of the last. Work alone says 30 + (198 + 20) / 2.
TEST(Bounds, StagesAddUp) {
  Problem problem = machine(2);
  problem.tasks = {task("first", matrix, 30, 0), task("a", matrix, 66, 0, {0}),
                   task("b", matrix, 66, 0, {0}), task("c", matrix, 66, 0, {0}),
                   task("last", matrix, 20, 0, {1, 2, 3})};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=116 work_npu=139 bytes_dram=0 stages=149");
}

// Nothing waits for a task that starts behind the first one. No stage begins
// between the others with it: work ends 20 before the end, and
// 30 + (198 + 10 + 198) / 2 + 20 = 253. Those that the last one waits for have
// 30 + 99 + 10 + 99 + 20.
TEST(Bounds, StagesWithoutLooseEnds) {
  Problem problem = machine(2);
  problem.tasks = {task("first", matrix, 30, 0),
                   task("a", matrix, 66, 0, {0}),
                   task("b", matrix, 66, 0, {0}),
                   task("c", matrix, 66, 0, {0}),
                   task("loose", matrix, 1, 0, {0}),
                   task("middle", matrix, 10, 0, {1, 2, 3}),
                   task("d", matrix, 66, 0, {5}),
                   task("e", matrix, 66, 0, {5}),
                   task("f", matrix, 66, 0, {5}),
                   task("last", matrix, 20, 0, {6, 7, 8})};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=192 work_npu=244 bytes_dram=0 stages=258");
}

// While a task computes for 2000 cycles, no more of the 3000 bytes of two
// others is fetched than the 1000 that private memory holds.
TEST(Bounds, WhatPrivateMemoryHolds) {
  Problem problem = machine(1);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("first", matrix, 2000, 0),
                   task("a", matrix, 0, 1500, {0}),
                   task("b", matrix, 0, 1500, {1})};
  for (unsigned i : {1, 2})
    problem.tasks[i].parts[0].sources = {{"w", {1500}, 1000, 0}};
  // 1500 bytes stand for 1000 of room: 1500 of them are held, and 1500 cycles
  // are left behind 2000. Without stages: T >= 5000 - T.
  EXPECT_EQ(boundsOf(problem),
            "critical_path=2000 work_npu=2000 bytes_dram=3000 streams_npu=2500 "
            "room_npu=2500 stages=3500");
}

/// One engine, one memory engine, and a part of 5 cycles that streams 100 bytes
/// from two sources.
static Problem withSources(std::vector<Source> sources) {
  Problem problem = machine(1);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("a", matrix, 5, 100)};
  problem.tasks[0].parts[0].sources = std::move(sources);
  return problem;
}

// The slice of `b` fits beside the working set once `w` is fetched, which makes
// more room than its slice takes: 5 cycles without a byte to stream.
TEST(Bounds, RoomThatOthersMake) {
  Problem problem = withSources({{"w", {60}, 100, 900}, {"b", {40}, 800, 0}});
  problem.tasks[0].parts[0].workingSetBytes = 1000;
  // Of 100 cycles each fetched byte saves one, but for the last 5: 2 T = 100.
  // While all is streamed there is no room to fetch anything, for 100 cycles;
  // that is worse than to fetch the 60 bytes of `w`.
  EXPECT_EQ(boundsOf(problem), "critical_path=5 work_npu=5 bytes_dram=100 "
                               "streams_npu=50 room_npu=60 stages=100");
}

// The slice does not fit beside the working set; but without its bytes the part
// takes no time, and then it holds nothing. Each fetched byte saves 2 of 200
// cycles: T = 200 - 2 T. The slice is in nine tenths of the room for the 100
// cycles of its fetch, the working set in a fifth for 200: from 40 cycles of
// all of it to 90, 200 cycles are saved, T = 200 - 4 (T - 40).
TEST(Bounds, WithoutLengthHoldsNothing) {
  Problem problem = withSources({{"w", {100}, 900, 0}});
  problem.engines[0].portLanes = {512};
  problem.tasks[0].parts[0].computeCycles = 0;
  problem.tasks[0].parts[0].workingSetBytes = 200;
  EXPECT_EQ(boundsOf(problem), "critical_path=0 work_npu=0 bytes_dram=100 "
                               "streams_npu=67 room_npu=72 stages=100");
}

// A small source may save more for a byte than a large one that hides behind
// arithmetic: `b`, 5 bytes, saves 5 of 100 cycles; `w`, 95 bytes, saves 90, as
// 10 of arithmetic are left. Behind `b`, 85 with 90 bytes more: T = 95 - 85/90
// (T - 5), T = 51.3.
TEST(Bounds, SavesMostFirst) {
  Problem problem = withSources({{"w", {95}, 95, 0}, {"b", {5}, 5, 0}});
  problem.tasks[0].parts[0].computeCycles = 10;
  EXPECT_EQ(boundsOf(problem), "critical_path=10 work_npu=10 bytes_dram=100 "
                               "streams_npu=52 room_npu=52 stages=100");
}

// What a stage streams passes while it lasts, but for what was fetched and held
// by then: that is less than what could be fetched for each part alone.
TEST(Bounds, RowsOfStages) {
  Problem problem = machine(1);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.engines[0].portLanes = {512};
  problem.engines[1].portLanes = {512};
  problem.tasks = {task("first", matrix, 400, 0),
                   task("a", matrix, 100, 4000, {0}),
                   task("last", matrix, 900, 0, {1})};
  problem.tasks[1].parts[0].sources = {{"w", {4000}, 1000, 0}};
  problem.engines[0].privateBytes = 300;
  // `a` streams 8000 cycles alone; its slice does not fit into 300 bytes, so
  // nothing is saved. Stages: 400 + 8000 + 900.
  EXPECT_EQ(boundsOf(problem),
            "critical_path=9300 work_npu=9300 bytes_dram=4000 streams_npu=9300 "
            "room_npu=9300 stages=9300");
  // A slice of 250 fits, and stands for 1000 of the 4000 bytes: the other 3000
  // take 6000 cycles, of `a` as of the path. It fills all room, for the 2000
  // cycles of its fetch and those 6000: 8000, to save 2000 of the engine. Of
  // all tasks T = 9300 - T / 4; of the first two, T = 8400 - T / 4, and then
  // 900.
  problem.engines[0].privateBytes = 250;
  problem.tasks[1].parts[0].sources = {{"w", {1000}, 250, 0}};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=7300 work_npu=7300 bytes_dram=4000 streams_npu=7300 "
            "room_npu=7440 stages=7620");
}

// Beside the working set of a long task there is room for 100 bytes: for 900 of
// its 1000 cycles nothing more is fetched for the engine. The slice of the
// other one, 500 bytes, saves 490 cycles: T = 1500 - 0.98 (T - 900).
TEST(Bounds, NoRoomWhileAPartRuns) {
  Problem problem = machine(1);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("a", matrix, 1000, 0), task("b", matrix, 10, 500)};
  problem.tasks[0].parts[0].workingSetBytes = 900;
  problem.tasks[1].parts[0].sources = {{"w", {500}, 500, 0}};
  // If room did not matter, all of it would be fetched while `a` runs.
  EXPECT_EQ(boundsOf(problem),
            "critical_path=1000 work_npu=1010 bytes_dram=500 streams_npu=1010 "
            "room_npu=1204 stages=1204");
}

// Of slices that take more than half of the room only one is there at a time:
// for the 1200 cycles of its fetch, through half of the lanes, and 100 of its
// part. It saves 1100: T = 3600 - T 11 / 13. Memory engines could move more:
// T = 3600 - T / 2 x 11 / 6.
TEST(Bounds, SlicesThatDoNotFitTogether) {
  Problem problem = machine(1, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {512}, 0});
  for (const char *name : {"a", "b", "c"}) {
    problem.tasks.push_back(task(name, matrix, 100, 600));
    problem.tasks.back().parts[0].sources = {{"w", {600}, 600, 0}};
  }
  EXPECT_EQ(boundsOf(problem),
            "critical_path=100 work_npu=300 bytes_dram=1800 streams_npu=1879 "
            "room_npu=1950 stages=1950");
}

// Whole, a task streams 1000 bytes in 2000 cycles. In two parts it streams
// 1600, in 3200 cycles, of which 3000 are saved when both slices are fetched:
// each of these fills the room for 1600. Two parts take T = 3200 - T 15 / 16 at
// least, and whole it is 2000; the least of each number says less: 1000 bytes,
// and T = 2000 - T / 2 x 6 / 5 by what is moved, T = 2000 - T 9 / 16 by room.
TEST(Bounds, OneWayToCut) {
  Problem problem = machine(1, /*portLanes=*/512);
  problem.engines.push_back({"dma", memory, 1, {512}, 0});
  problem.tasks = {task("whole", matrix, 0, 1000)};
  Part half = task("half", matrix, 100, 800).parts[0];
  half.sources = {{"w", {750}, 750, 0}};
  half.count = 2;
  problem.tasks[0].alternatives = {{{half}}};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=200 work_npu=200 bytes_dram=1000 streams_npu=1250 "
            "room_npu=1280 stages=1652");
}

// A source without bytes is fetched at no time: a slice that fits nowhere on
// the first group takes no share of its private memory, which has none. Eight
// bytes pass in 8 cycles, and then the part takes no time.
TEST(Bounds, SharesOfNoPrivateMemory) {
  Problem problem = machine(1);
  problem.engines[0].privateBytes = 10;
  problem.engines.insert(problem.engines.begin(),
                         {"none", matrix, 1, {256}, 0});
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("a", matrix, 0, 8)};
  problem.tasks[0].parts[0].sources = {{"w", {8}, 4, 0}, {"b", {0}, 3, 0}};
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 8);
}

// What doubles lose of a large number is not in the bound of a small one: one
// way to cut the task takes 7 cycles, the other 100,000,002 and less room.
TEST(Bounds, SmallDifferencesOfLargeNumbers) {
  Problem problem = machine(1);
  problem.engines[0].privateBytes = 2;
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("a", matrix, 7, 0)};
  problem.tasks[0].parts[0].workingSetBytes = 1;
  problem.tasks[0].alternatives = {
      {task("", matrix, 100'000'002, 0).parts, false}};
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 7);
}

/// Two engines of a quarter each and a memory engine of a half of one byte per
/// cycle.
static Problem twoQuarters() {
  Problem problem = machine(2, 256);
  problem.engines.push_back({"dma", memory, 1, {512}, 0});
  return problem;
}

// As it is, 100 bytes in one part take an engine 400 cycles. In any number of
// parts they take two of them 200, which is what all ports give them.
TEST(Bounds, AnyWayToCut) {
  Problem problem = machine(2, 256);
  problem.tasks = {task("a", both(), 50, 100)};
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 400);
  LeastWork least;
  least.computeCycles = least.evenCycles = 50;
  least.bytes = {100};
  least.againBytes = {0};
  least.mostParts = 100;
  least.evenShares = {{1, 1}};
  problem.tasks[0].least = {least};
  EXPECT_EQ(boundsOf(problem),
            "critical_path=200 work_npu=200 bytes_dram=200 stages=200");
  EXPECT_EQ(largestBound(*lowerBounds(problem, Cuts::Offered)), 400);
  // No more than one can run at once.
  problem.tasks[0].least[0].mostParts = 1;
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 400);
}

// Of a class with larger parts that stream less, and one with smaller parts
// that read 100 bytes again, the first takes 400 cycles on one engine; the
// second 200 bytes through both ports, 400 as well; less would be neither.
TEST(Bounds, ClassesOfCuts) {
  Problem problem = machine(2, 256);
  problem.tasks = {task("a", both(), 0, 100)};
  LeastWork large;
  large.bytes = {100};
  large.againBytes = {0};
  large.evenShares = {{1, 1}};
  LeastWork small = large;
  small.bytes = {200};
  small.againBytes = {100};
  small.mostParts = 100;
  problem.tasks[0].least = {large, small};
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 400);
  problem.tasks[0].least = {small};
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 400);
  small.bytes = {150};
  small.againBytes = {50};
  problem.tasks[0].least = {large, small};
  EXPECT_EQ(largestBound(*lowerBounds(problem)), 300);
}

// 400 bytes of a source: engines stream a quarter of a byte each cycle, or
// compute 400 cycles. In T cycles 0.5 T bytes are fetched. Even work saves 4
// cycles of streaming and pays 1 of computing for each byte:
// 2 T >= 1600 - 3 x 0.5 T, so T >= 457.1. Where a part may compute what another
// one streams, each byte saves 4: 2 T >= 1600 - 4 x 0.5 T, so T >= 400.
TEST(Bounds, EvenSharesOfWork) {
  Problem problem = twoQuarters();
  problem.tasks = {task("a", both(), 400, 400)};
  LeastWork least;
  least.computeCycles = least.evenCycles = 400;
  least.bytes = {400};
  least.againBytes = {0};
  least.mostParts = 100;
  least.sources = {{"w", {400}, 400}};
  least.evenShares = {{1, 1}};
  problem.tasks[0].least = {least};
  auto streams = [&] {
    std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
    for (const Bound &bound : *bounds)
      if (bound.name == "streams_npu")
        return bound.cycles;
    return int64_t(0);
  };
  EXPECT_EQ(streams(), 458);
  problem.tasks[0].least[0].evenShares.clear();
  EXPECT_EQ(streams(), 400);
  // Half of the work with all of the bytes, half with none of them: 800 cycles
  // are computed or streamed at 200 for 400 bytes, 200 are computed anyway.
  // 2 T >= 1800 - 3.5 x 0.5 T, so T >= 480.
  problem.tasks[0].least[0].evenShares = {{0.5, 1}, {0.5, 0}};
  EXPECT_EQ(streams(), 480);
}
