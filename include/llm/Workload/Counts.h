//===- Counts.h - Counts that know when they overflow -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_COUNTS_H
#define LLM_WORKLOAD_COUNTS_H

#include "llm/Support/Units.h"
#include "llm/Workload/Workload.h"

namespace mlir::llm {

/// These return a * b and a + b. They fail if an operand failed or the result
/// is above `maxCount`.
inline Count times(Count a, int64_t b) {
  std::optional<int64_t> product =
      succeeded(a) ? checkedMul(*a, b) : std::nullopt;
  return product ? Count(*product) : Count(failure());
}
inline Count plus(Count a, Count b) {
  std::optional<int64_t> sum =
      succeeded(a) && succeeded(b) ? checkedAdd(*a, *b) : std::nullopt;
  return sum ? Count(*sum) : Count(failure());
}

/// Computes sum += amount * repeats. On failure the sum stays as it was.
inline LogicalResult accumulate(int64_t &sum, Count amount, int64_t repeats) {
  Count total = plus(sum, times(amount, repeats));
  sum = succeeded(total) ? *total : sum;
  return success(succeeded(total));
}

} // namespace mlir::llm

#endif // LLM_WORKLOAD_COUNTS_H
