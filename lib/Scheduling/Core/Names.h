//===- Names.h - How messages name things -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_NAMES_H
#define LLM_LIB_SCHEDULING_CORE_NAMES_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// "matrix+vector", or "any" for the empty set.
std::string nameOf(EngineKindSet kinds);

/// "'q_proj'", or "task 3" when the task has no name. The index must be valid.
std::string nameOfTask(const Problem &problem, unsigned task);

/// "'q_proj'", or "part 2 of 'q_proj'" when there are several. The task is cut
/// by this choice.
std::string nameOfPart(const Problem &problem, unsigned task, unsigned part,
                       unsigned choice = 0);

/// "npu[2]"; also for an engine that does not exist.
std::string nameOfEngine(const Problem &problem, EngineId engine);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_NAMES_H
