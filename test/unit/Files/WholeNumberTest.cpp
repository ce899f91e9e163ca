//===- WholeNumberTest.cpp - Exact integers from decimal text -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/WholeNumber.h"

#include <gtest/gtest.h>

using namespace mlir::llm;

namespace {

/// The value, or what is wrong.
std::string parsed(llvm::StringRef text) {
  llvm::Expected<int64_t> value = parseWholeNumber(text);
  return value ? std::to_string(*value) : llvm::toString(value.takeError());
}

// Decimals that are whole are read without rounding, up to both ends of 64
// bits.
TEST(WholeNumber, Exact) {
  EXPECT_EQ(parsed("0"), "0");
  EXPECT_EQ(parsed("-0.00e-5"), "0");
  EXPECT_EQ(parsed("0e999999999999999999999"), "0");
  EXPECT_EQ(parsed("42"), "42");
  EXPECT_EQ(parsed("007"), "7");
  EXPECT_EQ(parsed("-7"), "-7");
  EXPECT_EQ(parsed("2.5e9"), "2500000000");
  EXPECT_EQ(parsed("2.5E+9"), "2500000000");
  EXPECT_EQ(parsed("1200e-2"), "12");
  EXPECT_EQ(parsed("12.000"), "12");
  EXPECT_EQ(parsed(".5e1"), "5");
  EXPECT_EQ(parsed("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(parsed("-9223372036854775808"), "-9223372036854775808");
  // 2^53 + 1, which a double cannot hold
  EXPECT_EQ(parsed("9.007199254740993e15"), "9007199254740993");
}

TEST(WholeNumber, Fraction) {
  for (const char *text : {"2.5", "1e-1", "2.55e1", "1e-99999999999", "10e-2"})
    EXPECT_EQ(parsed(text), "it has a fraction") << text;
}

TEST(WholeNumber, TooLarge) {
  for (const char *text :
       {"9223372036854775808", "-9223372036854775809", "1e19",
        "1e99999999999999999999", "123456789012345678901"})
    EXPECT_EQ(parsed(text), "it does not fit in 64 bits") << text;
}

TEST(WholeNumber, NoNumber) {
  for (const char *text : {"", "-", ".", "e5", "1e", "1e+", "1x", " 1", "1,000",
                           "nan", "inf", "0x10", "+1", "--1", "1.2.3"})
    EXPECT_EQ(parsed(text), "it is no number") << text;
}

} // namespace
