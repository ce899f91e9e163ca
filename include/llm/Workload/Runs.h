//===- Runs.h - How often an op runs ----------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_RUNS_H
#define LLM_WORKLOAD_RUNS_H

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::llm {

/// Returns how often an op runs: the product of the trip counts of the loops
/// around it. Loops with open bounds count once.
double countRuns(Operation *op);

} // namespace mlir::llm

#endif // LLM_WORKLOAD_RUNS_H
