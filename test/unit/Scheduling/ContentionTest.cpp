//===- ContentionTest.cpp - Streams that share memories, by hand ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"

namespace mlir::llm::scheduling::test {

static int64_t valid(const Problem &problem,
                     const std::optional<Solution> &solution) {
  EXPECT_TRUE(solution && isValid(problem, *solution));
  return solution ? solution->makespan : -1;
}

static int64_t boundOf(const Problem &problem, const std::string &name) {
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  for (const Bound &bound : *bounds)
    if (bound.name == name)
      return bound.cycles;
  return -1;
}

// Two streams of 100 bytes, each of which takes all that the memory gives: one
// after the other, whatever the number of engines.
TEST(Contention, TwoStreamsOfFullWidth) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100)};
  EXPECT_EQ(boundOf(problem, "bytes_dram"), 200);
  EXPECT_EQ(valid(problem, scheduleEarliest(problem)), 200);
  EXPECT_EQ(valid(problem, scheduleList(problem)), 200);
}

// With ports of half the width they run side by side, 200 cycles each.
TEST(Contention, TwoStreamsThroughPorts) {
  Problem problem = machine(2, /*portLanes=*/512);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100)};
  EXPECT_EQ(valid(problem, scheduleEarliest(problem)), 200);
  EXPECT_EQ(valid(problem, scheduleList(problem)), 200);
}

// One engine alone gets no more than its port, though the memory is idle.
TEST(Contention, OneStreamThroughAPort) {
  Problem problem = machine(1, /*portLanes=*/512);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100)};
  EXPECT_EQ(boundOf(problem, "bytes_dram"), 400);
  EXPECT_EQ(valid(problem, scheduleList(problem)), 400);
}

// Three streams, of which two fill the memory for 200 cycles; the third, of 50
// bytes, waits for them in `earliest`: 200 + 100. All bytes take 250, but for
// all to end then, lanes would be 410 + 410 + 205, one too many.
TEST(Contention, ThreeStreamsThroughPorts) {
  Problem problem = machine(3, /*portLanes=*/512);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100),
                   task("c", matrix, 0, 50)};
  EXPECT_EQ(boundOf(problem, "bytes_dram"), 250);
  EXPECT_EQ(valid(problem, scheduleEarliest(problem)), 200 + 100);
  int64_t list = valid(problem, scheduleList(problem));
  EXPECT_LE(list, 300);
  EXPECT_GT(list, 250);
}

// A stream beside arithmetic that needs a few bytes holds what is left: 20
// bytes within 100 cycles of arithmetic need 205 lanes, and 819 are left for 80
// bytes: ceil(80 x 1024 / 819) = 101 cycles. To wait would take 100 + 80.
TEST(Contention, AStreamBesideArithmetic) {
  Problem problem = machine(2);
  problem.tasks = {task("compute", matrix, 100, 20), task("s", matrix, 0, 80)};
  EXPECT_EQ(valid(problem, scheduleList(problem)), 101);
}

// Two memories: `a` streams 100 bytes of the one and 10 of the other, `b` the
// reverse. Alone, each takes 100 cycles, for which it holds 1024 lanes of one
// memory and 103 of the other (10 bytes in 100 cycles: 102.4), so both do not
// fit: `earliest` takes turns. With 921 lanes, 112 cycles, they would.
TEST(Contention, TwoMemories) {
  Problem problem = machine(2);
  problem.resources.push_back({"hbm", 1000000000, 1024});
  problem.engines[0].portLanes = {1024, 1024};
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 10)};
  problem.tasks[0].parts[0].bytes = {100, 10};
  problem.tasks[1].parts[0].bytes = {10, 100};
  EXPECT_EQ(boundOf(problem, "bytes_dram"), 110);
  EXPECT_EQ(boundOf(problem, "bytes_hbm"), 110);
  EXPECT_EQ(valid(problem, scheduleEarliest(problem)), 200);
  int64_t list = valid(problem, scheduleList(problem));
  EXPECT_GE(list, 110);
  EXPECT_LE(list, 200);
}

// A memory engine competes with streams as any other: while `a` streams with
// 512 lanes for 200 cycles, 512 are left for the fetch of 100 bytes for `b`,
// which then computes 10 cycles: 210. With 256 lanes in its port the fetch
// takes 400.
TEST(Contention, AFetchBesideAStream) {
  for (auto [port, makespan] :
       {std::pair<int64_t, int64_t>(512, 210), {256, 400}}) {
    Problem problem = machine(1, /*portLanes=*/512);
    problem.engines.push_back({"dma", memory, 1, {port}, 0});
    problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 10, 100)};
    problem.tasks[1].parts[0].sources = {{"w", {100}, 100, 0}};
    // At 256 lanes: streamed by `b` itself, 200 + 200.
    EXPECT_EQ(valid(problem, scheduleList(problem)), makespan);
  }
}

} // namespace mlir::llm::scheduling::test
