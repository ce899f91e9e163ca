//===- LanesTest.cpp - Lengths and lanes of slots (S2, S3) ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "llm/Support/Units.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

static Part part(int64_t overhead, int64_t serial, int64_t compute,
                 std::vector<int64_t> bytes) {
  Part part;
  part.overheadCycles = overhead;
  part.serialCycles = serial;
  part.computeCycles = compute;
  part.bytes = std::move(bytes);
  return part;
}

// Half of the lanes take twice the time: 100 bytes at 1 byte per cycle.
TEST(Lanes, LengthFollowsTheLanes) {
  Problem problem = machine(1);
  EXPECT_EQ(lengthWithLanes(problem, {100}, 0, 0, {1024}), 100);
  EXPECT_EQ(lengthWithLanes(problem, {100}, 0, 0, {512}), 200);
  EXPECT_EQ(lengthWithLanes(problem, {100}, 0, 0, {1}), 102400);
}

// Overhead and serial cycles come on top; arithmetic hides behind the stream,
// or the stream behind arithmetic: 7 + max(60, 100) = 107 and 7 + max(160, 100)
// = 167.
TEST(Lanes, ArithmeticAndStreamsOverlap) {
  Problem problem = machine(1);
  EXPECT_EQ(lengthWithLanes(problem, {100}, 7, 60, {1024}), 107);
  EXPECT_EQ(lengthWithLanes(problem, {100}, 7, 160, {1024}), 167);
}

// Bytes without a lane never arrive; lanes without bytes do not matter for the
// length.
TEST(Lanes, NoLaneNoLength) {
  Problem problem = machine(1);
  EXPECT_EQ(lengthWithLanes(problem, {1}, 0, 0, {0}), std::nullopt);
  EXPECT_EQ(lengthWithLanes(problem, {1}, 0, 0, {-4}), std::nullopt);
  EXPECT_EQ(lengthWithLanes(problem, {0}, 0, 5, {0}), 5);
}

// Vectors that do not fit the resources, and lengths beyond maxCount, are no
// length.
TEST(Lanes, NonsenseHasNoLength) {
  Problem problem = machine(1);
  EXPECT_EQ(lengthWithLanes(problem, {1, 1}, 0, 0, {1, 1}), std::nullopt);
  EXPECT_EQ(lengthWithLanes(problem, {1}, 0, 0, {}), std::nullopt);
  EXPECT_EQ(lengthWithLanes(problem, {maxCount}, 0, 0, {1}), std::nullopt);
  EXPECT_EQ(lengthWithLanes(problem, {0}, maxCount, 1, {0}), std::nullopt);
}

// A stream that hides behind arithmetic takes only the lanes that it needs: 256
// bytes in 1024 cycles are a quarter of the lanes, 256.
TEST(Lanes, HiddenStreamsTakeTheFewestLanes) {
  Problem problem = machine(1);
  auto choice = chooseLanes(problem, part(5, 10, 1024, {256}),
                            problem.engines[0], {1024});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->length, 5 + 10 + 1024);
  EXPECT_EQ(choice->lanes, std::vector<int64_t>({256}));
}

// The port of the engine and the lanes that are left both limit the choice.
TEST(Lanes, PortAndAvailabilityLimitTheLanes) {
  Problem problem = machine(1, /*portLanes=*/512);
  Part stream = part(0, 0, 0, {100});
  auto atPort = chooseLanes(problem, stream, problem.engines[0], {1024});
  ASSERT_TRUE(atPort);
  EXPECT_EQ(atPort->length, 200);
  EXPECT_EQ(atPort->lanes, std::vector<int64_t>({512}));
  auto withLess = chooseLanes(problem, stream, problem.engines[0], {256});
  ASSERT_TRUE(withLess);
  EXPECT_EQ(withLess->length, 400);
  EXPECT_EQ(withLess->lanes, std::vector<int64_t>({256}));
  EXPECT_FALSE(chooseLanes(problem, stream, problem.engines[0], {0}));
}

// A port of 300 MB/s takes 307.2 of 1024 lanes of a byte per cycle: 300 bytes
// pass in 1000 cycles, and with 307 lanes in 300 x 1024 / 307 = 1000.7.
TEST(Lanes, PortsMayPassLessThanTheirLanes) {
  Problem problem = machine(1, /*portLanes=*/308);
  problem.engines[0].portBytesPerSecond = {300000000};
  Part stream = part(0, 0, 0, {300});
  auto atPort = chooseLanes(problem, stream, problem.engines[0], {1024});
  ASSERT_TRUE(atPort);
  EXPECT_EQ(atPort->length, 1000);
  EXPECT_EQ(atPort->lanes, std::vector<int64_t>({308}));
  auto withLess = chooseLanes(problem, stream, problem.engines[0], {307});
  ASSERT_TRUE(withLess);
  EXPECT_EQ(withLess->length, 1001);
  EXPECT_EQ(withLess->lanes, std::vector<int64_t>({307}));
  // What does not know the port goes by the lanes alone: 997.4.
  EXPECT_EQ(lengthWithLanes(problem, {300}, 0, 0, {308}), 998);
  EXPECT_EQ(lengthWithLanes(problem, {300}, 0, 0, {308}, &problem.engines[0]),
            1000);
}

// Of three streams the slowest sets the length, and the others take what that
// leaves: 100 bytes at 1 per cycle: 100 cycles. 200 at 4: 50 cycles, so half
// the lanes are enough. 30 at half a byte: 60 cycles, so 60% of 1024 lanes,
// 614.4, hence 615.
TEST(Lanes, ThreeStreams) {
  Problem problem = machine(1);
  problem.resources.push_back({"l2", 4000000000, 1024});
  problem.resources.push_back({"link", 500000000, 1024});
  problem.engines[0].portLanes = {1024, 1024, 1024};
  auto choice = chooseLanes(problem, part(0, 0, 80, {100, 200, 30}),
                            problem.engines[0], {1024, 1024, 1024});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->length, 100);
  EXPECT_EQ(choice->lanes, std::vector<int64_t>({1024, 512, 615}));
}

// Cycles are whole, so lanes can be idle: with 10 lanes of a tenth of a byte
// per cycle and 9 of them free, one byte takes ceil(10 / 9) = 2 cycles, for
// which 5 are enough.
TEST(Lanes, RaggedLanes) {
  Problem problem = machine(1, /*portLanes=*/9);
  problem.resources[0].lanes = 10;
  auto choice =
      chooseLanes(problem, part(0, 0, 0, {1}), problem.engines[0], {10});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->length, 2);
  EXPECT_EQ(choice->lanes, std::vector<int64_t>({5}));
}

// A part that streams nothing holds no lane, even when none is left; one
// without any work has no length.
TEST(Lanes, NoBytesNoLanes) {
  Problem problem = machine(1);
  auto choice =
      chooseLanes(problem, part(0, 0, 30, {0}), problem.engines[0], {0});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->length, 30);
  EXPECT_EQ(choice->lanes, std::vector<int64_t>({0}));
  auto nothing =
      chooseLanes(problem, part(0, 0, 0, {0}), problem.engines[0], {1024});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->length, 0);
}
