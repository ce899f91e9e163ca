//===- LowerCompressed.cpp - Windows of tokens become entries -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateInputs.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

class CompressLowering {
public:
  CompressLowering(CompressOp op, LinalgLowering &lowering)
      : op(op), lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), type(lowering.getComputeType()),
        state(lowering.get(op.getState())),
        window(op.getBias().getType().getDimSize(0)),
        rows(op.getState().getType().getShape()[1]) {
    SmallVector<int64_t> firsts(op.getBegin());
    if (firsts.size() > 1)
      begins = lowering.constantIndices(firsts);
    values = join(0, op.getValues());
    gates = join(1, op.getGates());
  }

  void lower() {
    if (op.getOut()) {
      Value logits = list(gates, /*isGate=*/true);
      Value most = reduce(logits, -std::numeric_limits<double>::infinity(),
                          [](const Arithmetic &a, ValueRange x) {
                            return a.maximum(x[0], x[1]);
                          });
      Value terms = weigh(logits, most, [](const Arithmetic &a, ValueRange x) {
        return a.exp(a.subtract(x[0], x[1]));
      });
      lowering.setResult(0, average(terms));
    }
    lowering.setResult(op.getOut() ? 1 : 0, keep());
  }

private:
  using Formula = function_ref<Value(const Arithmetic &, ValueRange)>;

  OpFoldResult number(int64_t value) { return builder.getIndexAttr(value); }

  /// What the state has of earlier tokens, values or gates, and behind it that
  /// of new ones, [b, rows + tokens, channels].
  Value join(int64_t array, Value added) {
    SmallVector<OpFoldResult> before = lowering.getSizes(state),
                              from(4, number(0)), ones(4, number(1));
    from[1] = number(array);
    before[1] = number(1);
    auto shape = cast<RankedTensorType>(state.getType());
    auto picked = RankedTensorType::get(
        {shape.getDimSize(0), shape.getDimSize(2), shape.getDimSize(3)},
        shape.getElementType());
    Value old = tensor::ExtractSliceOp::create(builder, loc, picked, state,
                                               from, before, ones);
    return joinInputs(lowering, old, lowering.get(added));
  }

  Value beginOf(OpBuilder &b, Value sequence) {
    if (!begins)
      return lowering.index(b, op.getBegin().front());
    return tensor::ExtractOp::create(b, loc, begins, sequence);
  }

  /// For each entry and row of its windows, [b, entries, rows, d], what a token
  /// has: values, or gates and what is added to them. Before the first position
  /// there are no tokens.
  Value list(Value joined, bool isGate) {
    RankedTensorType out = cast<RankedTensorType>(op.getOut().getType());
    // Of two halves, the channels are known.
    bool hasHalves = rows > window;
    SmallVector<OpFoldResult> joinedSizes = lowering.getSizes(joined),
                              sizes = {joinedSizes[0],
                                       number(out.getDimSize(1)), number(rows),
                                       hasHalves ? number(out.getDimSize(2))
                                                 : joinedSizes[2]};
    Array bias = lowering.getArray(op.getBias());
    return lowering.generate(
        sizes, type, [&](OpBuilder &b, Location, ValueRange at) -> Value {
          Arithmetic a{b, loc, type};
          auto index = [&](int64_t value) { return lowering.index(b, value); };
          auto multiply = [&](Value x, int64_t y) -> Value {
            return arith::MulIOp::create(b, loc, x, index(y));
          };
          auto add = [&](Value x, Value y) -> Value {
            return arith::AddIOp::create(b, loc, x, y);
          };
          Value begin = beginOf(b, at[0]);
          Value first =
              add(arith::DivUIOp::create(b, loc, begin, index(window)), at[1]);
          // The last of the rows is the last token of the entry's window.
          Value position =
              add(add(multiply(first, window), at[2]), index(window - rows));
          Value row =
              arith::SubIOp::create(b, loc, add(position, index(rows)), begin);
          Value half = arith::DivUIOp::create(b, loc, at[2], index(window));
          Value channel =
              hasHalves ? add(multiply(half, out.getDimSize(2)), at[3]) : at[3];
          Value number = tensor::ExtractOp::create(
              b, loc, joined, ValueRange{at[0], row, channel});
          if (isGate) {
            Value inside = arith::RemUIOp::create(b, loc, at[2], index(window));
            number =
                a.add(number, lowering.extract(b, bias, {inside, channel}));
          }
          Value isToken = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::sge, position, index(0));
          double otherwise =
              isGate ? -std::numeric_limits<double>::infinity() : 0;
          return arith::SelectOp::create(b, loc, isToken, number,
                                         a.constant(otherwise));
        });
  }

  AffineMap all() { return builder.getMultiDimIdentityMap(4); }
  AffineMap entries() { return mapOf(op.getContext(), 4, {0, 1, 3}); }

  Value reduce(Value x, double start, Formula formula) {
    SmallVector<OpFoldResult> sizes = lowering.getSizes(x);
    sizes.erase(sizes.begin() + 2);
    return lowering.reduce(lowering.filled(sizes, start), entries(),
                           {{lowering.asArray(x), all()}},
                           [&](OpBuilder &b, Location, ValueRange numbers) {
                             return formula({b, loc, type}, numbers);
                           });
  }

  Value weigh(Value x, Value ofEntries, Formula formula) {
    return lowering.compute(lowering.getSizes(x),
                            {{lowering.asArray(x), all()},
                             {lowering.asArray(ofEntries), entries()}},
                            type, [&](OpBuilder &b, Location, ValueRange x) {
                              return formula({b, loc, type}, x);
                            });
  }

  Value average(Value terms) {
    Value sums = reduce(terms, 0, [](const Arithmetic &a, ValueRange x) {
      return a.addTerm(x[1], x[0]);
    });
    SmallVector<OpFoldResult> sizes = lowering.getSizes(sums);
    Value weighted = lowering.reduce(
        lowering.filled(sizes, 0.0), entries(),
        {{lowering.asArray(terms), all()},
         {lowering.asArray(list(values, /*isGate=*/false)), all()}},
        [&](OpBuilder &b, Location, ValueRange x) {
          Arithmetic a{b, loc, type};
          return a.addTerm(x[2], a.multiplyTerm(x[0], x[1]));
        });
    AffineMap each = builder.getMultiDimIdentityMap(3);
    return lowering.compute(
        sizes,
        {{lowering.asArray(weighted), each}, {lowering.asArray(sums), each}},
        cast<RankedTensorType>(op.getOut().getType()).getElementType(),
        [&](OpBuilder &b, Location, ValueRange x) {
          return Arithmetic{b, loc, type}.divide(x[0], x[1]);
        });
  }

  /// The last rows of both.
  Value keep() {
    OpFoldResult tokens = lowering.getSizes(lowering.get(op.getValues()))[1];
    OpFoldResult first = tokens, kept = number(rows);
    if (op.getEveryStep()) { // all that a state behind any token has a part of
      first = number(1);
      kept = lowering.add(tokens, number(rows - 1));
    }
    Type stored = op.getState().getType().getElementType();
    SmallVector<OpFoldResult> sizes = lowering.getSizes(state),
                              at(4, number(0)), steps(4, number(1));
    sizes[2] = kept;
    Value next = lowering.empty(sizes, stored);
    sizes[1] = number(1);
    const Value both[] = {values, gates};
    for (auto [array, joined] : llvm::enumerate(both)) {
      Value last =
          lowering.slice(lowering.asArray(joined), 1, first, kept).getValues();
      at[1] = number(static_cast<int64_t>(array));
      next = tensor::InsertSliceOp::create(
          builder, loc, lowering.round(last, stored), next, at, sizes, steps);
    }
    return next;
  }

  CompressOp op;
  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Type type;
  Value state;
  int64_t window, rows;
  Value begins, values, gates;
};

/// compress-R1.
LogicalResult lowerCompress(CompressOp op, LinalgLowering &lowering) {
  CompressLowering(op, lowering).lower();
  return success();
}

} // namespace

void llm::attachCompressedLowerings(MLIRContext *context) {
  attachLowering<CompressOp, lowerCompress>(context);
}
