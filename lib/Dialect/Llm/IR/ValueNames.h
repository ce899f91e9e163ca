//===- ValueNames.h - What values are called in text ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_VALUENAMES_H
#define LLM_LIB_DIALECT_LLM_IR_VALUENAMES_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::llm {

/// Calls the first result after the end of a name in the model's words:
/// "model.layers.{}.self_attn.q_proj" makes %q_proj, and "..q_proj.weight"
/// %q_proj.weight. An empty name leaves a number.
/// The results of a router are %shares and %experts.
void nameResults(Operation *op, StringRef name, OpAsmSetValueNameFn setName);

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_VALUENAMES_H
