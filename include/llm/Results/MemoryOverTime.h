//===- MemoryOverTime.h - What lies in memory when --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_MEMORYOVERTIME_H
#define LLM_RESULTS_MEMORYOVERTIME_H

#include "llm/Results/Report.h"

namespace mlir::llm {

/// The bytes of values between ops in the last shared memory from a cycle on,
/// up to the next step.
struct MemoryStep {
  std::vector<unsigned> loops; ///< loops around it, outermost first
  int64_t cycle = 0; ///< from the program's start, in their first iterations
  int64_t valueBytes = 0, workspaceBytes = 0;
};

/// Returns the steps in the order of the program. The first step is at cycle 0.
/// Steps of a loop are those of its first iteration. Each further iteration has
/// the same steps, later by the period.
std::vector<MemoryStep> memoryOverTime(const Report &report);

} // namespace mlir::llm

#endif // LLM_RESULTS_MEMORYOVERTIME_H
