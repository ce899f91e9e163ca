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

/// Whether threads save more time than starting them takes. An open size may be
/// large.
bool isWorthThreads(linalg::LinalgOp op);

/// Makes loops of linalg ops on buffers that are worth threads. The outermost
/// loop with more than one iteration is parallel.
std::unique_ptr<Pass> createParallelLoopsPass();

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_PARALLELLOOPS_H
