//===- Pipeline.h - From linalg to LLVM -------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_PIPELINE_H
#define LLM_LIB_EXECUTION_PIPELINE_H

#include "llm/Execution/Executable.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::llm {

/// Tensors as buffers; functions take and give dense ones.
void addBufferization(OpPassManager &pm);

/// Buffers are freed where nobody reads them any more, and what is done with
/// them is in functions.
void addKernels(OpPassManager &pm, unsigned threads);

/// The functions as loops, and these as LLVM's ops. More than one thread is a
/// matter of OpenMP's runtime library.
void addLoopsToLlvm(OpPassManager &pm, Kernels kernels, unsigned threads,
                    CpuVectors vectors);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_PIPELINE_H
