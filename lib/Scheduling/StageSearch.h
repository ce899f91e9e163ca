//===- StageSearch.h - Stages, each searched for itself ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_STAGESEARCH_H
#define LLM_LIB_SCHEDULING_STAGESEARCH_H

#include "ListSearch.h"

namespace mlir::llm::scheduling {

/// How the tasks of all stages are cut and started best when each stage is
/// alone on the machine: as a stage starts when the one before it has ended,
/// they hardly matter to each other. Equal stages are searched once.
struct StageResults {
  Choices choices;
  ListOptions options;
  std::vector<Alike> alike; ///< each task in one of them
};

/// Places at most so many parts, about. Nothing where there is one stage only.
std::optional<StageResults> searchStages(const Problem &problem, size_t effort,
                                         const TryReport &report);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_STAGESEARCH_H
