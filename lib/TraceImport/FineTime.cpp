//===- FineTime.cpp - Decimals of microseconds, without rounding ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FineTime.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::llm;
using llvm::StringRef;

static StringRef takeDigits(StringRef &text) {
  StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  return digits;
}

/// Takes an exponent such as `e-12`. A number too large for any time is cut to
/// one that still is.
static std::optional<int> takeExponent(StringRef &text) {
  if (!text.consume_front_insensitive("e"))
    return 0;
  bool isNegative = text.consume_front("-");
  if (!isNegative)
    text.consume_front("+");
  StringRef digits = takeDigits(text);
  if (digits.empty())
    return std::nullopt;
  constexpr int far = 100000;
  int exponent = far;
  if (digits.ltrim('0').size() < 6)
    digits.getAsInteger(10, exponent);
  return isNegative ? -exponent : exponent;
}

std::optional<FineTime> FineTime::parseMicroseconds(StringRef text) {
  bool isNegative = text.consume_front("-");
  StringRef whole = takeDigits(text), behind;
  if (text.consume_front("."))
    behind = takeDigits(text);
  std::optional<int> exponent = takeExponent(text);
  if (whole.size() + behind.size() == 0 || !exponent || !text.empty())
    return std::nullopt;

  constexpr int decimals = 15; // a part is 10^-15 microseconds
  constexpr Wide limit = Wide(int64_t(1) << 61) * partsPerNanosecond;
  Wide parts = 0;
  // The next digit stands for 10^(place - 1) parts.
  int64_t place = int64_t(whole.size()) + *exponent + decimals;
  for (StringRef digits : {whole, behind}) {
    for (char digit : digits) {
      if (--place < 0)
        break;
      parts = parts * 10 + (digit - '0');
      if (parts >= limit)
        return std::nullopt;
    }
  }
  // This adds the zeros that are not written.
  for (; place > 0 && parts > 0; --place) {
    parts *= 10;
    if (parts >= limit)
      return std::nullopt;
  }
  return FineTime(isNegative ? -parts : parts);
}

int64_t FineTime::roundToNanoseconds() const {
  Wide shifted = parts + partsPerNanosecond / 2;
  Wide floor = shifted / partsPerNanosecond;
  if (shifted % partsPerNanosecond < 0)
    --floor;
  return int64_t(floor);
}
