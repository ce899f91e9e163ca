//===- ValuesRead.h - What an op reads --------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_VALUESREAD_H
#define LLM_WORKLOAD_VALUESREAD_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::llm {

/// Returns the operands of an op, and what its regions read of values from
/// outside.
SetVector<Value> valuesReadBy(Operation *op);

} // namespace mlir::llm

#endif // LLM_WORKLOAD_VALUESREAD_H
