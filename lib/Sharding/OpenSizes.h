//===- OpenSizes.h - Workloads of ops whose sizes are open ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a program is cut depends on its loops, and on which of them chips divide.
// A loop whose size is open (how many tokens, or keys) stays on each chip, so
// that its size does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SHARDING_OPENSIZES_H
#define LLM_LIB_SHARDING_OPENSIZES_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"

namespace mlir::llm {

/// The extent of a loop whose size is open. It is a prime, so that no chips
/// divide it.
constexpr int64_t openExtent = (int64_t(1) << 31) - 1;

/// Returns the workload of an op, whose open sizes count as `openExtent`. It is
/// for cuts, and not for costs. Nothing, without a diagnostic, if the op has
/// none.
FailureOr<Workload> workloadForCuts(Operation *op);
/// Does the same, and says why there is none.
FailureOr<Workload> workloadForCuts(WorkloadOpInterface op,
                                    EmitError emitError);

/// Says whether a tensor, cache or state has an open size.
bool hasOpenSize(Type type);
/// Says whether it is open how many sequences or tokens a program has.
bool hasOpenSize(ProgramAttr program);

} // namespace mlir::llm

#endif // LLM_LIB_SHARDING_OPENSIZES_H
