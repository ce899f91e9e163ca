//===- LowerModelEnds.cpp - From tokens, to tokens ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// embedding-R1.
LogicalResult lowerEmbedding(EmbeddingOp op, LinalgLowering &lowering) {
  Array table = lowering.getArray(op.getTable());
  OpBuilder &builder = lowering.getBuilder();
  Value tokens = lowering.get(op.getTokens());
  // Indices are whole numbers, which are read as they are stored and not in the
  // type of the calculation.
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

/// Draws a token for each row, by its random number (sample-R2).
class Draw {
public:
  Draw(SampleOp op, LinalgLowering &lowering)
      : op(op), lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), logits(lowering.getArray(op.getLogits())),
        random(lowering.getArray(op.getRandom())) {}

  Value build() {
    SmallVector<OpFoldResult> sizes = lowering.getSizes(logits.getValues());
    Value terms = exponentiate(sizes);
    Value tokens = lowering.empty(sizes[0], builder.getI32Type());
    Value rows = getValueOrCreateConstantIndexOp(builder, loc, sizes[0]);
    vocabulary = getValueOrCreateConstantIndexOp(builder, loc, sizes[1]);
    return carry(rows, tokens,
                 [&](Value row, ValueRange made) {
                   return SmallVector<Value>{tensor::InsertOp::create(
                       builder, loc, drawRow(terms, row), made.front(), row)};
                 })
        .front();
  }

private:
  Arithmetic in(OpBuilder &b) const {
    return {b, loc, lowering.getComputeType()};
  }

  /// exp(logit - the largest of the row).
  Value exponentiate(ArrayRef<OpFoldResult> sizes) {
    AffineMap identity = builder.getMultiDimIdentityMap(2);
    AffineMap row = mapOf(op.getContext(), 2, {0});
    Value largest = lowering.reduce(
        lowering.filled(sizes[0], -std::numeric_limits<double>::infinity()),
        row, {{logits, identity}}, [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).maximum(x[1], x[0]);
        });
    return lowering.compute(
        sizes, {{logits, identity}, {lowering.asArray(largest), row}},
        lowering.getComputeType(), [&](OpBuilder &b, Location, ValueRange x) {
          return in(b).exp(in(b).subtract(x[0], x[1]));
        });
  }

  /// Carries values over so many iterations, in order.
  SmallVector<Value>
  carry(Value count, ValueRange start,
        function_ref<SmallVector<Value>(Value, ValueRange)> step) {
    auto loop = scf::ForOp::create(builder, loc, lowering.index(builder, 0),
                                   count, lowering.index(builder, 1), start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next =
        step(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  /// Finds the last token with a positive probability for which the sum of the
  /// terms before is at most the random number's share of the whole sum.
  Value drawRow(Value terms, Value row) {
    auto termOf = [&](Value token) -> Value {
      return tensor::ExtractOp::create(builder, loc, terms,
                                       ValueRange{row, token});
    };
    Value zero = in(builder).constant(0);
    Value all = carry(vocabulary, zero, [&](Value token, ValueRange sum) {
                  return SmallVector<Value>{
                      in(builder).add(sum.front(), termOf(token))};
                }).front();
    Value share =
        in(builder).multiply(lowering.extract(builder, random, row), all);
    Value first =
        arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
    auto step = [&](Value token, ValueRange state) {
      Value term = termOf(token);
      auto holds = [&](arith::CmpFPredicate predicate, Value x, Value y) {
        return arith::CmpFOp::create(builder, loc, predicate, x, y);
      };
      Value isIt = arith::AndIOp::create(
          builder, loc, holds(arith::CmpFPredicate::OGT, term, zero),
          holds(arith::CmpFPredicate::OLE, state[0], share));
      Value number =
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), token);
      return SmallVector<Value>{
          in(builder).add(state[0], term),
          arith::SelectOp::create(builder, loc, isIt, number, state[1])};
    };
    return carry(vocabulary, {zero, first}, step)[1];
  }

  SampleOp op;
  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Array logits, random;
  Value vocabulary;
};

