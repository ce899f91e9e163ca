//===- InlineKernel.h - Fused ops as the ops inside -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONVERSION_INLINEKERNEL_H
#define LLM_CONVERSION_INLINEKERNEL_H

#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::llm {

/// Replaces a kernel by the ops inside it, which define its meaning.
void inlineKernel(FusedOp kernel, RewriterBase &rewriter);

} // namespace mlir::llm

#endif // LLM_CONVERSION_INLINEKERNEL_H
