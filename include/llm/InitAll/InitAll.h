//===- InitAll.h - Register everything --------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_INITALL_INITALL_H
#define LLM_INITALL_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::llm {

/// Registers the llm dialect, those it builds on, and the interfaces of
/// upstream ops.
void registerAllDialects(DialectRegistry &registry);

/// Registers all passes and pipelines of the project.
void registerAllPasses();

} // namespace mlir::llm

#endif // LLM_INITALL_INITALL_H
