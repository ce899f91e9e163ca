//===- ExpertRowsTest.cpp - How many rows each expert gets ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/ExpertRows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace mlir::llm;

using Rows = std::vector<int64_t>;

static int64_t countMet(const Rows &rows) {
  return std::count_if(rows.begin(), rows.end(),
                       [](int64_t count) { return count > 0; });
}

// Whatever the routing: all rows are there, and no expert sees a token twice.
TEST(ExpertRows, AllRowsOnce) {
  for (Routing routing : {Routing::Uniform, Routing::Balanced, Routing::Zipf})
    for (int64_t experts : {1, 2, 7, 64, 256})
      for (int64_t topK : {1, 2, 6, 8})
        for (int64_t tokens : {1, 2, 5, 64, 1000}) {
          if (topK > experts)
            continue;
          Rows rows = countExpertRows(routing, experts, topK, tokens);
          ASSERT_EQ(rows.size(), static_cast<size_t>(experts));
          EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), int64_t(0)),
                    tokens * topK);
          for (int64_t count : rows) {
            EXPECT_GE(count, 0);
            EXPECT_LE(count, tokens);
          }
        }
}

// 256 (1 - (1 - 8/256)^T): 8 of 1 token, 15.75 of 2, 57.42 of 8, 222.44 of 64,
// 256 of 1000.
TEST(ExpertRows, UniformMeetsTheExpectedNumber) {
  for (auto [tokens, met] :
       {std::pair{1, 8}, {2, 16}, {8, 57}, {64, 222}, {1000, 256}})
    EXPECT_EQ(countMet(countExpertRows(Routing::Uniform, 256, 8, tokens)), met)
        << tokens;
  // 16 rows over 16 experts; 64 x 8 = 512 = 222 x 2 + 68.
  EXPECT_EQ(countExpertRows(Routing::Uniform, 256, 8, 2)[15], 1);
  Rows rows = countExpertRows(Routing::Uniform, 256, 8, 64);
  EXPECT_EQ(rows[67], 3);
  EXPECT_EQ(rows[68], 2);
  EXPECT_EQ(rows[222], 0);
}

TEST(ExpertRows, BalancedMeetsAllItCan) {
  EXPECT_EQ(countExpertRows(Routing::Balanced, 4, 2, 1), Rows({1, 1, 0, 0}));
  EXPECT_EQ(countExpertRows(Routing::Balanced, 4, 2, 3), Rows({2, 2, 1, 1}));
}

// Shares of 12 rows by 1, 1/2, 1/3, 1/4 of 25/12: 5.76, 2.88, 1.92, 1.44; cut
// off 5, 2, 1, 1, and one more for the first three. With 4 tokens the first
// stops at 4; of 8 rows the others have 3.69, 2.46, 1.85: 3, 2, 1, and two
// more.
TEST(ExpertRows, ZipfFallsWithTheRank) {
  EXPECT_EQ(countExpertRows(Routing::Zipf, 4, 2, 6), Rows({6, 3, 2, 1}));
  EXPECT_EQ(countExpertRows(Routing::Zipf, 4, 3, 4), Rows({4, 4, 3, 1}));
  Rows rows = countExpertRows(Routing::Zipf, 256, 8, 1000);
  EXPECT_TRUE(std::is_sorted(rows.rbegin(), rows.rend()));
}
