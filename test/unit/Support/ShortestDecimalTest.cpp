//===- ShortestDecimalTest.cpp - Numbers as a person writes them ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/ShortestDecimal.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mlir::llm;

TEST(ShortestDecimal, IsWhatAPersonWrites) {
  EXPECT_EQ(toShortestDecimal(0), "0.0");
  EXPECT_EQ(toShortestDecimal(-0.0), "-0.0");
  EXPECT_EQ(toShortestDecimal(0.125), "0.125");
  EXPECT_EQ(toShortestDecimal(0.1), "0.1");
  EXPECT_EQ(toShortestDecimal(-1), "-1.0");
  EXPECT_EQ(toShortestDecimal(500000), "500000.0");
  EXPECT_EQ(toShortestDecimal(1e8), "100000000.0");
  EXPECT_EQ(toShortestDecimal(1e9), "1.0e9");
  EXPECT_EQ(toShortestDecimal(1e-4), "0.0001");
  EXPECT_EQ(toShortestDecimal(1e-5), "1.0e-5");
  EXPECT_EQ(toShortestDecimal(1.5e-6), "1.5e-6");
  // 1 / sqrt(128), the scale of attention, needs all its digits.
  EXPECT_EQ(toShortestDecimal(1 / std::sqrt(128.0)), "0.08838834764831843");
}

// Any finite number comes back from its text, bit by bit.
TEST(ShortestDecimal, ReadsBackAsTheSameNumber) {
  std::mt19937_64 random(26);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value))
      continue;
    std::string text = toShortestDecimal(value);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    EXPECT_NE(text.find('.'), std::string::npos) << text;
  }
  double most = std::numeric_limits<double>::max();
  EXPECT_EQ(std::strtod(toShortestDecimal(most).c_str(), nullptr), most);
}
