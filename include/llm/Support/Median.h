//===- Median.h - The middle one of several numbers -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SUPPORT_MEDIAN_H
#define LLM_SUPPORT_MEDIAN_H

#include <algorithm>
#include <vector>

namespace mlir::llm {

/// Returns the median. For an even count it is the mean of the two in the
/// middle. It is 0 if there are no numbers.
template <typename Number>
double medianOf(std::vector<Number> numbers) {
  if (numbers.empty())
    return 0;
  std::sort(numbers.begin(), numbers.end());
  size_t middle = numbers.size() / 2;
  double upper = double(numbers[middle]);
  return numbers.size() % 2 ? upper : (double(numbers[middle - 1]) + upper) / 2;
}

} // namespace mlir::llm

#endif // LLM_SUPPORT_MEDIAN_H
