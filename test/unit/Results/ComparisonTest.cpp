//===- ComparisonTest.cpp - Tests of what lies beside a prediction --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Comparison.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

static ComparedOp makeOp(double measured, double predicted) {
  return {"op", 1, measured, predicted, CostBound::Compute};
}

TEST(Comparison, RatioIsMeasuredOverPredicted) {
  EXPECT_EQ(makeOp(3, 2).ratio(), 1.5);
  EXPECT_EQ(makeOp(0, 2).ratio(), 0);
  EXPECT_FALSE(makeOp(3, 0).ratio());
}

/// They differ by 1, 0 and 3, in both directions.
TEST(Comparison, DifferencesAddUp) {
  Comparison comparison;
  comparison.ops = {makeOp(3, 2), makeOp(5, 5), makeOp(1, 4)};
  EXPECT_EQ(comparison.ops[0].difference(), 1);
  EXPECT_EQ(comparison.ops[1].difference(), 0);
  EXPECT_EQ(comparison.ops[2].difference(), 3);
  EXPECT_EQ(comparison.sumOfDifferences(), 4);
}

/// 2 / 4 is off by a half, 5 / 4 by a quarter, 4 / 4 by nothing.
TEST(Comparison, MedianErrorIsOfWhatTakesTime) {
  Comparison comparison;
  EXPECT_FALSE(comparison.medianError());
  comparison.ops = {makeOp(0, 7)};
  EXPECT_FALSE(comparison.medianError());
  comparison.ops = {makeOp(4, 2), makeOp(4, 5), makeOp(4, 4), makeOp(0, 7)};
  EXPECT_EQ(comparison.medianError(), 0.25);
  comparison.ops = {makeOp(4, 2), makeOp(4, 4)};
  EXPECT_EQ(comparison.medianError(), 0.25);
}
