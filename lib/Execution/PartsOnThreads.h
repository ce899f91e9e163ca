//===- PartsOnThreads.h - Parts run where their slots say -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_PARTSONTHREADS_H
#define LLM_LIB_EXECUTION_PARTSONTHREADS_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Makes parallel loops of the `scf.forall` loops on buffers of a module. If
/// `llm.slots` in the location of a loop says on which engine each iteration
/// runs, thread N runs the iterations of engine N, in their order. Engines
/// beyond the last thread begin again at the first. The iterations of other
/// loops are shared in equal stretches.
std::unique_ptr<Pass> createPartsOnThreadsPass(unsigned threads);

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_PARTSONTHREADS_H
