//===- LowerElementwise.cpp - Norms and elementwise ops -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

using namespace mlir;
using namespace mlir::llm;

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
static Value geluTanh(const Arithmetic &a, Value x) {
  Value cube = a.multiply(a.multiply(x, x), x);
  Value inner = a.multiply(a.constant(std::sqrt(2 / M_PI)),
                           a.add(x, a.multiply(a.constant(0.044715), cube)));
  return a.multiply(a.multiply(a.constant(0.5), x),
                    a.add(a.constant(1), a.tanh(inner)));
}

Value llm::activate(ActivationKind kind, const Arithmetic &a, Value x) {
  switch (kind) {
  case ActivationKind::Silu:
    return a.multiply(x, a.sigmoid(x));
  case ActivationKind::Gelu: {
    Value scaled = a.multiply(x, a.constant(std::sqrt(0.5)));
    Value erf = math::ErfOp::create(a.b, a.loc, scaled);
    return a.multiply(a.multiply(a.constant(0.5), x),
                      a.add(a.constant(1), erf));
  }
  case ActivationKind::GeluTanh:
    return geluTanh(a, x);
  case ActivationKind::Relu:
    return a.maximum(x, a.constant(0));
  case ActivationKind::Relu2: {
    Value positive = a.maximum(x, a.constant(0));
    return a.multiply(positive, positive);
  }
  case ActivationKind::Sigmoid:
    return a.sigmoid(x);
  case ActivationKind::Softplus: {
    // log(1 + exp(x)) of a large x would overflow in exp.
    Value small = a.exp(a.negate(math::AbsFOp::create(a.b, a.loc, x)));
    return a.add(a.maximum(x, a.constant(0)),
                 math::Log1pOp::create(a.b, a.loc, small));
  }
  }
  llvm_unreachable("unknown kind of activation");
}

/// Maps all loops but the last. For a single row it has no results, because a
/// sub-map would be null.
static AffineMap rowsOf(AffineMap identity) {
  return AffineMap::get(identity.getNumDims(), 0,
                        identity.getResults().drop_back(),
                        identity.getContext());
}

Value llm::sumSquares(LinalgLowering &lowering, const Array &x) {
  AffineMap identity =
      lowering.getBuilder().getMultiDimIdentityMap(x.getRank());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x.getValues());
  return lowering.reduce(
      lowering.filled(ArrayRef(sizes).drop_back(), 0.0), rowsOf(identity),
      {{x, identity}}, [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        return a.addTerm(numbers[1], a.multiplyTerm(numbers[0], numbers[0]));
      });
}

namespace {

using Formula = function_ref<Value(const Arithmetic &, ValueRange)>;

/// Computes the only result, which has the shape of the first operand, by a
/// formula.
void mapElements(Operation *op, ArrayRef<Read> reads, LinalgLowering &lowering,
                 Formula formula) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  lowering.setResult(
      0, lowering.compute(
             lowering.getSizes(reads.front().array.getValues()), reads, element,
             [&](OpBuilder &b, Location loc, ValueRange numbers) {
               return formula({b, loc, lowering.getComputeType()}, numbers);
             }));
}

/// Does the same for operands that all have the shape of the result.
void mapElements(Operation *op, ValueRange operands, LinalgLowering &lowering,
                 Formula formula) {
  SmallVector<Read> reads;
  for (Value operand : operands) {
    Array array = lowering.getArray(operand);
    reads.push_back(
        {array, lowering.getBuilder().getMultiDimIdentityMap(array.getRank())});
  }
  mapElements(op, reads, lowering, formula);
}

/// add-R1.
LogicalResult lowerAdd(AddOp op, LinalgLowering &lowering) {
  mapElements(
      op, op->getOperands(), lowering,
      [](const Arithmetic &a, ValueRange x) { return a.add(x[0], x[1]); });
  return success();
}

/// mul-R1.
LogicalResult lowerMul(MulOp op, LinalgLowering &lowering) {
  Array lhs = lowering.getArray(op.getLhs());
  Read reads[] = {
      {lhs, lowering.getBuilder().getMultiDimIdentityMap(lhs.getRank())},
      {lowering.getArray(op.getRhs()), op.getRhsMap()}};
  mapElements(op, reads, lowering, [](const Arithmetic &a, ValueRange x) {
    return a.multiply(x[0], x[1]);
  });
  return success();
}

