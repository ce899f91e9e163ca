//===- FineTimeTest.cpp - Tests of times without rounding -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FineTime.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

static int64_t parse(llvm::StringRef text) {
  std::optional<FineTime> time = FineTime::parseMicroseconds(text);
  EXPECT_TRUE(time.has_value()) << text.str();
  return time ? time->roundToNanoseconds() : INT64_MIN;
}

/// A double has 53 bits: it would read the first one as ...456.75.
TEST(FineTime, KeepsNanosecondsSince1970) {
  EXPECT_EQ(parse("1700000000123456.789"), 1700000000123456789);
  EXPECT_EQ(parse("1700000000123456"), 1700000000123456000);
  EXPECT_EQ(parse("2305843009213693.951"), 2305843009213693951); // 2^61 - 1
}

TEST(FineTime, ReadsAllFormsOfJson) {
  EXPECT_EQ(parse("0"), 0);
  EXPECT_EQ(parse("-0.0"), 0);
  EXPECT_EQ(parse("1.5e3"), 1500000);
  EXPECT_EQ(parse("45e-3"), 45);
  EXPECT_EQ(parse("4.5E+2"), 450000);
  EXPECT_EQ(parse("0.001"), 1);
  EXPECT_EQ(parse("1e-999999999"), 0);
  EXPECT_EQ(parse("0e999999999"), 0);
  EXPECT_EQ(parse("000000000000000000000000000000012"), 12000);
}

/// Our own JSON cuts decimals below the nanosecond that they mean.
TEST(FineTime, RoundsToTheNextNanosecond) {
  EXPECT_EQ(parse("0.000999999999999444"), 1);
  EXPECT_EQ(parse("0.0004999"), 0);
  EXPECT_EQ(parse("0.0005"), 1);
  EXPECT_EQ(parse("-0.0004"), 0);
  EXPECT_EQ(parse("-0.0006"), -1);
  EXPECT_EQ(parse("-1.5"), -1500);
}

/// Two slices that touch: each half alone would be rounded up.
TEST(FineTime, RoundsASumOnce) {
  std::optional<FineTime> half = FineTime::parseMicroseconds("0.0006");
  ASSERT_TRUE(half);
  EXPECT_EQ(half->roundToNanoseconds(), 1);
  EXPECT_EQ((*half + *half).roundToNanoseconds(), 1);
}

TEST(FineTime, RefusesWhatIsNoTime) {
  for (const char *text :
       {"", "-", ".", "e3", "1e", "1 ", "0x10", "nan", "1.2.3", "+1",
        "2305843009213693.952", "1e300", "-1e300", "9223372036854775807"})
    EXPECT_FALSE(FineTime::parseMicroseconds(text)) << text;
}
