//===- SourcesOf.h - What a part streams ------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULINGTEXT_SOURCESOF_H
#define LLM_LIB_SCHEDULINGTEXT_SOURCESOF_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm {

/// Returns the sources of a part by its number, where equal parts are counted
/// one by one. Returns null if the task has no such part.
inline const std::vector<scheduling::Source> *
sourcesOf(const std::vector<scheduling::Part> &parts, int64_t number) {
  for (const scheduling::Part &part : parts) {
    if (number < part.count)
      return &part.sources;
    number -= part.count;
  }
  return nullptr;
}

} // namespace mlir::llm

#endif // LLM_LIB_SCHEDULINGTEXT_SOURCESOF_H