/// scale-R1.
LogicalResult lowerScale(ScaleOp op, LinalgLowering &lowering) {
  double factor = op.getFactor().convertToDouble();
  mapElements(op, op->getOperands(), lowering,
              [&](const Arithmetic &a, ValueRange x) {
                return a.multiply(a.constant(factor), x[0]);
              });
  return success();
}

/// soft_cap-R1.
LogicalResult lowerSoftCap(SoftCapOp op, LinalgLowering &lowering) {
  double cap = op.getCap().convertToDouble();
  mapElements(
      op, op->getOperands(), lowering,
      [&](const Arithmetic &a, ValueRange x) { return a.softCap(x[0], cap); });
  return success();
}

/// swiglu-R1.
LogicalResult lowerSwiGlu(SwiGluOp op, LinalgLowering &lowering) {
  auto number = [](std::optional<llvm::APFloat> figure) {
    return figure ? figure->convertToDouble() : 0.0;
  };
  double limit = number(op.getLimit()), clamp = number(op.getClamp()),
         gateCap = number(op.getGateCap()), upCap = number(op.getUpCap());
  mapElements(op, op->getOperands(), lowering,
              [&](const Arithmetic &a, ValueRange x) -> Value {
                Value gate = x[0], up = x[1];
                if (gateCap)
                  return a.multiply(
                      a.multiply(a.softCap(gate, gateCap), a.sigmoid(gate)),
                      a.softCap(up, upCap));
                if (double bound = limit ? limit : clamp) {
                  gate = a.minimum(gate, a.constant(bound));
                  up = a.maximum(a.constant(-bound),
                                 a.minimum(up, a.constant(bound)));
                }
                if (!limit)
                  return a.multiply(a.multiply(gate, a.sigmoid(gate)), up);
                // 1.702 is the slope of gpt-oss's sigmoid.
                return a.multiply(a.multiply(gate, a.sigmoid(gate, 1.702)),
                                  a.add(up, a.constant(1)));
              });
  return success();
}

/// geglu-R1.
LogicalResult lowerGeGlu(GeGluOp op, LinalgLowering &lowering) {
  mapElements(op, op->getOperands(), lowering,
              [](const Arithmetic &a, ValueRange x) {
                return a.multiply(geluTanh(a, x[0]), x[1]);
              });
  return success();
}

/// activation-R1.
LogicalResult lowerActivation(ActivationOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Array x = lowering.getArray(op.getX());
  unsigned rank = x.getRank();
  SmallVector<Read> reads = {
      {x, AffineMap::getMultiDimIdentityMap(rank, context)}};
  if (op.getBias())
    reads.push_back(
        {lowering.getArray(op.getBias()), mapOf(context, rank, {rank - 1})});
  mapElements(op, reads, lowering, [&](const Arithmetic &a, ValueRange v) {
    Value biased = op.getBias() ? a.add(v[0], v[1]) : v[0];
    return activate(op.getKind(), a, biased);
  });
  return success();
}

/// Maps the loops of the weight, which are the last ones.
AffineMap lastOf(AffineMap identity, RmsNormOp op) {
  auto weight = cast<RankedTensorType>(op.getWeight().getType());
  return AffineMap::get(identity.getNumDims(), 0,
                        identity.getResults().take_back(weight.getRank()),
                        op.getContext());
}

/// Makes a number of the type of the calculation from a size.
Value toNumber(LinalgLowering &lowering, OpFoldResult size) {
  OpBuilder &builder = lowering.getBuilder();
  Location loc = lowering.getLoc();
  Value index = getValueOrCreateConstantIndexOp(builder, loc, size);
  return arith::UIToFPOp::create(
      builder, loc, lowering.getComputeType(),
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index));
}

