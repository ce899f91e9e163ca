//===- OutlineKernels.h - Equal loops are compiled once ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_OUTLINEKERNELS_H
#define LLM_LIB_EXECUTION_OUTLINEKERNELS_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Puts each linalg op on buffers into a private function, and equal ops into
/// the same one. So the layers of a model are compiled once, and no function is
/// so large that compiling it takes long.
std::unique_ptr<Pass> createOutlineKernelsPass();

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_OUTLINEKERNELS_H
