//===- Units.h - Exact integer conversions of time and size -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All time is integer cycles of the target's clock. What leaves 64 bits is
// reported by an empty optional, never wrapped. Plain C++.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_UNITS_H
#define LLM_SUPPORT_UNITS_H

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::llm {

/// No count, byte or cycle in the compiler is above this: sums of two still
/// fit.
inline constexpr int64_t maxCount = INT64_MAX / 4;

/// a * b, a + b, or nothing when the result is negative or above `maxCount`.
inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t product;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ||
      product > maxCount)
    return std::nullopt;
  return product;
}
inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) || sum > maxCount)
    return std::nullopt;
  return sum;
}

/// ceil(a * b * c / (d * e)) with a 128-bit intermediate; all factors are >= 0,
/// the divisors > 0. Nothing when an intermediate or the result overflows.
std::optional<int64_t> ceilMulDiv(int64_t a, int64_t b, int64_t c, int64_t d,
                                  int64_t e = 1);

/// Cycles of a `clockHz` clock in which `bytes` pass through `lanes` of
/// `totalLanes` equal lanes of a resource of `bytesPerSecond`: ceil(bytes K
/// clock / (lanes rate)).
inline std::optional<int64_t> streamCycles(int64_t bytes, int64_t totalLanes,
                                           int64_t clockHz, int64_t lanes,
                                           int64_t bytesPerSecond) {
  return ceilMulDiv(bytes, totalLanes, clockHz, lanes, bytesPerSecond);
}

/// Nanoseconds, rounded to the nearest integer, of `cycles` at `clockHz`: the
/// one rounding from cycles to time that traces use.
int64_t cyclesToNanoseconds(int64_t cycles, int64_t clockHz);

/// Microseconds of `cycles` at `clockHz`, for people and for reports.
double cyclesToMicroseconds(int64_t cycles, int64_t clockHz);

/// 1234567 as "1,234,567".
std::string withThousandsSeparators(int64_t value);

} // namespace mlir::llm

#endif // LLM_SUPPORT_UNITS_H
