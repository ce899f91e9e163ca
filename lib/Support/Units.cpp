//===- Units.cpp - Exact integer conversions of time and size -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/Units.h"

namespace mlir::llm {

__extension__ using Wide = unsigned __int128;

static std::optional<int64_t> narrow(Wide value) {
  if (value > static_cast<Wide>(maxCount))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<int64_t> ceilMulDiv(int64_t a, int64_t b, int64_t c, int64_t d,
                                  int64_t e) {
  if (a < 0 || b < 0 || c < 0 || d <= 0 || e <= 0)
    return std::nullopt;
  // Most products are far below 64 bits, in which a division takes a third of
  // the time.
  uint64_t smallNumerator, smallDenominator;
  if (!__builtin_mul_overflow(a, b, &smallNumerator) &&
      !__builtin_mul_overflow(smallNumerator, c, &smallNumerator) &&
      !__builtin_mul_overflow(d, e, &smallDenominator)) {
    uint64_t quotient = smallNumerator / smallDenominator;
    return narrow(quotient + (quotient * smallDenominator != smallNumerator));
  }
  Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
  Wide numerator;
  if (__builtin_mul_overflow(product, static_cast<Wide>(c), &numerator))
    return std::nullopt;
  Wide denominator = static_cast<Wide>(d) * static_cast<Wide>(e);
  Wide quotient = numerator / denominator;
  return narrow(quotient + (quotient * denominator != numerator));
}

int64_t cyclesToNanoseconds(int64_t cycles, int64_t clockHz) {
  Wide numerator = static_cast<Wide>(cycles) * 1000000000u;
  return static_cast<int64_t>((numerator + clockHz / 2) / clockHz);
}

double cyclesToMicroseconds(int64_t cycles, int64_t clockHz) {
  return static_cast<double>(cycles) * 1e6 / static_cast<double>(clockHz);
}

std::string withThousandsSeparators(int64_t value) {
  std::string digits = std::to_string(value);
  size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

} // namespace mlir::llm
