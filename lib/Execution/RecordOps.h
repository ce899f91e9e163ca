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

/// Writes into the location of each op of the program, and of the ops inside of
/// it, which op it is. What lowering makes of an op keeps its location.
void numberOps(const Program &program);

/// Makes a lowered function tell `recorder` when it goes on with another op, by
/// calls of `enterOpSymbol`. The function must be in buffers, and not yet in
/// LLVM's ops.
void addRecorderCalls(func::FuncOp function, OpRecorder &recorder);

inline constexpr const char *enterOpSymbol = "llmEnterOp";
/// The function that `enterOpSymbol` stands for.
void enterOp(int64_t recorder, int64_t op);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_RECORDOPS_H
