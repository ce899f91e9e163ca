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
  EXPECT_EQ(findSimilar("sarm", {"dram", "sram"}), "sram");
}

// The end is missing, or another one: of two, the name that begins alike.
TEST(Spelling, FindsBeginnings) {
  EXPECT_EQ(findSimilar("h100", {"a100-sxm", "h100-sxm"}), "h100-sxm");
  EXPECT_EQ(findSimilar("tpu", {"npu", "tpu-v6e"}), "tpu-v6e");
  EXPECT_EQ(findSimilar("theory", {"search", "theoretical"}), "theoretical");
}

// One is made of words of the other, or is its end.
TEST(Spelling, FindsWords) {
  EXPECT_EQ(findSimilar("schedule", {"llm-tile", "llm-schedule"}),
            "llm-schedule");
  EXPECT_EQ(findSimilar("op_kind", {"m", "kind"}), "kind");
  EXPECT_EQ(findSimilar("llm-report", {"polly-report", "llm-export-report"}),
            "llm-export-report");
  EXPECT_EQ(findSimilar("seq-len", {"seq", "kv-len", "chunk-kv-len"}), "seq");
  EXPECT_EQ(findSimilar("4090", {"a40", "rtx4090"}), "rtx4090");
  EXPECT_EQ(findSimilar("fp4", {"fp8", "mxfp4"}), "mxfp4");
}

// A part of the word is a worse guess than a name with one wrong letter.
TEST(Spelling, RanksPartsLast) {
  EXPECT_EQ(findSimilar("kv_len", {"kv", "kv-len"}), "kv-len");
  EXPECT_EQ(findSimilar("list-target", {"target", "list-targets"}),
            "list-targets");
}

// Of equally close names, the shortest.
TEST(Spelling, FindsTheShortest) {
  EXPECT_EQ(findSimilar("verify", {"llm-verify-schedule", "llm-verify-cost"}),
            "llm-verify-cost");
}

// What is not close is not guessed.
TEST(Spelling, FindsNothing) {
  EXPECT_EQ(findSimilar("optimal", {"list", "earliest", "exact"}), "");
  EXPECT_EQ(findSimilar("xml", {"table", "json", "csv"}), "");
  EXPECT_EQ(findSimilar("fast", {"list", "earliest", "exact"}), "");
  EXPECT_EQ(findSimilar("fp8", {"f32", "f16", "bf16"}), "");
  EXPECT_EQ(findSimilar("all", {"a40", "l40s"}), "");
  EXPECT_EQ(findSimilar("", {"a", "b"}), "");
  EXPECT_EQ(findSimilar("a40", {}), "");
  EXPECT_EQ(didYouMean("xml", {"table", "json"}), "");
}

TEST(Spelling, IsAQuestion) {
  EXPECT_EQ(didYouMean("tabel", {"table"}), "; did you mean 'table'?");
  EXPECT_EQ(listChoices({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(listChoices({"a"}), "a");
}
