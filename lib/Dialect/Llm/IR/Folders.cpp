//===- Folders.cpp - Ops that change nothing ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"

using namespace mlir;
using namespace mlir::llm;

/// Folds to the operand, unless a kernel would then return a value that it has
/// not computed.
static OpFoldResult foldTo(Value operand, Operation *op) {
  auto kernel = dyn_cast<FusedOp>(op->getParentOp());
  bool isFromOutside =
      kernel && !kernel.getBody().isAncestor(operand.getParentRegion());
  if (isFromOutside && llvm::any_of(op->getUsers(), llvm::IsaPred<YieldOp>))
    return {};
  return operand;
}

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return getFactor().isExactlyValue(1.0) ? foldTo(getX(), *this)
                                         : OpFoldResult();
}

/// Folds if the values have the type already.
OpFoldResult QuantizeOp::fold(FoldAdaptor) {
  return getX().getType() == getOut().getType() ? foldTo(getX(), *this)
                                                : OpFoldResult();
}

/// Folds if there are as many heads already.
OpFoldResult RepeatKvOp::fold(FoldAdaptor) {
  return getX().getType() == getOut().getType() ? foldTo(getX(), *this)
                                                : OpFoldResult();
}

/// Folds if no size is open.
OpFoldResult SizedOp::fold(FoldAdaptor) {
  return getSizes().empty() ? foldTo(getX(), *this) : OpFoldResult();
}
