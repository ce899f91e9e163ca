//===- ExpertRoom.h - Rows that a chip has room for -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_EXPERTROOM_H
#define LLM_LIB_CONVERSION_EXPERTROOM_H

#include "Lowerings.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace mlir::llm {

/// Makes sure that a chip has room for as many rows of its experts.
inline void checkRoom(Operation *op, LinalgLowering &lowering, Value ownRows,
                      int64_t room) {
  OpBuilder &builder = lowering.getBuilder();
  Value fits = arith::CmpIOp::create(builder, lowering.getLoc(),
                                     arith::CmpIPredicate::ule, ownRows,
                                     lowering.index(builder, room));
  cf::AssertOp::create(
      builder, op->getLoc(), fits,
      "a chip has room for " + std::to_string(room) +
          " rows of its experts, and the router chose them for more; cut with "
          "--llm-partition=expert-rows=all");
}

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_EXPERTROOM_H
