//===- Sums.h - Sums that are not complete ----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_SUMS_H
#define LLM_LIB_DIALECT_LLM_IR_SUMS_H

#include "mlir/IR/Types.h"

namespace mlir::llm {

/// Returns the element type of sums for a result of this type: 32 bits, or more
/// if the result has more.
Type sumTypeOf(Type resultType);

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_SUMS_H
