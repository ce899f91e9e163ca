//===- Exchanges.h - What workloads of collectives share --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_EXCHANGES_H
#define LLM_LIB_DIALECT_LLM_IR_EXCHANGES_H

#include "llm/Dialect/Llm/IR/Llm.h"

namespace mlir::llm {

/// Returns the grid of the module. It is an error, as are open sizes, if there
/// is none.
FailureOr<GridAttr> requireGrid(Operation *op, EmitError emitError);

/// Returns the exchange of so many bytes among the chips along some axes. It is
/// an error if they could not be counted.
FailureOr<Collective> makeCollective(CollectiveKind kind, GridAttr grid,
                                     ArrayAttr axes, Count bytes,
                                     EmitError emitError);

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_EXCHANGES_H
