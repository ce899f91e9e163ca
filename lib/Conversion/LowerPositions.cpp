//===- LowerPositions.cpp - Ops that know where tokens stand --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Positions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

Positions::Positions(LinalgLowering &lowering, ArrayRef<int64_t> numbers,
                     ValueRange open)
    : lowering(lowering) {
  OpBuilder &builder = lowering.getBuilder();
  for (int64_t number : numbers) {
    if (!ShapedType::isDynamic(number)) {
      positions.push_back(builder.getIndexAttr(number));
      continue;
    }
    positions.push_back(lowering.get(open.front()));
    open = open.drop_front();
  }
  SmallVector<Value> all =
      getValueOrCreateConstantIndexOp(builder, lowering.getLoc(), positions);
  values = isRagged()
               ? tensor::FromElementsOp::create(builder, lowering.getLoc(), all)
                     .getResult()
               : all.front();
}

Value Positions::get(OpBuilder &b, Value sequence) const {
  if (!isRagged())
    return values;
  return tensor::ExtractOp::create(b, lowering.getLoc(), values, sequence);
}

namespace {

/// Computes an f64 number for each sequence (or for all of them) and token,
/// from the position of the token and from further indices. Positions are
/// large, and the angle of a position must be right to a small part of a turn:
/// f32 has 24 bits for both.
Value mapPositions(
    LinalgLowering &lowering, const Positions &begins,
    ArrayRef<OpFoldResult> sizes, ArrayRef<Read> reads, Type element,
    int64_t stride,
    function_ref<Value(const Arithmetic &, Value position, ValueRange numbers)>
        body) {
  return lowering.compute(
      sizes, reads, element,
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Value sequence = linalg::IndexOp::create(b, loc, 0);
        Value token = linalg::IndexOp::create(b, loc, 1);
        if (stride > 1)
          token =
              arith::MulIOp::create(b, loc, token, lowering.index(b, stride));
        Value position =
            arith::AddIOp::create(b, loc, begins.get(b, sequence), token);
        Value whole =
            arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
        Arithmetic a{b, loc, b.getF64Type()};
        Value result = body(
            a, arith::SIToFPOp::create(b, loc, b.getF64Type(), whole), numbers);
        return result;
      });
}

/// Computes cosines or sines [batch or 1, seq, head_dim / 2] by position and
/// pair.
Value makeTable(RopeOp op, LinalgLowering &lowering, const Positions &begins,
                ArrayRef<OpFoldResult> sizes, bool isCosine) {
  OpBuilder &builder = lowering.getBuilder();
  SmallVector<double> numbers = op.getFrequencies();
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                    builder.getF64Type());
  Value frequencies = arith::ConstantOp::create(
      builder, lowering.getLoc(),
      DenseFPElementsAttr::get(type, ArrayRef<double>(numbers)));
  double amplitude = op.getScaling() ? op.getScaling()->getAmplitude() : 1;
  return mapPositions(
      lowering, begins, sizes, {}, lowering.getComputeType(),
      op.getStride().value_or(1),
      [&](const Arithmetic &a, Value position, ValueRange) -> Value {
        Value pair = linalg::IndexOp::create(a.b, a.loc, 2);
        Value frequency =
            tensor::ExtractOp::create(a.b, a.loc, frequencies, pair);
        Value angle = a.multiply(position, frequency);
        Value wave = isCosine
                         ? math::CosOp::create(a.b, a.loc, angle).getResult()
                         : math::SinOp::create(a.b, a.loc, angle).getResult();
        // Turning back is turning by angles whose sines have the other sign.
        bool isNegated = op.getInverse() && !isCosine;
        return a.multiply(a.constant(isNegated ? -amplitude : amplitude), wave);
      });
}

