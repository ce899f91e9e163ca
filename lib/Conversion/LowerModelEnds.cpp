//===- LowerModelEnds.cpp - From tokens, to tokens ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

LogicalResult lowerEmbedding(EmbeddingOp op, LinalgLowering &lowering) {
  Array table = lowering.getArray(op.getTable());
  OpBuilder &builder = lowering.getBuilder();
  Value tokens = lowering.get(op.getTokens());
  // Whole numbers that index are no numbers to calculate with: read as stored.
  SmallVector<OpFoldResult> sizes = {lowering.getSizes(tokens)[0],
                                     lowering.getSizes(table.getValues())[1]};
  auto generic = linalg::GenericOp::create(
      builder, lowering.getLoc(), op.getType(), tokens,
      lowering.empty(sizes, op.getType().getElementType()),
      ArrayRef<AffineMap>{mapOf(op.getContext(), 2, {0}),
                          builder.getMultiDimIdentityMap(2)},
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange scalars) {
        Value row =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), scalars[0]);
        Value column = linalg::IndexOp::create(b, loc, 1);
        Value number = lowering.extract(b, table, {row, column});
        linalg::YieldOp::create(
            b, loc, lowering.narrow(b, number, op.getType().getElementType()));
      });
  lowering.setResult(0, generic.getResults());
  return success();
}

/// The first of the largest logits.
LogicalResult lowerSample(SampleOp op, LinalgLowering &lowering) {
  if (op.getSampling() != Sampling::Greedy)
    return op.emitOpError(
        "draws its token at random, which has no lowering: use 'greedy'");
  OpBuilder &builder = lowering.getBuilder();
  Array logits = lowering.getArray(op.getLogits());
  OpFoldResult rows = lowering.getSizes(logits.getValues())[0];
  Value largest =
      lowering.filled({rows}, -std::numeric_limits<double>::infinity());
  Value token = lowering.filled({rows}, builder.getI32IntegerAttr(0));
  AffineMap row = mapOf(op.getContext(), 2, {0});
  auto generic = linalg::GenericOp::create(
      builder, lowering.getLoc(), TypeRange{largest.getType(), token.getType()},
      logits.getValues(), ValueRange{largest, token},
      ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(2), row, row},
      ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                    utils::IteratorType::reduction},
      [&](OpBuilder &b, Location loc, ValueRange scalars) {
        Value logit = lowering.widen(b, scalars[0]);
        Value isLarger = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OGT, logit, scalars[1]);
        Value here = arith::IndexCastOp::create(
            b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, 1));
        linalg::YieldOp::create(
            b, loc,
            ValueRange{
                arith::SelectOp::create(b, loc, isLarger, logit, scalars[1]),
                arith::SelectOp::create(b, loc, isLarger, here, scalars[2])});
      });
  lowering.setResult(0, generic.getResult(1));
  return success();
}

} // namespace

void llm::attachModelEndLowerings(MLIRContext *context) {
  attachLowering<EmbeddingOp, lowerEmbedding>(context);
  attachLowering<SampleOp, lowerSample>(context);
}
