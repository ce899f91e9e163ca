//===- FunctionQueues.h - The queues of a function's schedule ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_QUEUES_FUNCTIONQUEUES_H
#define LLM_LIB_EXPORT_QUEUES_FUNCTIONQUEUES_H

#include "llm/Planning/ScheduleProblem.h"
#include "llm/Planning/Split.h"
#include "llm/Planning/Timeline.h"
#include "llm/Scheduling/Queues.h"

#include <memory>

namespace mlir::llm {

/// An op of a stretch and how it is cut.
struct QueuedOp {
  unsigned index; ///< in `Program::ops()`
  Split split;
  SmallVector<Loop> loops;
  SmallVector<unsigned> cutLoops; ///< positions in `loops`
};

/// The queues of one stretch of ops between loop boundaries. The tasks of the
/// problem are the ops; the cycles of the solution count from `startCycle`.
struct StretchQueues {
  int64_t startCycle = 0, endCycle = 0; ///< of the function or the iteration
  std::vector<QueuedOp> ops;
  scheduling::Problem problem;
  scheduling::Solution solution;
  scheduling::Addresses addresses;
  std::vector<scheduling::Queue> queues;
};

struct FunctionQueues {
  std::unique_ptr<Program> program; ///< the timeline refers to it
  Timeline timeline;
  std::vector<StretchQueues> stretches; ///< in the order of the program

  /// Fails with a diagnostic if a pass did not run yet, if costs are stale, or
  /// if the schedule breaks a rule. The queues of such a schedule would block,
  /// or would overwrite what is in use.
  static FailureOr<FunctionQueues> create(FunctionOpInterface function,
                                          const Target &target);
};

void writeQueuesJson(ArrayRef<FunctionQueues> functions, const Target &target,
                     llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_QUEUES_FUNCTIONQUEUES_H
