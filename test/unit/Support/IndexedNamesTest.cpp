//===- IndexedNamesTest.cpp - Indices of layers in names ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/IndexedNames.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

TEST(IndexedNames, PlacesOfRanges) {
  EXPECT_EQ(makeIndexPlace({3, 1, 58}), "{3..60}");
  EXPECT_EQ(makeIndexPlace({1, 2, 12}), "{1,3..23}");
  EXPECT_EQ(makeIndexPlace({0, 5, 2}), "{0,5..5}");
  EXPECT_EQ(makeIndexPlace({7, 1, 1}), "7");
}

// What is made is found again.
TEST(IndexedNames, RangesComeBack) {
  for (IndexRange range :
       {IndexRange{3, 1, 58}, IndexRange{1, 2, 12}, IndexRange{0, 5, 2}}) {
    std::vector<IndexRange> found =
        findIndexRanges("layers." + makeIndexPlace(range) + ".mlp");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first, range.first);
    EXPECT_EQ(found[0].step, range.step);
    EXPECT_EQ(found[0].count, range.count);
  }
}

TEST(IndexedNames, OneRun) {
  EXPECT_EQ(expandIndices("layers.{}.mlp", 12, 2), "layers.12.mlp");
  EXPECT_EQ(expandIndices("layers.{3..60}.mlp", 12, 2), "layers.5.mlp");
  EXPECT_EQ(expandIndices("layers.{1,3..23}.mlp", 12, 2), "layers.5.mlp");
  EXPECT_EQ(expandIndices("{}+{0..9}", 4, 9), "4+9");
  EXPECT_EQ(expandIndices("no place", 4, 9), "no place");
}

// Whatever is no range stays as it is: a gap, numbers that fall, a step that
// misses the end, a single number, signs, numbers that are too large.
TEST(IndexedNames, OtherBraces) {
  for (const char *name :
       {"{", "}", "{x}", "{1}", "{1..}", "{..2}", "{2..1}", "{1..1}",
        "{0,2..5}", "{1,1..1}", "{3,2..1}", "{-1..2}", "{1..-2}",
        "{0..99999999999}", "{1,2}", "{ 1..2}", "{1...2}", "{{", "{1..2"}) {
    EXPECT_TRUE(findIndexRanges(name).empty()) << name;
    EXPECT_EQ(expandIndices(name, 4, 9), name);
  }
  EXPECT_EQ(expandIndices("{{}", 4, 9), "{4");
  EXPECT_EQ(expandIndices("{1..{}", 4, 9), "{1..4");
}
