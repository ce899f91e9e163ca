//===- UnitsTest.cpp - Exact integer conversions --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/Units.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

// Sums and products are exact up to maxCount = 2^61 - 1, and nothing beyond it.
TEST(Units, CheckedArithmeticStopsAtMaxCount) {
  EXPECT_EQ(maxCount, (int64_t(1) << 61) - 1);
  EXPECT_EQ(checkedAdd(maxCount - 1, 1), maxCount);
  EXPECT_EQ(checkedAdd(maxCount, 1), std::nullopt);
  EXPECT_EQ(checkedMul(int64_t(1) << 30, int64_t(1) << 30), int64_t(1) << 60);
  EXPECT_EQ(checkedMul(int64_t(1) << 31, int64_t(1) << 30), std::nullopt);
  EXPECT_EQ(checkedMul(INT64_MAX, INT64_MAX), std::nullopt);
  EXPECT_EQ(checkedAdd(INT64_MAX, INT64_MAX), std::nullopt);
}

// Counts are not negative, so neither are the operands.
TEST(Units, CheckedArithmeticRefusesNegativeOperands) {
  EXPECT_EQ(checkedAdd(-1, 2), std::nullopt);
  EXPECT_EQ(checkedAdd(2, INT64_MIN), std::nullopt);
  EXPECT_EQ(checkedMul(-1, -1), std::nullopt);
  EXPECT_EQ(checkedMul(0, INT64_MIN), std::nullopt);
}

// Division rounds up, and only when something is left.
TEST(Units, CeilMulDivRoundsUp) {
  EXPECT_EQ(ceilMulDiv(6, 1, 1, 3), 2);
  EXPECT_EQ(ceilMulDiv(7, 1, 1, 3), 3);
  EXPECT_EQ(ceilMulDiv(0, 5, 5, 7), 0);
  // 2 * 3 * 5 / (4 * 2) = 3.75
  EXPECT_EQ(ceilMulDiv(2, 3, 5, 4, 2), 4);
}

// An intermediate of 2^120 is exact: 2^60 * 2^60 / 2^60 = 2^60.
TEST(Units, CeilMulDivKeepsTheWholeProduct) {
  int64_t big = int64_t(1) << 60;
  EXPECT_EQ(ceilMulDiv(big, big, 1, big), big);
  EXPECT_EQ(ceilMulDiv(big, big, 1, big, 2), big / 2);
  // One byte more rounds up: (2^60 + 1) / 2 = 2^59 + 1/2.
  EXPECT_EQ(ceilMulDiv(big + 1, 1, 1, 2), big / 2 + 1);
}

// What leaves 128 bits on the way, or maxCount at the end, is no number.
TEST(Units, CeilMulDivReportsOverflow) {
  int64_t big = int64_t(1) << 60;
  EXPECT_EQ(ceilMulDiv(big, big, big, big), std::nullopt);
  EXPECT_EQ(ceilMulDiv(big, 2, 1, 1), std::nullopt);
  EXPECT_EQ(ceilMulDiv(maxCount, 1, 1, 1), maxCount);
}

// Negative factors and divisors that are not positive are no sizes.
TEST(Units, CeilMulDivRefusesNonsense) {
  EXPECT_EQ(ceilMulDiv(-1, 1, 1, 1), std::nullopt);
  EXPECT_EQ(ceilMulDiv(1, -1, 1, 1), std::nullopt);
  EXPECT_EQ(ceilMulDiv(1, 1, -1, 1), std::nullopt);
  EXPECT_EQ(ceilMulDiv(1, 1, 1, 0), std::nullopt);
  EXPECT_EQ(ceilMulDiv(1, 1, 1, 1, -1), std::nullopt);
}

// 100 bytes at 1 byte per cycle take 100 cycles with all of 8 lanes, twice that
// with half of them, and ceil(800 / 3) = 267 with three.
TEST(Units, StreamCyclesFollowTheLanes) {
  EXPECT_EQ(streamCycles(100, 8, 1000, 8, 1000), 100);
  EXPECT_EQ(streamCycles(100, 8, 1000, 4, 1000), 200);
  EXPECT_EQ(streamCycles(100, 8, 1000, 3, 1000), 267);
  EXPECT_EQ(streamCycles(100, 8, 1000, 0, 1000), std::nullopt);
}

// At 146.89 bytes per cycle (a rate and a clock that do not divide) the result
// is that of exact arithmetic: 1469 bytes / 146.89 = 10.0007 cycles, hence 11.
TEST(Units, StreamCyclesNeverRoundTheRate) {
  EXPECT_EQ(streamCycles(1468, 1, 100, 1, 14689), 10);
  EXPECT_EQ(streamCycles(1469, 1, 100, 1, 14689), 11);
}

// A cycle at 2.5 GHz is 0.4 ns: 1 rounds to 0, 2 (0.8 ns) to 1; halves round
// up.
TEST(Units, NanosecondsRoundToNearest) {
  EXPECT_EQ(cyclesToNanoseconds(0, 2500000000), 0);
  EXPECT_EQ(cyclesToNanoseconds(1, 2500000000), 0);
  EXPECT_EQ(cyclesToNanoseconds(2, 2500000000), 1);
  EXPECT_EQ(cyclesToNanoseconds(1, 2000000000), 1);
  EXPECT_EQ(cyclesToNanoseconds(7, 1000000000), 7);
}

// A thousand cycles at 1 GHz are one microsecond.
TEST(Units, Microseconds) {
  EXPECT_DOUBLE_EQ(cyclesToMicroseconds(1000, 1000000000), 1.0);
  EXPECT_DOUBLE_EQ(cyclesToMicroseconds(1, 2000000000), 0.0005);
}

// Commas stand between groups of three digits, never first, and not after a
// sign.
TEST(Units, ThousandsSeparators) {
  EXPECT_EQ(withThousandsSeparators(0), "0");
  EXPECT_EQ(withThousandsSeparators(999), "999");
  EXPECT_EQ(withThousandsSeparators(1000), "1,000");
  EXPECT_EQ(withThousandsSeparators(1234567), "1,234,567");
  EXPECT_EQ(withThousandsSeparators(-100), "-100");
  EXPECT_EQ(withThousandsSeparators(-1000), "-1,000");
  EXPECT_EQ(withThousandsSeparators(INT64_MIN), "-9,223,372,036,854,775,808");
}
