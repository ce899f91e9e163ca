//===- FusedOps.cpp - Ops that run as one ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Workload/Composition.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::llm;

static YieldOp yieldOf(FusedOp op) {
  return cast<YieldOp>(op.getBody().front().getTerminator());
}

Value FusedOp::getYielded(OpResult result) {
  return yieldOf(*this).getValues()[result.getResultNumber()];
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks that the op may stand in a kernel: it takes time or is a view, and
/// has no decisions of its own.
static LogicalResult verifyInner(Operation &op) {
  bool takesTime = isa<WorkloadOpInterface>(op) && !isa<FusedOp>(op);
  if (!takesTime && !isa<TransparentOpInterface>(op)) // fused-C2
    return op.emitOpError() << "cannot stand in 'llm.fused': only ops that "
                               "take time, and views of tensors, can";
  for (StringRef name : {LlmDialect::tileAttrName, LlmDialect::costAttrName,
                         LlmDialect::slotsAttrName})
    if (op.hasAttr(name)) // fused-C4
      return op.emitOpError()
             << "has '" << name << "', but it is the 'llm.fused' around it "
             << "that is tiled and scheduled";
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getOperandTypes() != getResultTypes()) // fused-C1
    return emitOpError() << "must end with an llm.yield of values of the types "
                            "of its results";
  bool takesTime = false;
  for (Operation &op : block.without_terminator()) {
    if (failed(verifyInner(op)))
      return failure();
    takesTime |= isa<WorkloadOpInterface>(op);
  }
  if (!takesTime) // fused-C3
    return emitOpError() << "needs an op that takes time";
  for (Value value : yield.getValues()) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block ||
        !isa<WorkloadOpInterface>(op)) // fused-C5
      return yield.emitOpError()
             << "hands on what no op that takes time has computed here";
  }
  return success();
}

/// Replaces a kernel of one op by that op.
LogicalResult FusedOp::canonicalize(FusedOp op, PatternRewriter &rewriter) {
  Block &block = op.getBody().front();
  if (llvm::count_if(block, [](Operation &inner) {
        return isa<WorkloadOpInterface>(inner);
      }) != 1)
    return failure();
  SmallVector<Value> yielded(yieldOf(op).getValues());
  rewriter.eraseOp(yieldOf(op));
  rewriter.inlineBlockBefore(&block, op);
  rewriter.replaceOp(op, yielded);
  return success();
}

//===----------------------------------------------------------------------===//
// Workload
//===----------------------------------------------------------------------===//

FailureOr<Workload> FusedOp::getWorkload(EmitError emitError) {
  return composeWorkload(getBody().front(), getResults(), emitError);
}

Count FusedOp::countPoints(const Workload &workload, unsigned stage, Box box) {
  return countComposedPoints(workload, stage, box);
}

Count FusedOp::countElements(const Workload &workload, unsigned buffer,
                             Box box) {
  return countComposedElements(workload, buffer, box);
}
