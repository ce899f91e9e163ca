//===- StepOrder.h - In which order a framework runs the steps --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRACECOMPARISON_STEPORDER_H
#define LLM_LIB_TRACECOMPARISON_STEPORDER_H

#include "WorkMeaning.h"

namespace mlir::llm {

/// Finds the order of steps that explains the work best. A program has its ops
/// in one of the orders that their operands allow, and a framework may run them
/// in another: PyTorch's Qwen3 normalizes the queries before it computes the
/// keys.
///
/// The search begins with the order of the program. It moves one step at a
/// time, within its loop and behind the steps whose results it reads, as long
/// as the walk through the first pieces scores higher. The result has the
/// number of each step once.
std::vector<unsigned> findStepOrder(const ProgramPattern &pattern,
                                    ArrayRef<WorkPiece> pieces);

} // namespace mlir::llm

#endif // LLM_LIB_TRACECOMPARISON_STEPORDER_H
