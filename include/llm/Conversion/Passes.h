//===- Passes.h - Passes that leave the dialect -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONVERSION_PASSES_H
#define LLM_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "llm/Conversion/Passes.h.inc"

} // namespace mlir::llm

#endif // LLM_CONVERSION_PASSES_H
