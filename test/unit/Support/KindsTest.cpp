//===- KindsTest.cpp - Spellings and sets of kinds ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/Kinds.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

// Every kind has a spelling of its own, and reading it back gives the kind.
TEST(Kinds, SpellingsRoundTrip) {
  for (EngineKind kind : allEngineKinds)
    EXPECT_EQ(parseEngineKind(stringify(kind)), kind);
  for (WorkKind kind : allWorkKinds)
    EXPECT_EQ(parseWorkKind(stringify(kind)), kind);
  for (CostModelKind kind : allCostModelKinds)
    EXPECT_EQ(parseCostModelKind(stringify(kind)), kind);
}

// A spelling is taken letter by letter: nothing near it is read as the kind.
TEST(Kinds, OtherSpellingsAreNone) {
  for (const char *text : {"", "Matrix", "matrix ", "mac", "vec"})
    EXPECT_FALSE(parseEngineKind(text)) << text;
  for (const char *text : {"", "MAC", "matrix", "special2"})
    EXPECT_FALSE(parseWorkKind(text)) << text;
  for (const char *text : {"", "tile", "Kernels", "roof line"})
    EXPECT_FALSE(parseCostModelKind(text)) << text;
}

// The default set is empty, and inserting a kind adds it and no other.
TEST(EngineKindSet, InsertAddsOneKind) {
  EngineKindSet set;
  EXPECT_TRUE(set.empty());
  set.insert(EngineKind::Vector);
  EXPECT_FALSE(set.empty());
  for (EngineKind kind : allEngineKinds)
    EXPECT_EQ(set.contains(kind), kind == EngineKind::Vector);
}

// A set contains its subsets, itself and the empty set, and nothing that is
// larger.
TEST(EngineKindSet, ContainsAllIsTheSubsetRelation) {
  EngineKindSet both(EngineKind::Matrix);
  both.insert(EngineKind::Vector);
  EXPECT_TRUE(both.containsAll(EngineKind::Matrix));
  EXPECT_TRUE(both.containsAll(both));
  EXPECT_TRUE(both.containsAll(EngineKindSet()));
  EXPECT_FALSE(both.containsAll(EngineKind::Memory));
  EXPECT_FALSE(EngineKindSet(EngineKind::Matrix).containsAll(both));
}

// The union of two sets is the same whichever is inserted into the other.
TEST(EngineKindSet, UnionsAreEqualInAnyOrder) {
  EngineKindSet one(EngineKind::Matrix), other(EngineKind::Network);
  EngineKindSet oneOther = one, otherOne = other;
  oneOther.insert(other);
  otherOne.insert(one);
  EXPECT_TRUE(oneOther == otherOne);
  EXPECT_FALSE(oneOther == one);
}
