//===- Pipeline.h - From linalg to LLVM -------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_PIPELINE_H
#define LLM_LIB_EXECUTION_PIPELINE_H

#include "Assertions.h"
#include "llm/Execution/Executable.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::llm {

/// Makes the parts of ops that upstream bufferizes only in parts.
void addDecomposition(OpPassManager &pm);

/// Makes buffers of tensors. Functions take and return dense ones.
void addBufferization(OpPassManager &pm);

/// Frees buffers after their last use, and moves the ops on them into
/// functions. With several threads, these share the parts of an op.
void addKernels(OpPassManager &pm, unsigned threads);

/// Makes loops of the functions, and LLVM's ops of the loops. More than one
/// thread needs OpenMP's runtime library. `assertions` gets those of the
/// program.
void addLoopsToLlvm(OpPassManager &pm, Kernels kernels, unsigned threads,
                    CpuVectors vectors, Assertions &assertions);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_PIPELINE_H
