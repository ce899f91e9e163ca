//===- Workloads.h - Shared by the ops' workloads -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_WORKLOADS_H
#define LLM_LIB_DIALECT_LLM_IR_WORKLOADS_H

#include "llm/Interfaces/Workload.h"

namespace mlir::llm {

/// An error that names the type of any operand or result without a static
/// shape.
LogicalResult requireStaticShapes(Operation *op, EmitError emitError);

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_WORKLOADS_H
