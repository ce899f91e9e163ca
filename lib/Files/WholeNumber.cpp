//===- WholeNumber.cpp - Exact integers from decimal text -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/WholeNumber.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <string>

namespace mlir::llm {

/// A decimal is sign x digits x 10^scale.
namespace {
struct Decimal {
  bool negative = false;
  std::string digits;
  int64_t scale = 0;
};
} // namespace

static llvm::StringRef takeDigits(llvm::StringRef &text) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  return digits;
}

/// Reads `e+12`. An exponent beyond a million is cut there, which does not
/// change whether a number is whole.
static bool takeExponent(llvm::StringRef &text, int64_t &exponent) {
  if (!text.consume_front_insensitive("e"))
    return true;
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  llvm::StringRef digits = takeDigits(text);
  if (digits.empty())
    return false;
  constexpr int64_t limit = 1000000;
  if (digits.ltrim('0').size() > 7 || digits.getAsInteger(10, exponent))
    exponent = limit;
  exponent = std::min(exponent, limit);
  if (negative)
    exponent = -exponent;
  return true;
}

static bool parseDecimal(llvm::StringRef text, Decimal &decimal) {
  decimal.negative = text.consume_front("-");
  llvm::StringRef whole = takeDigits(text);
  llvm::StringRef fraction;
  if (text.consume_front("."))
    fraction = takeDigits(text);
  if (whole.empty() && fraction.empty())
    return false;
  int64_t exponent = 0;
  if (!takeExponent(text, exponent) || !text.empty())
    return false;
  decimal.digits = (whole + fraction).str();
  decimal.scale = exponent - static_cast<int64_t>(fraction.size());
  return true;
}

static llvm::Error problem(const char *reason) {
  return llvm::createStringError(std::errc::invalid_argument, reason);
}

llvm::Expected<int64_t> parseWholeNumber(llvm::StringRef text) {
  Decimal decimal;
  if (!parseDecimal(text, decimal))
    return problem("it is no number");
  llvm::StringRef significant = llvm::StringRef(decimal.digits).ltrim('0');
  if (significant.empty())
    return 0;
  while (decimal.scale < 0 && significant.consume_back("0"))
    ++decimal.scale;
  if (decimal.scale < 0)
    return problem("it has a fraction");
  constexpr int64_t mostDigits = 19; // number of digits of 2^63 - 1
  std::string digits = decimal.negative ? "-" : "";
  digits += significant;
  int64_t value;
  if (static_cast<int64_t>(significant.size()) + decimal.scale > mostDigits)
    return problem("it does not fit in 64 bits");
  digits.append(decimal.scale, '0');
  if (llvm::StringRef(digits).getAsInteger(10, value))
    return problem("it does not fit in 64 bits");
  return value;
}

} // namespace mlir::llm
