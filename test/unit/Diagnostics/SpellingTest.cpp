//===- SpellingTest.cpp - The word that may have been meant ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/Spelling.h"

#include <gtest/gtest.h>

using namespace mlir::llm;
using llvm::StringRef;

// Few letters differ, of either case.
TEST(Spelling, FindsTypos) {
  EXPECT_EQ(findSimilar("enginse", {"seed", "engines"}), "engines");
  EXPECT_EQ(findSimilar("H100-SXM", {"a100-sxm", "h100-sxm"}), "h100-sxm");
  EXPECT_EQ(findSimilar("matirx", {"vector", "matrix"}), "matrix");
}

// The end is missing, or another one: of two, the name that begins alike.
TEST(Spelling, FindsBeginnings) {
  EXPECT_EQ(findSimilar("h100", {"a100-sxm", "h100-sxm"}), "h100-sxm");
  EXPECT_EQ(findSimilar("tpu", {"npu", "tpu-v6e"}), "tpu-v6e");
  EXPECT_EQ(findSimilar("theory", {"search", "theoretical"}), "theoretical");
}

// The word is the last one of a name, or the other way round.
TEST(Spelling, FindsLastWords) {
  EXPECT_EQ(findSimilar("schedule", {"llm-tile", "llm-schedule"}),
            "llm-schedule");
  EXPECT_EQ(findSimilar("op_kind", {"m", "kind"}), "kind");
}

// What is not close is not guessed.
TEST(Spelling, FindsNothing) {
  EXPECT_EQ(findSimilar("optimal", {"list", "earliest", "exact"}), "");
  EXPECT_EQ(findSimilar("xml", {"table", "json", "csv"}), "");
  EXPECT_EQ(findSimilar("", {"a", "b"}), "");
  EXPECT_EQ(findSimilar("a40", {}), "");
  EXPECT_EQ(didYouMean("xml", {"table", "json"}), "");
}

TEST(Spelling, IsAQuestion) {
  EXPECT_EQ(didYouMean("tabel", {"table"}), "; did you mean 'table'?");
  EXPECT_EQ(listChoices({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(listChoices({"a"}), "a");
}
