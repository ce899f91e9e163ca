//===- PowerLimitTest.cpp - Bursts and the power limit --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "llm/Cost/Rates.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// 100 W above idle, and 120 W for 500 us, at 1 GHz.
Target limited() {
  Target target = toyTarget(1000);
  target.clockHz = 1000000000;
  target.powerLimitWatts = 110;
  target.idleWatts = 10;
  target.burstPercent = 120;
  target.burstMicroseconds = 500;
  return target;
}

// 500 us of 120 W are 60 mJ. Half of that takes half the time, and 100 mJ more
// take a millisecond more at 100 W.
TEST(PowerLimitTest, BurstAndBehindIt) {
  Target target = limited();
  PowerLimit limit(target);
  EXPECT_DOUBLE_EQ(limit.secondsOf(0.03), 250e-6);
  EXPECT_DOUBLE_EQ(limit.secondsOf(0.06), 500e-6);
  EXPECT_DOUBLE_EQ(limit.secondsOf(0.16), 1500e-6);
  EXPECT_EQ(powerCycles(target, 30000000000), 250000);
  EXPECT_EQ(powerCycles(target, 60000000000), 500000);
  EXPECT_EQ(powerCycles(target, 160000000000), 1500000);
  // In pieces it is all burst: 160 mJ at 120 W.
  EXPECT_EQ(leastPowerCycles(target, 160000000000), 1333334);
}

TEST(PowerLimitTest, WithoutABurstAndWithoutALimit) {
  Target target = limited();
  target.burstMicroseconds = std::nullopt;
  EXPECT_EQ(powerCycles(target, 30000000000), 300000);
  target = limited();
  target.burstPercent = std::nullopt;
  EXPECT_EQ(powerCycles(target, 30000000000), 300000);
  EXPECT_DOUBLE_EQ(PowerLimit(target).secondsOf(0.03), 300e-6);
  target.powerLimitWatts = std::nullopt;
  EXPECT_EQ(powerCycles(target, 30000000000), 0);
  EXPECT_EQ(PowerLimit(target).secondsOf(0.03), 0);
}

} // namespace
