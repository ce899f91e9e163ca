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

/// Makes loops of linalg ops in buffers that sum (or reduce otherwise): several
/// elements of the result at once, in values that the innermost loop carries,
/// so that what one of them reads serves others, too. Where neighbours lie
/// beside each other, they are lanes of vectors of this CPU: along the
/// reduction, whose sums are then added up in another order, or along the
/// result. With threads, a loop outside of all is parallel. Other ops are left
/// as they are.
std::unique_ptr<Pass> createRegisterTilesPass(CpuVectors vectors,
                                              bool hasThreads);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_REGISTERTILES_H
