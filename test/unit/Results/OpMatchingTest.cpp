//===- OpMatchingTest.cpp - Tests of which ops are the same work ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/OpMatching.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

using Positions = std::vector<unsigned>;
using Pairs = std::vector<std::pair<Positions, Positions>>;

static std::vector<NamedOp> named(std::vector<std::string> names) {
  std::vector<NamedOp> ops;
  for (std::string &name : names)
    ops.push_back({std::move(name)});
  return ops;
}

static Pairs match(const std::vector<NamedOp> &first,
                   const std::vector<NamedOp> &second) {
  Pairs pairs;
  for (const MatchedOps &matched : matchOps(first, second))
    pairs.push_back({matched.first, matched.second});
  return pairs;
}

TEST(OpMatching, OpsOfOneNameAreMatchedInTheOrderOfTheFirst) {
  EXPECT_EQ(match(named({"m.c", "m.a", "m.b"}), named({"m.a", "m.x", "m.c"})),
            (Pairs{{{0}, {2}}, {{1}, {0}}}));
  EXPECT_EQ(match({}, named({"a"})), Pairs());
}

TEST(OpMatching, WhatOneSideRunsAsOneIsAllOfItsPartsOnTheOther) {
  std::vector<NamedOp> joined = named({"l.0.attn.q+k+v", "l.0.attn.o"});
  std::vector<NamedOp> apart =
      named({"l.0.attn.q", "l.0.attn.k", "l.0.attn.v", "l.0.attn.o"});
  EXPECT_EQ(match(joined, apart), (Pairs{{{0}, {0, 1, 2}}, {{1}, {3}}}));
  EXPECT_EQ(match(apart, joined), (Pairs{{{0, 1, 2}, {0}}, {{3}, {1}}}));
}

/// The names inside of a kernel are whole, and may be of joined ops themselves.
TEST(OpMatching, KernelsAreKnownByTheOpsInside) {
  std::vector<NamedOp> fused = {
      {"l.0.norm+mlp.gate+up+mlp.swiglu",
       {"l.0.norm", "l.0.mlp.gate+up", "l.0.mlp.swiglu"}},
      {"l.0.mlp.down+residual", {"l.0.mlp.down", "l.0.residual"}}};
  std::vector<NamedOp> apart =
      named({"l.0.norm", "l.0.mlp.gate", "l.0.mlp.up", "l.0.mlp.swiglu",
             "l.0.mlp.down", "l.0.residual"});
  EXPECT_EQ(match(fused, apart), (Pairs{{{0}, {0, 1, 2, 3}}, {{1}, {4, 5}}}));
  EXPECT_EQ(match(apart, fused), (Pairs{{{0, 1, 2, 3}, {0}}, {{4, 5}, {1}}}));
}

/// Without them, a name is looked for in the modules around the first one.
TEST(OpMatching, NamesThatLeaveOutTheirModuleAreFoundAroundTheFirst) {
  EXPECT_EQ(match(named({"l.0.mlp.down+residual"}),
                  named({"l.0.mlp.down", "l.0.residual"})),
            (Pairs{{{0}, {0, 1}}}));
}

TEST(OpMatching, OpsJoinedOtherwiseOnEachSideAreComparedTogether) {
  EXPECT_EQ(match(named({"m.a+b", "m.c"}), named({"m.a", "m.b+c"})),
            (Pairs{{{0, 1}, {0, 1}}}));
}

/// Layers that have ops of the same names do not mix.
TEST(OpMatching, SameNamesInOtherLayersAreOthers) {
  std::vector<NamedOp> joined = named({"l.0.q+k", "l.1.q+k"});
  EXPECT_EQ(match(joined, named({"l.0.q+k", "l.1.q", "l.1.k"})),
            (Pairs{{{0}, {0}}, {{1}, {1, 2}}}));
}

TEST(OpMatching, AnOpWithMoreInItThanTheOtherSideHasIsNotMatched) {
  EXPECT_EQ(match(named({"m.a+b", "m.c"}), named({"m.a", "m.c"})),
            (Pairs{{{1}, {1}}}));
  EXPECT_EQ(match(named({"m.a"}), named({"m.b"})), Pairs());
}
