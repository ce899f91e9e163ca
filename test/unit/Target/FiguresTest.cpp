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

// Other figures have no such end: a clock boosts.
TEST(Figures, NoLimit) {
  Target target = makeTarget();
  EXPECT_EQ(figureLimit(target, "engines.core.units"), std::nullopt);
  EXPECT_EQ(figureLimit(target, "memories.dram.lanes"), std::nullopt);
  EXPECT_EQ(figureLimit(target, "links.ring.step_nanoseconds"), std::nullopt);
  EXPECT_EQ(figureLimit(target, "engines.other.units"), std::nullopt);
  EXPECT_EQ(figureLimit(target, "engines.core.sustained_clock_hz"),
            std::nullopt);
}

// A sustained rate that is not given is the datasheet's, of a link as well.
TEST(Figures, NotGivenIsTheDatasheet) {
  Target target = makeTarget();
  EXPECT_EQ(getFigure(target, "engines.core.sustained_clock_hz"), 7);
  EXPECT_EQ(getFigure(target, "links.ring.sustained_bytes_per_second"), 9);
  EXPECT_EQ(getFigure(target, "links.ring.step_nanoseconds"), std::nullopt);
}

} // namespace
