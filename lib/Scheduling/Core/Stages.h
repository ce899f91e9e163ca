//===- Stages.h - What all before and all behind wait for -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_STAGES_H
#define LLM_LIB_SCHEDULING_CORE_STAGES_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// Some tasks wait for all before them, and all behind wait for them. Each of
/// these is a stage, and so is what is between two of them. A stage ends before
/// the next one starts. Returns where stages begin, as positions of the
/// topological order, and the end of the last one.
std::vector<size_t> findBorders(const Problem &problem,
                                const std::vector<unsigned> &order);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_STAGES_H
