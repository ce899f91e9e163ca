//===- FineTime.h - Decimals of microseconds, without rounding --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chrome's JSON counts from 1970 in microseconds with decimals, so a double
// would lose 100 nanoseconds. A sum of two times is rounded once, so that
// slices that touch in the file touch here.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_FINETIME_H
#define LLM_TRACEIMPORT_FINETIME_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace mlir::llm {

class FineTime {
public:
  /// Parses a decimal such as `1700000000123456.789` or `4.5e-2`. Digits behind
  /// the 15th decimal are cut. Returns nothing if the text is no number, or the
  /// time is 2^61 nanoseconds or longer.
  static std::optional<FineTime> parseMicroseconds(llvm::StringRef decimal);

  FineTime operator+(FineTime other) const {
    return FineTime(parts + other.parts);
  }
  bool isNegative() const { return parts < 0; }
  /// Returns the nearest nanosecond, and the later one of two.
  int64_t roundToNanoseconds() const;

private:
  __extension__ using Wide = __int128;
  static constexpr int64_t partsPerNanosecond = 1000000000000;
  explicit FineTime(Wide parts) : parts(parts) {}

  Wide parts; ///< 10^-15 microseconds
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_FINETIME_H
