//===- BruteForce.h - Is there a shorter schedule? --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_EXACTSCHEDULING_BRUTEFORCE_H
#define LLM_TEST_UNIT_EXACTSCHEDULING_BRUTEFORCE_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling::test {

enum class Answer { No, Yes, TooMany };

/// Whether some schedule takes fewer than `cycles`, by trying all: every way to
/// cut the tasks, every engine, lanes, set of fetches and order of starts. Too
/// many when that takes more than `steps`. Uses nothing of the library but its
/// types, and knows no bound but that what is left to run takes its time.
Answer isThereShorter(const Problem &problem, int64_t cycles, int64_t steps);

} // namespace mlir::llm::scheduling::test

#endif // LLM_TEST_UNIT_EXACTSCHEDULING_BRUTEFORCE_H
