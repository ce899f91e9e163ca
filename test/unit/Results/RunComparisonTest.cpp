//===- RunComparisonTest.cpp - Tests of two runs beside each other --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/RunComparison.h"

#include <gtest/gtest.h>

#include <map>

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

/// Apart, mlp has gate and up: [10, 30) and [30, 60). Fused, gate runs with the
/// norm outside of mlp: what is left of mlp is not beside all of it.
TEST(RunComparison, ModuleThatLostAnOpHasNoBaseline) {
  ComparableRun apart = makeRun(
      "f", 1e6, {{"l.norm"}, {"l.mlp.gate"}, {"l.mlp.up"}, {"l.mlp.down"}},
      {{1, {}, 0, 10}, {1, {}, 10, 30}, {1, {}, 30, 60}, {1, {}, 60, 70}});
  ComparableRun fused = makeRun(
      "f", 1e6,
      {{"l.norm+mlp.gate", std::vector<std::string>{"l.norm", "l.mlp.gate"}},
       {"l.mlp.up"},
       {"l.mlp.down"}},
      {{1, {}, 0, 25}, {1, {}, 25, 56}, {1, {}, 56, 66}});
  auto modulesOf = [](const ComparableRun &run, const ComparableRun &baseline) {
    std::map<std::string, std::optional<double>> modules;
    auto comparisons = compareRuns(run, baseline);
    for (const ModuleTimes &module : comparisons[0]->modules)
      modules[module.module] = module.baselineMicroseconds;
    return modules;
  };
  auto modules = modulesOf(fused, apart);
  ASSERT_TRUE(modules.count("l.mlp"));
  EXPECT_FALSE(modules["l.mlp"]);
  EXPECT_EQ(modulesOf(apart, apart)["l.mlp"], 60);
  auto comparisons = compareRuns(fused, apart);
  EXPECT_EQ(comparisons[0]->countLonger(), 1) << "up: 31 instead of 30";
  EXPECT_EQ(comparisons[0]->countShorter(), 1) << "norm and gate: 25 for 30";
}

TEST(RunComparison, SaysWhatOtherWorkWasDone) {
  RunProgram decode = {"llama", "decode", describeSequences(16, 1, {128, 64}),
                       describeLayers(1, 16, false)};
  RunProgram whole = {"qwen3", "decode", "", describeLayers(36, 36, true)};
  EXPECT_EQ(decode.sequences, "batch 16, seq 1, 64 to 128 keys");
  EXPECT_EQ(describeOtherWork(decode, whole),
            std::vector<std::string>(
                {"model: llama here, qwen3 in the baseline",
                 "layers: 1 of 16 layers here, the whole model in the "
                 "baseline"}));
  EXPECT_TRUE(describeOtherWork(decode, decode).empty());
  EXPECT_TRUE(describeOtherWork(decode, {}).empty()) << "nothing is known";
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
