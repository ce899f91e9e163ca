//===- PartNumbers.h - Which part a number means ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_PARTNUMBERS_H
#define LLM_LIB_SCHEDULING_CORE_PARTNUMBERS_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// Finds the parts of each task by number. The problem must outlive this.
class PartNumbers {
public:
  explicit PartNumbers(const Problem &problem);

  int64_t count(unsigned task) const {
    return before[first[task + 1]] - before[first[task]];
  }
  /// The part of the task with this number, which must exist.
  const Part &part(unsigned task, int64_t part) const;
  bool isLast(unsigned task, int64_t part) const {
    return part + 1 == count(task);
  }

private:
  const Problem &problem;
  std::vector<size_t> first;   ///< of each task: its first entry in `before`
  std::vector<int64_t> before; ///< parts before each entry of `Task::parts`
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_PARTNUMBERS_H
