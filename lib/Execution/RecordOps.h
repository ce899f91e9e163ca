//===- RecordOps.h - Programs that say which op runs ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_RECORDOPS_H
#define LLM_LIB_EXECUTION_RECORDOPS_H

#include "llm/Program/Program.h"
#include "llm/Trace/OpRecorder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::llm {

/// Writes into the location of each op of the program, and of what is inside of
/// it, which one it is: what lowering makes of an op has its location.
void numberOps(const Program &program);

/// Has a lowered function tell `recorder`, by calls of `enterOpSymbol`, when it
/// goes on with another op. Of functions in buffers, before they are LLVM's.
void addRecorderCalls(func::FuncOp function, OpRecorder &recorder);

inline constexpr const char *enterOpSymbol = "llmEnterOp";
/// What the symbol stands for.
void enterOp(int64_t recorder, int64_t op);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_RECORDOPS_H
