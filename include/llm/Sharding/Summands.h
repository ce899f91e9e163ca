//===- Summands.h - Sums that may be made later -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_SUMMANDS_H
#define LLM_SHARDING_SUMMANDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

#include "llm/Sharding/ShardingInterfaces.h.inc"

namespace mlir::llm {

/// Attaches interfaces to ops of the llm dialect: that of summands to sums, to
/// products with a constant and to the joined outputs of experts, that of rows
/// of experts to the ops that work on these rows, and that of results that can
/// be joined to attention.
void registerSummands(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_SHARDING_SUMMANDS_H
