//===- LinearAttention.cpp - Linear attention from token to token ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearAttention.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool LinearAttention::decaysChannels() const {
  return logDecay && cast<RankedTensorType>(logDecay.getType()).getRank() == 5;
}

Array LinearAttention::splitHeads(Value operand, int64_t dim) {
  Array converted =
      lowering.convert(lowering.getArray(operand), lowering.getComputeType());
  return lowering.split(converted, dim, group);
}

/// linear_attn-R3: x / sqrt(sum of squares + qk_norm).
Value LinearAttention::normed(Value x) {
  Array array =
      lowering.convert(lowering.getArray(x), lowering.getComputeType());
  if (!op.getQkNorm())
    return array.getValues();
  double epsilon = op.getQkNorm()->convertToDouble();
  MLIRContext *context = op.getContext();
  AffineMap all = mapOf(context, 4, {0, 1, 2, 3}),
            rows = mapOf(context, 4, {0, 1, 2});
  SmallVector<OpFoldResult> sizes = lowering.getSizes(array.getValues());
  Value squares = sumSquares(lowering, array);
  return lowering.compute(
      sizes, {{array, all}, {lowering.asArray(squares), rows}},
      lowering.getComputeType(),
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        Value sum = a.add(numbers[1], a.constant(epsilon));
        return a.divide(numbers[0], math::SqrtOp::create(b, loc, sum));
      });
}

/// linear_attn-R1: g of `decay`, `rate` and `limit`.
Value LinearAttention::findLogDecay() {
  MLIRContext *context = op.getContext();
  if (!op.getDecay() && !op.getRate())
    return {};
  SmallVector<Read> reads;
  SmallVector<OpFoldResult> sizes = {batch, tokens, keyHeads, group};
  unsigned rank = 4;
  if (op.getDecay()) {
    Array decay = splitHeads(op.getDecay(), 2);
    rank = decay.getRank();
    sizes = lowering.getSizes(decay.getValues());
    reads.push_back({decay, AffineMap::getMultiDimIdentityMap(rank, context)});
  }
  if (op.getRate())
    reads.push_back(
        {splitHeads(op.getRate(), 0), mapOf(context, rank, {2, 3})});
  return lowering.compute(
      sizes, reads, lowering.getComputeType(),
      [&](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Arithmetic a{b, loc, lowering.getComputeType()};
        if (!op.getRate())
          return numbers[0];
        Value rate = a.exp(numbers.back());
        if (!op.getDecay())
          return a.negate(rate);
        Value product = a.multiply(rate, numbers[0]);
        if (!op.getLimit())
          return a.negate(product);
        return a.multiply(a.constant(op.getLimit()->convertToDouble()),
                          a.sigmoid(product));
      });
}

LinearAttention::LinearAttention(LinearAttnOp op, LinalgLowering &lowering)
    : op(op), lowering(lowering) {
  group = lowering.divide(lowering.getSizes(lowering.get(op.getValues()))[2],
                          lowering.getSizes(lowering.get(op.getQuery()))[2]);
  query = normed(op.getQuery());
  keys = normed(op.getKeys());
  values = splitHeads(op.getValues(), 2).getValues();
  SmallVector<OpFoldResult> sizes = lowering.getSizes(query);
  batch = sizes[0];
  tokens = sizes[1];
  keyHeads = sizes[2];
  keyDim = sizes[3];
  valueDim = lowering.getSizes(values)[4];
  logDecay = findLogDecay();
  if (op.getBeta())
    beta = splitHeads(op.getBeta(), 2).getValues();
  Array old = lowering.convert(lowering.asArray(lowering.get(op.getState())),
                               lowering.getComputeType());
  state = lowering.split(old, 1, group).getValues();
}

Value LinearAttention::finish(Value sums) {
  MLIRContext *context = op.getContext();
  AffineMap all = AffineMap::getMultiDimIdentityMap(5, context);
  SmallVector<Read> reads = {{lowering.asArray(sums), all}};
  if (op.getSkip()) {
    reads.push_back({lowering.asArray(values), all});
    reads.push_back({splitHeads(op.getSkip(), 0), mapOf(context, 5, {2, 3})});
  }
  double scale = op.getScale().convertToDouble();
  Value out = lowering.compute(
      lowering.getSizes(sums), reads, op.getOut().getType().getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        Value scaled = a.multiply(a.constant(scale), numbers[0]);
        return op.getSkip() ? a.add(scaled, a.multiply(numbers[2], numbers[1]))
                            : scaled;
      });
  return tensor::CollapseShapeOp::create(
      lowering.getBuilder(), lowering.getLoc(), out,
      ArrayRef<ReassociationIndices>{{0}, {1}, {2, 3}, {4}});
}

Value LinearAttention::finishState(Value last) {
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}, {3}, {4}};
  if (op.getEveryStep())
    groups = {{0}, {1}, {2, 3}, {4}, {5}};
  Value joined = tensor::CollapseShapeOp::create(
      lowering.getBuilder(), lowering.getLoc(), last, groups);
  return lowering.round(joined, op.getState().getType().getElementType());
}

Value pick(LinalgLowering &lowering, Value tensor, Value at) {
  Array part = lowering.slice(lowering.asArray(tensor), 1, at,
                              lowering.getBuilder().getIndexAttr(1));
  return lowering.dropUnit(part, 1).getValues();
}

