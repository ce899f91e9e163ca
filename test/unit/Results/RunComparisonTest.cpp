//===- RunComparisonTest.cpp - Tests of two runs beside each other --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/RunComparison.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

/// Times by hand: [10, 30) and [20, 40) are under way for 30 cycles, [50, 60)
/// for 10 more. What runs in a loop counts for each iteration.
TEST(RunComparison, OpsSideBySideCountOnce) {
  EXPECT_EQ(elapsedCycles({}), 0);
  EXPECT_EQ(elapsedCycles({{1, {}, 10, 30}, {1, {}, 20, 40}}), 30);
  EXPECT_EQ(elapsedCycles({{1, {}, 50, 60}, {1, {}, 10, 30}, {1, {}, 20, 40}}),
            40);
  EXPECT_EQ(elapsedCycles({{1, {}, 10, 40}, {1, {}, 20, 30}}), 30)
      << "one lies in the other";
  EXPECT_EQ(elapsedCycles({{36, {0}, 10, 30}, {36, {0}, 20, 40}}), 36 * 30);
}

/// The loops have 4 and 6 iterations: 4 * 20 + 6 * 20 + 20 cycles.
TEST(RunComparison, OpsOfDifferentLoopsAreNeverSideBySide) {
  EXPECT_EQ(
      elapsedCycles({{4, {0}, 10, 30}, {6, {1}, 10, 30}, {1, {}, 10, 30}}),
      220);
}

static ComparableRun makeRun(std::string function, double clockHz,
                             std::vector<NamedOp> ops,
                             std::vector<OpExtent> extents) {
  return {std::move(function), "toy", clockHz, 0, std::move(ops),
          std::move(extents)};
}

/// At 1 GHz q, k and v take 3, 2 and 1 us one after the other; at 2 GHz all of
/// them as one take 8,000 cycles, 4 us.
TEST(RunComparison, WhatOneRunHasFusedIsBesideTheSumOfItsParts) {
  ComparableRun apart = makeRun("f", 1e9, {{"m.q"}, {"m.k"}, {"m.v"}, {"m.o"}},
                                {{1, {}, 0, 3000},
                                 {1, {}, 3000, 5000},
                                 {1, {}, 5000, 6000},
                                 {1, {}, 6000, 6500}});
  ComparableRun fused = makeRun("g", 2e9, {{"m.q+k+v"}, {"m.new"}},
                                {{1, {}, 0, 8000}, {1, {}, 8000, 8100}});
  auto comparisons = compareRuns(fused, apart);
  ASSERT_EQ(comparisons.size(), 1u);
  ASSERT_TRUE(comparisons[0]) << "a single run is beside a single run";
  const RunComparison &comparison = *comparisons[0];
  ASSERT_EQ(comparison.work.size(), 1u);
  EXPECT_EQ(comparison.work[0].ops.second, std::vector<unsigned>({0, 1, 2}));
  EXPECT_DOUBLE_EQ(comparison.work[0].microseconds, 4);
  EXPECT_DOUBLE_EQ(comparison.work[0].baselineMicroseconds, 6);
  EXPECT_DOUBLE_EQ(comparison.work[0].difference(), -2);
  EXPECT_EQ(comparison.onlyHere, std::vector<unsigned>({1}));
  EXPECT_EQ(comparison.onlyInBaseline, std::vector<unsigned>({3}));
}

TEST(RunComparison, SeveralRunsAreComparedByName) {
  std::vector<ComparableRun> runs = {makeRun("a", 1e9, {}, {}),
                                     makeRun("b", 1e9, {}, {})};
  std::vector<ComparableRun> baselines = {makeRun("c", 1e9, {}, {}),
                                          makeRun("b", 1e9, {}, {})};
  auto comparisons = compareRuns(runs, baselines);
  EXPECT_FALSE(comparisons[0]);
  ASSERT_TRUE(comparisons[1]);
  EXPECT_EQ(comparisons[1]->baseline, 1u);
}

TEST(RunComparison, NothingIsRelativeToNoTime) {
  EXPECT_FALSE(differencePercent(3, 0));
  EXPECT_DOUBLE_EQ(*differencePercent(3, 4), -25);
}
