//===- FiguresTest.cpp - The numbers of a target, by path -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Figures.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// A clock of 7, a memory of 400 bytes per second and a link of 9.
Target makeTarget() {
  Target target;
  target.clockHz = 7;
  target.engines.emplace_back().name = "core";
  Memory &memory = target.memories.emplace_back();
  memory.name = "dram";
  memory.bytesPerSecond = 400;
  Link &link = target.links.emplace_back();
  link.name = "ring";
  link.bytesPerSecond = 9;
  return target;
}

// A sustained rate ends at the datasheet's, whatever stands in its place.
TEST(Figures, LimitOfSustainedRates) {
  Target target = makeTarget();
  target.memories[0].sustainedBytesPerSecond = 300;
  EXPECT_EQ(figureLimit(target, "memories.dram.sustained_bytes_per_second"),
            400);
  EXPECT_EQ(figureLimit(target, "links.ring.sustained_bytes_per_second"), 9);
  EXPECT_EQ(getFigure(target, "memories.dram.sustained_bytes_per_second"), 300);
}

// A clock ends at the boost clock, which is the datasheet's where it is not
// given; no protocol is faster than its link.
TEST(Figures, LimitOfClocksAndProtocols) {
  Target target = makeTarget();
  EXPECT_EQ(figureLimit(target, "engines.core.sustained_clock_hz"), 7);
  target.engines[0].boostClockHz = 11;
  target.engines[0].sustainedClockHz = 5;
  EXPECT_EQ(figureLimit(target, "engines.core.sustained_clock_hz"), 11);
  EXPECT_EQ(figureLimit(target, "links.ring.low_latency_bytes_per_second"), 9);
}

// A boost is no lower than the clock that the datasheet promises.
TEST(Figures, BoostBelowTheClock) {
  Target target = makeTarget();
  auto hasProblem = [&] {
    std::vector<std::string> problems = target.check();
    return ::llvm::is_contained(
        problems, "'engines.core.boost_clock_hz' is below clock_hz, 7");
  };
  target.engines[0].boostClockHz = 7;
  EXPECT_FALSE(hasProblem());
  target.engines[0].boostClockHz = 6;
  EXPECT_TRUE(hasProblem());
}

// Other figures have no such end.
TEST(Figures, NoLimit) {
  Target target = makeTarget();
  EXPECT_EQ(figureLimit(target, "engines.core.units"), std::nullopt);
  EXPECT_EQ(figureLimit(target, "memories.dram.lanes"), std::nullopt);
  EXPECT_EQ(figureLimit(target, "links.ring.step_nanoseconds"), std::nullopt);
  EXPECT_EQ(figureLimit(target, "engines.other.units"), std::nullopt);
}

// An energy that is not given starts where the peak just meets the limit: of
// 100 watts, 40 of them idle, at 3 units x 1000 per cycle x 2 GHz = 6e12 per
// second, 60 / 6e12 J = 10,000 fJ.
TEST(Figures, Energies) {
  Target target = makeTarget();
  Engine &engine = target.engines[0];
  target.clockHz = 2000000000;
  engine.kinds = EngineKind::Matrix;
  engine.units = 3;
  engine.macRates = {{"bf16", 1000}};
  constexpr StringRef path = "engines.core.femtojoules_per_mac.bf16";
  MLIRContext context;
  Type bf16 = BFloat16Type::get(&context), f16 = Float16Type::get(&context),
       i8 = IntegerType::get(&context, 8);
  EXPECT_EQ(getFigure(target, path), std::nullopt); // no power limit
  EXPECT_EQ(energyFigure(target, bf16), std::nullopt);
  target.powerLimitWatts = 100;
  target.idleWatts = 40;
  EXPECT_EQ(getFigure(target, path), 10000);
  EXPECT_EQ(energyFigure(target, bf16), path.str());
  EXPECT_EQ(energyFigure(target, f16), path.str()); // whose rate stands in
  EXPECT_EQ(energyFigure(target, i8), std::nullopt);
  EXPECT_TRUE(setFigure(target, path, 12345));
  EXPECT_EQ(engine.macEnergies,
            (std::vector<MacEnergy>{MacEnergy{"bf16", 12345}}));
  EXPECT_EQ(getFigure(target, path), 12345);
  EXPECT_TRUE(setFigure(target, path, 7));
  EXPECT_EQ(engine.macEnergies.size(), 1u);
  EXPECT_TRUE(isEnergyFigure(path));
  EXPECT_FALSE(isEnergyFigure("engines.core.sustained_clock_hz"));
  EXPECT_FALSE(setFigure(target, "engines.core.femtojoules_per_mac.i8", 7));
}

