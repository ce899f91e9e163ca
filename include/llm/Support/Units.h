//===- Units.h - Exact integer conversions of time and size -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All times are integer cycles of the target's clock. If a result does not fit
// into 64 bits, functions return nothing; they never wrap around. Plain C++.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_UNITS_H
#define LLM_SUPPORT_UNITS_H

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::llm {

/// The largest count of anything in the compiler. The sum of two counts still
/// fits into 64 bits.
inline constexpr int64_t maxCount = INT64_MAX / 4;

/// These return a * b and a + b, or nothing if a or b is negative or the result
/// is above `maxCount`.
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

/// Returns ceil(a * b * c / (d * e)), computed in 128 bits. Factors must be >=
/// 0 and divisors > 0. Returns nothing if an intermediate or the result
/// overflows.
std::optional<int64_t> ceilMulDiv(int64_t a, int64_t b, int64_t c, int64_t d,
                                  int64_t e = 1);

/// Returns the cycles of a `clockHz` clock in which `bytes` pass through
/// `lanes` of the `totalLanes` equal lanes of a resource of `bytesPerSecond`:
/// ceil(bytes totalLanes clock / (lanes rate)).
inline std::optional<int64_t> streamCycles(int64_t bytes, int64_t totalLanes,
                                           int64_t clockHz, int64_t lanes,
                                           int64_t bytesPerSecond) {
  return ceilMulDiv(bytes, totalLanes, clockHz, lanes, bytesPerSecond);
}

/// Returns `cycles` at `clockHz` in nanoseconds, rounded to the nearest
/// integer. Traces round cycles to time only here.
int64_t cyclesToNanoseconds(int64_t cycles, int64_t clockHz);

/// Returns `cycles` at `clockHz` in microseconds, for people and for reports.
double cyclesToMicroseconds(int64_t cycles, int64_t clockHz);

/// Returns 1234567 as "1,234,567".
std::string withThousandsSeparators(int64_t value);

} // namespace mlir::llm

#endif // LLM_SUPPORT_UNITS_H
