//===- TransparentModels.h - Upstream ops that take no time -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_INTERFACES_TRANSPARENTMODELS_H
#define LLM_INTERFACES_TRANSPARENTMODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::llm {

/// Attaches TransparentOpInterface to the upstream ops that only name, reshape,
/// slice or join (constants and tensor views).
void registerTransparentModels(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_INTERFACES_TRANSPARENTMODELS_H
