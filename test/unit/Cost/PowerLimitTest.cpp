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
  EXPECT_DOUBLE_EQ(limit.joulesWithin(250e-6), 0.03);
  EXPECT_DOUBLE_EQ(limit.joulesWithin(500e-6), 0.06);
  EXPECT_DOUBLE_EQ(limit.joulesWithin(1500e-6), 0.16);
  EXPECT_EQ(powerCycles(target, 30000000000, 0), 250000);
  EXPECT_EQ(powerCycles(target, 60000000000, 0), 500000);
  EXPECT_EQ(powerCycles(target, 160000000000, 0), 1500000);
  // In pieces it is all burst: 160 mJ at 120 W.
  EXPECT_EQ(leastPowerCycles(target, 160000000000, 0), 1333334);
}

// 160 mJ take 1,500 us at the limit. An op that takes a 16th of that at the
// full clock takes half: at an eighth of the clock an operation takes half the
// energy, so that the op draws a 16th of its power.
TEST(PowerLimitTest, EnergyFollowsTheClock) {
  Target target = limited();
  target.energyFollowsClock = 1;
  PowerLimit limit(target);
  EXPECT_DOUBLE_EQ(limit.secondsOf(0.16, 1500e-6 / 16), 750e-6);
  EXPECT_EQ(powerCycles(target, 160000000000, 1500000 / 16), 750000);
  EXPECT_EQ(limit.secondsOf(0.16, 2000e-6), 2000e-6);
  // 30 mJ are within the burst: 250 us, and 250 / 81 at the full clock.
  EXPECT_DOUBLE_EQ(limit.secondsOf(0.03, 250e-6 / 81), 250e-6 / 3);
  target.energyFollowsClock = 0;
  EXPECT_DOUBLE_EQ(PowerLimit(target).secondsOf(0.16, 1500e-6 / 16), 1500e-6);
}

// However work is cut, it takes no less than the least of the whole.
TEST(PowerLimitTest, LeastOfPieces) {
  Target target = limited();
  target.energyFollowsClock = 1;
  PowerLimit limit(target);
  double least = double(*leastPowerCycles(target, 160000000000, 100000));
  for (int64_t pieces : {1, 2, 7, 100}) {
    double seconds =
        limit.secondsOf(0.16 / double(pieces), 100e-6 / double(pieces));
    EXPECT_GE(double(pieces) * seconds * 1e9, least - 1);
  }
}

TEST(PowerLimitTest, WithoutABurstAndWithoutALimit) {
  Target target = limited();
  target.burstMicroseconds = std::nullopt;
  EXPECT_EQ(powerCycles(target, 30000000000, 0), 300000);
  target = limited();
  target.burstPercent = std::nullopt;
  EXPECT_EQ(powerCycles(target, 30000000000, 0), 300000);
  EXPECT_DOUBLE_EQ(PowerLimit(target).secondsOf(0.03), 300e-6);
  target.powerLimitWatts = std::nullopt;
  EXPECT_EQ(powerCycles(target, 30000000000, 0), 0);
  EXPECT_EQ(PowerLimit(target).secondsOf(0.03), 0);
}

} // namespace
