//===- ParallelLoops.h - Work that threads share ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_PARALLELLOOPS_H
#define LLM_LIB_EXECUTION_PARALLELLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Whether starting threads takes less time than they save. What is open may be
/// large.
bool isWorthThreads(linalg::LinalgOp op);

/// Linalg ops in buffers that are worth it become loops, of which the outermost
/// one with more than one iteration is parallel.
std::unique_ptr<Pass> createParallelLoopsPass();

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_PARALLELLOOPS_H