Value put(LinalgLowering &lowering, Value part, Value tensor, Value at) {
  OpBuilder &builder = lowering.getBuilder();
  // Of the heads of a slice, the part may know more than the tensor.
  SmallVector<OpFoldResult> sizes = lowering.getSizes(part);
  sizes.insert(sizes.begin() + 1, builder.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
      strides(sizes.size(), builder.getIndexAttr(1));
  offsets[1] = at;
  return tensor::InsertSliceOp::create(builder, lowering.getLoc(), part, tensor,
                                       offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// Computes one token. Loops are b, h, g, k, v, or those of them that are
/// named. States change in place.
class Step {
public:
  Step(LinearAttention &attention, Value token)
      : attention(attention), lowering(attention.lowering),
        context(attention.op.getContext()), token(token) {}

  Value decay(Value state);
  /// S^T x, [b, h, g, v], for a query or key.
  Value readOut(Value state, Value x);
  /// beta v, or beta (v - S^T k), [b, h, g, v].
  Value findUpdate(Value state);
  Value write(Value state, Value update);

  Value own(Value tensor) { return pick(lowering, tensor, token); }

private:
  Read read(Value tensor, ArrayRef<unsigned> loops, unsigned count) {
    return {lowering.asArray(tensor), mapOf(context, count, loops)};
  }

  LinearAttention &attention;
  LinalgLowering &lowering;
  MLIRContext *context;
  Value token;
};
} // namespace

Value Step::decay(Value state) {
  if (!attention.logDecay)
    return state;
  SmallVector<unsigned> loops = {0, 1, 2};
  if (attention.decaysChannels())
    loops.push_back(3);
  return lowering.reduce(state, mapOf(context, 5, {0, 1, 2, 3, 4}),
                         {read(own(attention.logDecay), loops, 5)},
                         [&](OpBuilder &b, Location loc, ValueRange numbers) {
                           Arithmetic a{b, loc, lowering.getComputeType()};
                           return a.multiply(numbers.back(), a.exp(numbers[0]));
                         });
}

Value Step::readOut(Value state, Value x) {
  SmallVector<OpFoldResult> sizes = {attention.batch, attention.keyHeads,
                                     attention.group, attention.valueDim};
  return lowering.reduce(
      lowering.filled(sizes, 0.0), mapOf(context, 5, {0, 1, 2, 4}),
      {read(own(x), {0, 1, 3}, 5), read(state, {0, 1, 2, 3, 4}, 5)},
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        return a.addTerm(numbers[2], a.multiplyTerm(numbers[0], numbers[1]));
      });
}

Value Step::findUpdate(Value state) {
  SmallVector<Read> reads = {read(own(attention.values), {0, 1, 2, 3}, 4)};
  if (attention.isDelta())
    reads.push_back(read(readOut(state, attention.keys), {0, 1, 2, 3}, 4));
  if (attention.beta)
    reads.push_back(read(own(attention.beta), {0, 1, 2}, 4));
  return lowering.compute(lowering.getSizes(reads.front().array.getValues()),
                          reads, lowering.getComputeType(),
                          [&](OpBuilder &b, Location loc, ValueRange numbers) {
                            Arithmetic a{b, loc, lowering.getComputeType()};
                            Value update = numbers[0];
                            if (attention.isDelta())
                              update = a.subtract(update, numbers[1]);
                            return attention.beta
                                       ? a.multiply(numbers.back(), update)
                                       : update;
                          });
}

Value Step::write(Value state, Value update) {
  return lowering.reduce(
      state, mapOf(context, 5, {0, 1, 2, 3, 4}),
      {read(own(attention.keys), {0, 1, 3}, 5), read(update, {0, 1, 2, 4}, 5)},
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        return a.add(numbers.back(), a.multiply(numbers[0], numbers[1]));
      });
}

std::pair<Value, Value> attendInSteps(LinearAttention &attention) {
  LinalgLowering &lowering = attention.lowering;
  OpBuilder &builder = lowering.getBuilder();
  Location loc = lowering.getLoc();
  SmallVector<Value> carried = {
      lowering.filled(lowering.getSizes(attention.values), 0.0),
      attention.state};
  bool everyStep = attention.op.getEveryStep();
  if (everyStep) {
    SmallVector<OpFoldResult> sizes = lowering.getSizes(attention.state);
    sizes.insert(sizes.begin() + 1, attention.tokens);
    carried.push_back(lowering.filled(sizes, 0.0));
  }
  auto loop = scf::ForOp::create(
      builder, loc, lowering.index(builder, 0),
      getValueOrCreateConstantIndexOp(builder, loc, attention.tokens),
      lowering.index(builder, 1), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value token = loop.getInductionVar();
  Step step(attention, token);
  Value state = step.decay(loop.getRegionIterArg(1));
  state = step.write(state, step.findUpdate(state));
  Value out = step.readOut(state, attention.query);
  SmallVector<Value> next = {
      put(lowering, out, loop.getRegionIterArg(0), token), state};
  if (everyStep)
    next.push_back(put(lowering, state, loop.getRegionIterArg(2), token));
  scf::YieldOp::create(builder, loc, next);
  return {loop.getResult(0), loop.getResults().back()};
}

} // namespace mlir::llm
