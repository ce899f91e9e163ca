//===- OpenExpansions.h - Buffers with several open sizes -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXECUTION_OPENEXPANSIONS_H
#define LLM_LIB_EXECUTION_OPENEXPANSIONS_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Makes other views of a `memref.expand_shape` that makes several open
/// dimensions of one, as open batches and sequences are. Upstream's lowering
/// takes all but one of them for known and crashes
/// (ExpandStridedMetadata.cpp).
std::unique_ptr<Pass> createOpenExpansionsPass();

} // namespace mlir::llm

#endif // LLM_LIB_EXECUTION_OPENEXPANSIONS_H
