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

/// The bytes of values between ops in the last shared memory, from a cycle on.
struct MemoryStep {
  std::vector<unsigned> loops; ///< around it, outermost first
  int64_t cycle = 0; ///< in their first iterations, from the program's start
  int64_t valueBytes = 0, workspaceBytes = 0;
};

/// Finds the steps in the order of the program. In a loop they are those of its
/// first iteration. In each other iteration they hold a period later. The first
/// step is at 0.
std::vector<MemoryStep> memoryOverTime(const Report &report);

} // namespace mlir::llm

#endif // LLM_RESULTS_MEMORYOVERTIME_H