/// rmsnorm-R1: x / sqrt(mean of squares + epsilon) weight, with the mean in the
/// type of the calculation.
LogicalResult lowerRmsNorm(RmsNormOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  Array x = lowering.getArray(op.getX());
  unsigned rank = x.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap rows = rowsOf(identity);
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x.getValues());

  Value squares = sumSquares(lowering, x);
  SmallVector<Read> reads = {{x, identity}, {lowering.asArray(squares), rows}};
  if (op.getWeight())
    reads.push_back({lowering.getArray(op.getWeight()), lastOf(identity, op)});
  double epsilon = op.getEpsilon().convertToDouble();
  Value count = toNumber(lowering, sizes.back());
  lowering.setResult(
      0, lowering.compute(sizes, reads, op.getType().getElementType(),
                          [&](OpBuilder &b, Location loc, ValueRange numbers) {
                            Arithmetic a{b, loc, lowering.getComputeType()};
                            Value mean = a.divide(numbers[1], count);
                            Value root = math::SqrtOp::create(
                                b, loc, a.add(mean, a.constant(epsilon)));
                            Value scaled = a.divide(numbers[0], root);
                            if (!op.getWeight())
                              return scaled;
                            Value weight = numbers[2];
                            if (op.getAddUnitOffset())
                              weight = a.add(a.constant(1), weight);
                            return a.multiply(scaled, weight);
                          }));
  return success();
}

/// layernorm-R1: first the mean and then the variance, in the type of the
/// calculation.
LogicalResult lowerLayerNorm(LayerNormOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  Array x = lowering.getArray(op.getX());
  unsigned rank = x.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap rows = rowsOf(identity);
  AffineMap columns = mapOf(builder.getContext(), rank, {rank - 1});
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x.getValues());
  Value start = lowering.filled(ArrayRef(sizes).drop_back(), 0.0),
        count = toNumber(lowering, sizes.back());
  auto in = [&](OpBuilder &b, Location loc) {
    return Arithmetic{b, loc, lowering.getComputeType()};
  };
  Read numbers = {x, identity};
  Read sums = {lowering.asArray(lowering.reduce(
                   start, rows, {numbers},
                   [&](OpBuilder &b, Location loc, ValueRange v) {
                     return in(b, loc).addTerm(v[1], v[0]);
                   })),
               rows};
  auto fromMean = [&](OpBuilder &b, Location loc, ValueRange v) {
    Arithmetic a = in(b, loc);
    return a.subtract(v[0], a.divide(v[1], count));
  };
  Read squares = {lowering.asArray(lowering.reduce(
                      start, rows, {numbers, sums},
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Value distance = fromMean(b, loc, v);
                        Arithmetic a = in(b, loc);
                        return a.addTerm(v[2],
                                         a.multiplyTerm(distance, distance));
                      })),
                  rows};
  double epsilon = op.getEpsilon().convertToDouble();
  SmallVector<Read> reads = {
      numbers, sums, squares, {lowering.getArray(op.getWeight()), columns}};
  if (op.getBias())
    reads.push_back({lowering.getArray(op.getBias()), columns});
  lowering.setResult(
      0, lowering.compute(sizes, reads, op.getType().getElementType(),
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Arithmetic a = in(b, loc);
                            Value variance = a.divide(v[2], count);
                            Value root = math::SqrtOp::create(
                                b, loc, a.add(variance, a.constant(epsilon)));
                            Value scaled = a.divide(fromMean(b, loc, v), root);
                            Value weighted = a.multiply(scaled, v[3]);
                            return op.getBias() ? a.add(weighted, v[4])
                                                : weighted;
                          }));
  return success();
}

} // namespace

void llm::attachElementwiseLowerings(MLIRContext *context) {
  attachLowering<AddOp, lowerAdd>(context);
  attachLowering<MulOp, lowerMul>(context);
  attachLowering<ScaleOp, lowerScale>(context);
  attachLowering<SoftCapOp, lowerSoftCap>(context);
  attachLowering<SwiGluOp, lowerSwiGlu>(context);
  attachLowering<GeGluOp, lowerGeGlu>(context);
  attachLowering<ActivationOp, lowerActivation>(context);
  attachLowering<RmsNormOp, lowerRmsNorm>(context);
  attachLowering<LayerNormOp, lowerLayerNorm>(context);
}
