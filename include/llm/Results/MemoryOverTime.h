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

/// From a cycle on, the values between ops in the last shared memory.
struct MemoryStep {
  std::vector<unsigned> loops; ///< around it, outermost first
  int64_t cycle = 0; ///< in their first iterations, from the program's start
  int64_t valueBytes = 0, workspaceBytes = 0;
};

/// In the order of the program; in a loop those of its first iteration, which
/// hold in the others a period later each. The first step is at 0.
std::vector<MemoryStep> memoryOverTime(const Report &report);

} // namespace mlir::llm

#endif // LLM_RESULTS_MEMORYOVERTIME_H