// What a library's link gives stands before the link's own, for that library
// alone; the rest stays.
TEST(Figures, LinkOfALibrary) {
  Target target = makeTarget();
  target.links[0].stepNanoseconds = 3;
  target.links[0].bandwidthNanoseconds = 4;
  Link custom = target.links[0];
  custom.name = "ring@custom";
  custom.stepNanoseconds = std::nullopt;
  custom.bandwidthNanoseconds = 5;
  target.links.push_back(custom);
  Target selected = target, other = target;
  selectKernels(selected, "custom", /*replayed=*/false);
  selectKernels(other, "another", /*replayed=*/false);
  ASSERT_EQ(selected.links.size(), 1u);
  EXPECT_EQ(selected.links[0].name, "ring");
  EXPECT_EQ(selected.links[0].stepNanoseconds, 3);
  EXPECT_EQ(selected.links[0].bandwidthNanoseconds, 5);
  ASSERT_EQ(other.links.size(), 1u);
  EXPECT_TRUE(other.links[0] == target.links[0]);
}

// The figures of experts' rows are fitted by themselves. Those that tell how a
// link is built are not fitted.
TEST(Figures, GroupsOfLinks) {
  Target target = makeTarget();
  target.engines[0].kinds = EngineKind::Matrix;
  Link &link = target.links[0];
  link.stepNanoseconds = 3;
  link.torusX = 2;
  link.expertCombineNanoseconds = 4;
  Link custom = target.links[0];
  custom.name = "ring@custom";
  custom.stepNanoseconds = custom.expertCombineNanoseconds = std::nullopt;
  custom.twoShotBytesPerSecond = 5;
  custom.shotMostBytes = 6;
  custom.isDefault = 1;
  target.links.push_back(custom);
  using Paths = std::vector<std::string>;
  EXPECT_EQ(figuresOfGroup(target, "collective", ""),
            (Paths{"links.ring.step_nanoseconds"}));
  EXPECT_EQ(figuresOfGroup(target, "experts", ""),
            (Paths{"links.ring.expert_combine_nanoseconds"}));
  EXPECT_EQ(figuresOfGroup(target, "collective", "custom"),
            (Paths{"links.ring@custom.two_shot_bytes_per_second"}));
  // A library without figures for them has those of the link.
  EXPECT_EQ(figuresOfGroup(target, "experts", "custom"),
            (Paths{"links.ring.expert_combine_nanoseconds"}));
  // No rate is above the link's.
  EXPECT_EQ(figureLimit(target, "links.ring@custom.two_shot_bytes_per_second"),
            9);
}

// A sustained rate that is not given is the datasheet's, of a link as well.
TEST(Figures, NotGivenIsTheDatasheet) {
  Target target = makeTarget();
  EXPECT_EQ(getFigure(target, "engines.core.sustained_clock_hz"), 7);
  EXPECT_EQ(getFigure(target, "links.ring.sustained_bytes_per_second"), 9);
  EXPECT_EQ(getFigure(target, "links.ring.step_nanoseconds"), std::nullopt);
}

// The rates of products are figures, one for each type that has one.
TEST(Figures, RatesOfTypes) {
  Target target = makeTarget();
  target.engines[0].macRates = {{"f32", 16}, {"bf16", 32}};
  StringRef path = "engines.core.macs_per_cycle_per_unit.bf16";
  EXPECT_EQ(getFigure(target, path), 32);
  EXPECT_FALSE(figureLimit(target, path));
  EXPECT_TRUE(setFigure(target, path, 9));
  EXPECT_EQ(getFigure(target, path), 9);
  EXPECT_EQ(target.engines[0].macRates[0].macsPerCycle, 16);
  EXPECT_FALSE(getFigure(target, "engines.core.macs_per_cycle_per_unit.f64"));
  EXPECT_FALSE(
      setFigure(target, "engines.core.macs_per_cycle_per_unit.f64", 1));
}

} // namespace
