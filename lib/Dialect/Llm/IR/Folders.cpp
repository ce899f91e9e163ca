//===- Folders.cpp - Ops that change nothing ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"

using namespace mlir;
using namespace mlir::llm;

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return getFactor().isExactlyValue(1.0) ? OpFoldResult(getX())
                                         : OpFoldResult();
}

/// To the type that the values have.
OpFoldResult QuantizeOp::fold(FoldAdaptor) {
  return getX().getType() == getOut().getType() ? OpFoldResult(getX())
                                                : OpFoldResult();
}

/// For as many heads as there are.
OpFoldResult RepeatKvOp::fold(FoldAdaptor) {
  return getX().getType() == getOut().getType() ? OpFoldResult(getX())
                                                : OpFoldResult();
}

/// Without an open size.
OpFoldResult SizedOp::fold(FoldAdaptor) {
  return getSizes().empty() ? OpFoldResult(getX()) : OpFoldResult();
}
