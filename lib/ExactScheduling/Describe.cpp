//===- Describe.cpp - What is proven of a schedule, in words --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/ExactScheduling/Exact.h"

#include <algorithm>
#include <cmath>

namespace mlir::llm::scheduling {

std::string describeGap(int64_t makespan, int64_t lowerBoundCycles) {
  double bound = std::max<int64_t>(lowerBoundCycles, 1);
  int64_t tenths = std::ceil(1000.0 * (makespan - lowerBoundCycles) / bound);
  return "feasible, gap " + std::to_string(tenths / 10) + "." +
         std::to_string(tenths % 10) + " %";
}

std::string describe(const ExactResult &result) {
  switch (result.status) {
  case ExactStatus::Optimal:
    return "optimal";
  case ExactStatus::Feasible:
    return describeGap(result.solution.makespan, result.lowerBoundCycles);
  case ExactStatus::Infeasible:
    return "infeasible because " + result.reason;
  case ExactStatus::Unknown:
    return "unknown because " + result.reason;
  }
  return {};
}

} // namespace mlir::llm::scheduling
