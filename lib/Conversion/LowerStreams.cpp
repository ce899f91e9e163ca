//===- LowerStreams.cpp - Residuals of several streams --------------------===//
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

/// Numbers for reading, [r, m], for the output, [r, m], and for the streams
/// before, [r, i, j], all in the type in which is calculated.
class StreamWeights {
public:
  StreamWeights(StreamWeightsOp op, LinalgLowering &lowering)
      : op(op), lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), type(lowering.getComputeType()),
        streams(static_cast<int64_t>(op.getStreams())),
        epsilon(op.getEpsilon().convertToDouble()),
        rows(lowering.getSizes(lowering.get(op.getX()))[0]) {}

  void lower() {
    Value read = sigmoids(/*kind=*/0, /*factor=*/1, epsilon);
    if (!op.getIterations())
      return lowering.setResult(
          0, lowering.round(read, op.getType().getElementType()));
    Value output = sigmoids(/*kind=*/1, /*factor=*/2, /*more=*/0);
    join(read, output, balance(softmax(scaled())));
  }

private:
  OpFoldResult number(int64_t value) { return builder.getIndexAttr(value); }
  using Formula = function_ref<Value(const Arithmetic &, ValueRange)>;

  Value map(ArrayRef<OpFoldResult> sizes, ArrayRef<Read> reads,
            Formula formula) {
    return lowering.compute(sizes, reads, type,
                            [&](OpBuilder &b, Location loc, ValueRange x) {
                              return formula({b, loc, type}, x);
                            });
  }
  Read read(Value tensor, AffineMap map) {
    return {lowering.asArray(tensor), map};
  }
  AffineMap mapTo(unsigned loops, ArrayRef<AffineExpr> shown) {
    return AffineMap::get(loops, 0, shown, op.getContext());
  }
  AffineExpr dim(unsigned loop) {
    return getAffineDimExpr(loop, op.getContext());
  }
  /// x, scale and bias of some numbers of each row, by loop r and those that
  /// count the numbers, or rows and columns of matrices.
  SmallVector<Read> readNumbers(int64_t kind, int64_t first, int64_t count,
                                bool areMatrices) {
    unsigned loops = areMatrices ? 3 : 2;
    Array x = lowering.slice(lowering.getArray(op.getX()), 1, number(first),
                             number(count)),
          bias = lowering.slice(lowering.getArray(op.getBias()), 0,
                                number(first), number(count));
    if (areMatrices) {
      x = lowering.split(x, 1, number(streams));
      bias = lowering.split(bias, 0, number(streams));
    }
    AffineMap all = builder.getMultiDimIdentityMap(loops);
    return {{x, all},
            {lowering.getArray(op.getScale()),
             mapTo(loops, {getAffineConstantExpr(kind, op.getContext())})},
            {bias, mapTo(loops, all.getResults().drop_front())}};
  }
  static Value apply(const Arithmetic &a, ValueRange x) {
    return a.add(a.multiply(x[0], x[1]), x[2]);
  }

  Value sigmoids(int64_t kind, double factor, double more) {
    return map({rows, number(streams)},
               readNumbers(kind, kind * streams, streams,
                           /*areMatrices=*/false),
               [&](const Arithmetic &a, ValueRange x) {
                 Value open = a.sigmoid(apply(a, x));
                 return a.add(a.multiply(a.constant(factor), open),
                              a.constant(more));
               });
  }

  Value scaled() {
    return map({rows, number(streams), number(streams)},
               readNumbers(2, 2 * streams, streams * streams,
                           /*areMatrices=*/true),
               apply);
  }

  AffineMap all() { return builder.getMultiDimIdentityMap(3); }

  /// A number for each row (`kept` 1) or each column (2) of each matrix.
  Value reduce(Value x, unsigned kept, double start, Formula formula) {
    return lowering.reduce(lowering.filled({rows, number(streams)}, start),
                           mapTo(3, {dim(0), dim(kept)}), {read(x, all())},
                           [&](OpBuilder &b, Location loc, ValueRange numbers) {
                             return formula({b, loc, type}, numbers);
                           });
  }
  Value sum(Value x, unsigned kept) {
    return reduce(x, kept, 0, [](const Arithmetic &a, ValueRange numbers) {
      return a.addTerm(numbers[1], numbers[0]);
    });
  }
  /// Of each element and the number of its row or column.
  Value mapWith(Value x, Value numbers, unsigned kept, Formula formula) {
    return map(lowering.getSizes(x),
               {read(x, all()), read(numbers, mapTo(3, {dim(0), dim(kept)}))},
               formula);
  }

  Value softmax(Value x) {
    Value most = reduce(x, 1, -std::numeric_limits<double>::infinity(),
                        [](const Arithmetic &a, ValueRange numbers) {
                          return a.maximum(numbers[0], numbers[1]);
                        });
    Value terms =
        mapWith(x, most, 1, [](const Arithmetic &a, ValueRange numbers) {
          return a.exp(a.subtract(numbers[0], numbers[1]));
        });
    return mapWith(
        terms, sum(terms, 1), 1, [&](const Arithmetic &a, ValueRange numbers) {
          return a.add(a.divide(numbers[0], numbers[1]), a.constant(epsilon));
        });
  }

  Value divide(Value x, unsigned kept) {
    return mapWith(
        x, sum(x, kept), kept, [&](const Arithmetic &a, ValueRange numbers) {
          return a.divide(numbers[0], a.add(numbers[1], a.constant(epsilon)));
        });
  }

  /// Columns and rows in turn. The softmax was the first round of rows.
  Value balance(Value matrices) {
    matrices = divide(matrices, 2);
    auto loop = scf::ForOp::create(
        builder, loc, lowering.index(builder, 1),
        lowering.index(builder, static_cast<int64_t>(*op.getIterations())),
        lowering.index(builder, 1), matrices);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value next = divide(divide(loop.getRegionIterArg(0), 1), 2);
    scf::YieldOp::create(builder, loc, next);
    return loop.getResult(0);
  }

  /// Behind the numbers for reading, for each stream j a row of what of each
  /// stream and of the output goes to it.
  void join(Value read, Value output, Value matrices) {
    Value out = lowering.generate(
        {rows, number((2 + streams) * streams)}, op.getType().getElementType(),
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          auto index = [&](int64_t value) { return lowering.index(b, value); };
          Value isRead = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::slt, at[1], index(streams));
          Value behind = arith::SubIOp::create(b, loc, at[1], index(streams));
          behind = arith::MaxSIOp::create(b, loc, behind, index(0));
          Value to = arith::DivUIOp::create(b, loc, behind, index(streams + 1)),
                from =
                    arith::RemUIOp::create(b, loc, behind, index(streams + 1));
          Value isOutput = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::eq, from, index(streams));
          Value inside =
              arith::MinUIOp::create(b, loc, from, index(streams - 1));
          Value column =
              arith::MinUIOp::create(b, loc, at[1], index(streams - 1));
          auto extract = [&](Value of, ValueRange indices) -> Value {
            return tensor::ExtractOp::create(b, loc, of, indices);
          };
          Value write = arith::SelectOp::create(
              b, loc, isOutput, extract(output, {at[0], to}),
              extract(matrices, {at[0], inside, to}));
          Value number = arith::SelectOp::create(
              b, loc, isRead, extract(read, {at[0], column}), write);
          return lowering.narrow(b, number, op.getType().getElementType());
        });
    lowering.setResult(0, out);
  }

  StreamWeightsOp op;
  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Type type;
  int64_t streams;
  double epsilon;
  OpFoldResult rows;
};

/// stream_weights-R1.
LogicalResult lowerStreamWeights(StreamWeightsOp op, LinalgLowering &lowering) {
  StreamWeights(op, lowering).lower();
  return success();
}

/// mix_streams-R1. Loops r, n, k, h.
LogicalResult lowerMixStreams(MixStreamsOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Array weights = lowering.getArray(op.getWeights()),
        x = lowering.getArray(op.getX());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x.getValues());
  sizes[1] = lowering.getSizes(weights.getValues())[1];
  Value sums = lowering.reduce(
      lowering.filled(sizes, 0.0), mapOf(context, 4, {0, 1, 3}),
      {{weights, mapOf(context, 4, {0, 1, 2})},
       {x, mapOf(context, 4, {0, 2, 3})}},
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        return a.addTerm(numbers[2], a.multiplyTerm(numbers[0], numbers[1]));
      });
  lowering.setResult(0, lowering.round(sums, op.getType().getElementType()));
  return success();
}

} // namespace

void llm::attachStreamLowerings(MLIRContext *context) {
  attachLowering<StreamWeightsOp, lowerStreamWeights>(context);
  attachLowering<MixStreamsOp, lowerMixStreams>(context);
}
