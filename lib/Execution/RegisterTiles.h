//===- RegisterTiles.h - Sums that stay in registers ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_REGISTERTILES_H
#define LLM_LIB_EXECUTION_REGISTERTILES_H

#include "llm/Execution/Executable.h"
#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Makes loops of linalg ops on buffers that sum (or reduce otherwise). Several
/// elements of the result are computed at once, in values that the innermost
/// loop carries, so that they share what they read. If neighbours lie beside
/// each other, they are lanes of vectors of this CPU. Vectors lie along the
/// result, or along the reduction, which then adds up in another order. With
/// threads, a loop outside of all others is parallel. Other ops are left as
/// they are.
std::unique_ptr<Pass> createRegisterTilesPass(CpuVectors vectors,
                                              bool hasThreads);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_REGISTERTILES_H