/// rope-R1: rotates the first and the second feature of each pair, and puts
/// them back.
LogicalResult lowerRope(RopeOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  MLIRContext *context = op.getContext();
  Array x = lowering.getArray(op.getX());
  int64_t headDim = x.type.getDimSize(3);
  if (ShapedType::isDynamic(headDim))
    return op.emitOpError("has an open head_dim, which nothing can be "
                          "calculated with: bind it (llm-bind-shapes)");
  Positions begins(lowering, op.getBegin(), op.getDynamicBegin());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x.getValues());
  OpFoldResult half = builder.getIndexAttr(headDim / 2);
  OpFoldResult sequences =
      begins.isRagged() ? sizes[0] : OpFoldResult(builder.getIndexAttr(1));

  AffineExpr b, s, h, i;
  bindDims(context, b, s, h, i);
  AffineExpr sequence =
      begins.isRagged() ? b : getAffineConstantExpr(0, context);
  AffineMap tableMap = AffineMap::get(4, 0, {sequence, s, i}, context);
  auto readTable = [&](bool isCosine) -> Read {
    return {lowering.asArray(makeTable(op, lowering, begins,
                                       {sequences, sizes[1], half}, isCosine)),
            tableMap};
  };
  bool isInterleaved = op.getInterleaved();
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1),
               step = builder.getIndexAttr(isInterleaved ? 2 : 1);
  const OpFoldResult begin[] = {zero, isInterleaved ? one : half};
  auto readFeatures = [&](bool isSecond) -> Read {
    return {lowering.slice(x, 3, begin[isSecond], half, isInterleaved ? 2 : 1),
            builder.getMultiDimIdentityMap(4)};
  };
  SmallVector<Read> reads = {readFeatures(false), readFeatures(true),
                             readTable(true), readTable(false)};

  Type element = op.getType().getElementType();
  Value out = lowering.empty(sizes, element);
  SmallVector<OpFoldResult> halfSizes = sizes, offsets(4, zero),
                            strides(4, one);
  halfSizes[3] = half;
  strides[3] = step;
  for (bool isSecond : {false, true}) {
    Value rotated = lowering.compute(
        halfSizes, reads, element,
        [&](OpBuilder &b, Location loc, ValueRange x) {
          Arithmetic a{b, loc, lowering.getComputeType()};
          if (isSecond)
            return a.add(a.multiply(x[1], x[2]), a.multiply(x[0], x[3]));
          return a.subtract(a.multiply(x[0], x[2]), a.multiply(x[1], x[3]));
        });
    offsets[3] = begin[isSecond];
    out = tensor::InsertSliceOp::create(builder, lowering.getLoc(), rotated,
                                        out, offsets, halfSizes, strides);
  }
  lowering.setResult(0, out);
  return success();
}

/// position_scale-R1: 1 + slope ln(1 + floor((p + 1) / step)) for each token,
/// then the products.
LogicalResult lowerPositionScale(PositionScaleOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  MLIRContext *context = op.getContext();
  Array x = lowering.getArray(op.getX());
  Positions begins(lowering, op.getBegin(), op.getDynamicBegin());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x.getValues());
  OpFoldResult sequences =
      begins.isRagged() ? sizes[0] : OpFoldResult(builder.getIndexAttr(1));
  Value factors = mapPositions(
      lowering, begins, {sequences, sizes[1]}, {}, lowering.getComputeType(),
      /*stride=*/1,
      [&](const Arithmetic &a, Value position, ValueRange) -> Value {
        Value steps = math::FloorOp::create(
            a.b, a.loc,
            a.divide(a.add(position, a.constant(1)),
                     a.constant(static_cast<double>(op.getStep()))));
        Value log =
            math::LogOp::create(a.b, a.loc, a.add(a.constant(1), steps));
        return a.add(
            a.constant(1),
            a.multiply(a.constant(op.getSlope().convertToDouble()), log));
      });
  AffineExpr b, s;
  bindDims(context, b, s);
  AffineExpr sequence =
      begins.isRagged() ? b : getAffineConstantExpr(0, context);
  lowering.setResult(
      0, lowering.compute(
             sizes,
             {{x, builder.getMultiDimIdentityMap(4)},
              {lowering.asArray(factors),
               AffineMap::get(4, 0, {sequence, s}, context)}},
             op.getType().getElementType(),
             [&](OpBuilder &b, Location loc, ValueRange numbers) {
               return Arithmetic{b, loc, lowering.getComputeType()}.multiply(
                   numbers[0], numbers[1]);
             }));
  return success();
}

} // namespace

void llm::attachPositionLowerings(MLIRContext *context) {
  attachLowering<RopeOp, lowerRope>(context);
  attachLowering<PositionScaleOp, lowerPositionScale>(context);
}