/// Finds the first of the largest logits (sample-R1). It takes two passes, one
/// for the largest and one for its place, because compilers make vectors of
/// such loops.
class Greedy {
public:
  Greedy(SampleOp op, LinalgLowering &lowering)
      : lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), logits(lowering.getArray(op.getLogits())),
        rows(lowering.getSizes(logits.getValues())[0]) {
    // Logits are only compared, so f32 is enough for most types.
    auto type = dyn_cast<FloatType>(logits.type.getElementType());
    wide = type && type.getWidth() <= 32 ? builder.getF32Type()
                                         : builder.getF64Type();
  }

  Value build() {
    TypedAttr least = builder.getFloatAttr(wide, leastNumber());
    Value largest =
        reduce({}, lowering.filled({rows}, least),
               [&](OpBuilder &b, ValueRange scalars) -> Value {
                 // read() leaves no NaN, and the sign of 0 does not matter.
                 return arith::MaxNumFOp::create(
                     b, loc, read(b, scalars[0]), scalars[1],
                     arith::FastMathFlags::nnan | arith::FastMathFlags::nsz |
                         arith::FastMathFlags::reassoc);
               });
    IntegerAttr behindAll =
        builder.getI32IntegerAttr(std::numeric_limits<int32_t>::max());
    return reduce(
        {largest}, lowering.filled({rows}, behindAll),
        [&](OpBuilder &b, ValueRange scalars) -> Value {
          Value isIt = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                             read(b, scalars[0]), scalars[1]);
          Value here = arith::IndexCastOp::create(
              b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, 1));
          Value behind = arith::ConstantOp::create(b, loc, behindAll);
          Value token = arith::SelectOp::create(b, loc, isIt, here, behind);
          return arith::MinSIOp::create(b, loc, token, scalars[2]);
        });
  }

private:
  static double leastNumber() {
    return -std::numeric_limits<double>::infinity();
  }

  /// Reads a logit. NaN counts as below all numbers.
  Value read(OpBuilder &b, Value stored) const {
    Value number = stored;
    if (isa<IntegerType>(stored.getType()))
      number = arith::SIToFPOp::create(b, loc, wide, stored);
    else if (stored.getType() != wide)
      number = arith::ExtFOp::create(b, loc, wide, stored);
    Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD,
                                           number, number);
    return arith::SelectOp::create(
        b, loc, isNumber, number,
        Arithmetic{b, loc, wide}.constant(leastNumber()));
  }

  /// Reduces each row to one number, from its logits and from other numbers of
  /// the row.
  Value reduce(ValueRange ofRows, Value init,
               function_ref<Value(OpBuilder &, ValueRange)> body) const {
    AffineMap row = mapOf(builder.getContext(), 2, {0});
    SmallVector<Value> inputs = {logits.getValues()};
    llvm::append_range(inputs, ofRows);
    SmallVector<AffineMap> maps(inputs.size() + 1, row);
    maps.front() = builder.getMultiDimIdentityMap(2);
    auto generic = linalg::GenericOp::create(
        builder, loc, init.getType(), inputs, init, maps,
        ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                      utils::IteratorType::reduction},
        [&](OpBuilder &b, Location loc, ValueRange scalars) {
          linalg::YieldOp::create(b, loc, body(b, scalars));
        });
    return generic.getResult(0);
  }

  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Array logits;
  OpFoldResult rows;
  Type wide;
};

LogicalResult lowerSample(SampleOp op, LinalgLowering &lowering) {
  if (op.getSampling() == Sampling::Greedy) {
    lowering.setResult(0, Greedy(op, lowering).build());
    return success();
  }
  if (!op.getRandom())
    return op.emitOpError("draws in a loop, where each iteration takes other "
                          "random numbers: say them behind 'by'");
  lowering.setResult(0, Draw(op, lowering).build());
  return success();
}

} // namespace

void llm::attachModelEndLowerings(MLIRContext *context) {
  attachLowering<EmbeddingOp, lowerEmbedding>(context);
  attachLowering<SampleOp, lowerSample>(context);
}
