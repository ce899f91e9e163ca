//===- Lowering.cpp - What the ops compute --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ssm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;
using namespace ssm;

namespace {
Value multiply(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}

/// One step after the other: what the state is behind it, and a row of y.
class ScanLowering {
public:
  ScanLowering(ScanOp op, LinalgLowering &lowering)
      : op(op), lowering(lowering), b(lowering.getBuilder()),
        loc(lowering.getLoc()), a(lowering.getArray(op.getA())),
        pairs(b.getMultiDimIdentityMap(2)),
        channels(AffineMap::get(2, 0, {b.getAffineDimExpr(0)}, b.getContext())),
        states(AffineMap::get(2, 0, {b.getAffineDimExpr(1)}, b.getContext())) {}

  void lower() {
    Type number = lowering.getComputeType();
    // Between steps, the state is not rounded.
    Value start =
        lowering.convert(lowering.getArray(op.getState()), number).getValues();
    SmallVector<OpFoldResult> sizes =
        lowering.getSizes(lowering.get(op.getX()));
    Value y = lowering.empty(sizes, op.getY().getType().getElementType());
    Value steps = getValueOrCreateConstantIndexOp(b, loc, sizes[0]);
    auto loop =
        scf::ForOp::create(b, loc, lowering.index(b, 0), steps,
                           lowering.index(b, 1), ValueRange{start, y});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value t = loop.getInductionVar();
      Value next = advance(t, loop.getRegionIterArg(0));
      Value rows = tensor::InsertSliceOp::create(
          b, loc, readOut(t, next), loop.getRegionIterArg(1),
          ArrayRef<OpFoldResult>{t, b.getIndexAttr(0)},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1), sizes[1]},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1), b.getIndexAttr(1)});
      scf::YieldOp::create(b, loc, ValueRange{next, rows});
    }
    lowering.setResult(0, loop.getResult(1));
    lowering.setResult(1,
                       lowering.round(loop.getResult(0),
                                      op.getNext().getType().getElementType()));
  }

private:
  /// A row of a matrix [t, ..]; of plain elements, each can be had.
  Read rowOf(Value matrix, Value t, AffineMap map) {
    return {*lowering.pickRow(lowering.getArray(matrix), t), map};
  }

  /// exp(-dt a) s + dt x b.
  Value advance(Value t, Value state) {
    return lowering.compute(
        lowering.getSizes(state),
        {{lowering.asArray(state), pairs},
         {a, pairs},
         rowOf(op.getDt(), t, channels),
         rowOf(op.getX(), t, channels),
         rowOf(op.getB(), t, states)},
        lowering.getComputeType(),
        [](OpBuilder &b, Location loc, ValueRange n) -> Value {
          Value rate = multiply(b, loc, n[2], n[1]);
          Value decay =
              math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, rate));
          Value rise = multiply(b, loc, multiply(b, loc, n[2], n[3]), n[4]);
          return arith::AddFOp::create(b, loc, multiply(b, loc, decay, n[0]),
                                       rise);
        });
  }

  /// sum over n of s c.
  Value readOut(Value t, Value state) {
    Value zeros = lowering.filled(lowering.getSizes(state)[0], 0.0);
    Value sums = lowering.reduce(
        zeros, channels,
        {{lowering.asArray(state), pairs}, rowOf(op.getC(), t, states)},
        [](OpBuilder &b, Location loc, ValueRange n) -> Value {
          return arith::AddFOp::create(b, loc, n[2],
                                       multiply(b, loc, n[0], n[1]));
        });
    return lowering.round(sums, op.getY().getType().getElementType());
  }

  ScanOp op;
  LinalgLowering &lowering;
  OpBuilder &b;
  Location loc;
  Array a;
  AffineMap pairs, channels, states;
};
} // namespace

LogicalResult ScanOp::lowerToLinalg(LinalgLowering &lowering) {
  ScanLowering(*this, lowering).lower();
  return success();
}

LogicalResult FlipOp::lowerToLinalg(LinalgLowering &lowering) {
  Value x = lowering.get(getX());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x);
  Value steps = getValueOrCreateConstantIndexOp(
      lowering.getBuilder(), lowering.getLoc(), sizes[0]);
  lowering.setResult(
      0, lowering.generate(
             sizes, getType().getElementType(),
             [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
               Value behind = arith::SubIOp::create(b, loc, steps, at[0]);
               Value step = arith::SubIOp::create(b, loc, behind,
                                                  lowering.index(b, 1));
               return tensor::ExtractOp::create(b, loc, x,
                                                ValueRange{step, at[1]});
             }));
  return success();
}
