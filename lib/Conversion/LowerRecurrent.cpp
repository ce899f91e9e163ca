//===- LowerRecurrent.cpp - Layers with a state ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearAttention.h"
#include "StateInputs.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

//===----------------------------------------------------------------------===//
// conv1d
//===----------------------------------------------------------------------===//

/// conv1d-R1.
LogicalResult lowerConv1d(Conv1dOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  MLIRContext *context = op.getContext();
  Value state = lowering.get(op.getState()), x = lowering.get(op.getX());
  Array joined = lowering.asArray(joinInputs(lowering, state, x));
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x);
  auto dim = [&](unsigned loop) { return getAffineDimExpr(loop, context); };
  // The loops are b, s, c, i.
  AffineMap shifted =
      AffineMap::get(4, 0, {dim(0), dim(1) + dim(3), dim(2)}, context);
  Value init =
      op.getBias()
          ? lowering.compute(
                sizes,
                {{lowering.getArray(op.getBias()), mapOf(context, 3, {2})}},
                lowering.getComputeType(),
                [](OpBuilder &, Location, ValueRange numbers) {
                  return numbers[0];
                })
          : lowering.filled(sizes, 0.0);
  Value sums = lowering.reduce(
      init, mapOf(context, 4, {0, 1, 2}),
      {{joined, shifted},
       {lowering.getArray(op.getWeight()), mapOf(context, 4, {2, 3})}},
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        return a.addTerm(numbers[2], a.multiplyTerm(numbers[0], numbers[1]));
      });
  AffineMap identity = builder.getMultiDimIdentityMap(3);
  lowering.setResult(
      0, lowering.compute(sizes, {{lowering.asArray(sums), identity}},
                          op.getOut().getType().getElementType(),
                          [&](OpBuilder &b, Location loc, ValueRange numbers) {
                            Arithmetic a{b, loc, lowering.getComputeType()};
                            return op.getActivation()
                                       ? activate(*op.getActivation(), a,
                                                  numbers[0])
                                       : numbers[0];
                          }));
  OpFoldResult first = sizes[1], kept = lowering.getSizes(state)[1];
  if (op.getEveryStep()) { // with all inputs of the states behind all tokens
    first = builder.getIndexAttr(1);
    kept = lowering.add(lowering.add(kept, sizes[1]), builder.getIndexAttr(-1));
  }
  Array last = lowering.slice(joined, 1, first, kept);
  lowering.setResult(1,
                     lowering.round(last.getValues(),
                                    op.getState().getType().getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// linear_attn
//===----------------------------------------------------------------------===//

/// linear_attn-R1: from token to token; linear_attn-R2: from chunk to chunk.
LogicalResult lowerLinearAttn(LinearAttnOp op, LinalgLowering &lowering) {
  LinearAttention attention(op, lowering);
  auto [out, state] = op.getChunk() ? attendInChunks(attention, *op.getChunk())
                                    : attendInSteps(attention);
  lowering.setResult(0, attention.finish(out));
  lowering.setResult(1, attention.finishState(state));
  return success();
}

} // namespace

void llm::attachRecurrentLowerings(MLIRContext *context) {
  attachLowering<Conv1dOp, lowerConv1d>(context);
  attachLowering<LinearAttnOp, lowerLinearAttn>(context);
}
