//===- LowerRouter.cpp - Which experts a token goes to --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BestColumns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

class RouteLowering {
public:
  RouteLowering(MoeRouteOp op, LinalgLowering &lowering)
      : op(op), lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), type(lowering.getComputeType()),
        identity(builder.getMultiDimIdentityMap(2)),
        row(identity.getMajorSubMap(1)) {}

  LogicalResult lower() {
    Value scores = makeScores();
    Value selectable = scores;
    if (op.getBias())
      selectable = map(
          scores, {lowering.getArray(op.getBias()), columns()},
          [](const Arithmetic &a, ValueRange x) { return a.add(x[0], x[1]); });
    int64_t groups = op.getGroups().value_or(1);
    if (groups > 1)
      selectable = keepBestGroups(selectable, groups);
    Value experts =
        op.getChosen()
            ? boundExperts(lowering.get(op.getChosen()))
            : selectBest(lowering, selectable, op.getTopK(), none).indices;
    lowering.setResult(0, makeShares(scores, experts));
    lowering.setResult(1, experts);
    return success();
  }

private:
  /// The expert of a row that has no numbers; it may be any.
  static constexpr int32_t none = 0;

  /// Numbers that no expert has become that of the nearest one.
  Value boundExperts(Value chosen) {
    int64_t last = op.getLogits().getType().getDimSize(1) - 1;
    return lowering.generate(
        lowering.getSizes(chosen), builder.getI32Type(),
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          Value number = tensor::ExtractOp::create(b, loc, chosen, at);
          auto constant = [&](int64_t value) -> Value {
            return arith::ConstantOp::create(
                b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
          };
          number = arith::MaxSIOp::create(b, loc, number, constant(0));
          return arith::MinSIOp::create(b, loc, number, constant(last));
        });
  }

  AffineMap columns() { return mapOf(op.getContext(), 2, {1}); }

  using Formula = function_ref<Value(const Arithmetic &, ValueRange)>;

  Value map(Value x, const Read &other, Formula formula) {
    return lowering.compute(lowering.getSizes(x),
                            {{lowering.asArray(x), identity}, other}, type,
                            [&](OpBuilder &b, Location loc, ValueRange x) {
                              return formula({b, loc, type}, x);
                            });
  }

  /// Reduces each row of x to a number.
  Value reduceRows(Value x, double start, Formula formula) {
    return lowering.reduce(lowering.filled(lowering.getSizes(x)[0], start), row,
                           {{lowering.asArray(x), identity}},
                           [&](OpBuilder &b, Location loc, ValueRange numbers) {
                             return formula({b, loc, type}, numbers);
                           });
  }

  Value softmax(Value x) {
    Value most = reduceRows(x, notSelectable,
                            [](const Arithmetic &a, ValueRange numbers) {
                              return a.maximum(numbers[0], numbers[1]);
                            });
    Value terms = map(x, {lowering.asArray(most), row},
                      [](const Arithmetic &a, ValueRange numbers) {
                        return a.exp(a.subtract(numbers[0], numbers[1]));
                      });
    return divideByRows(terms);
  }

  Value divideByRows(Value x) {
    Value sums = reduceRows(x, 0, [](const Arithmetic &a, ValueRange numbers) {
      return a.addTerm(numbers[1], numbers[0]);
    });
    return map(x, {lowering.asArray(sums), row},
               [](const Arithmetic &a, ValueRange numbers) {
                 return a.divide(numbers[0], numbers[1]);
               });
  }

  Value mapEach(const Array &x,
                function_ref<Value(const Arithmetic &, Value)> formula) {
    return lowering.compute(lowering.getSizes(x.getValues()), {{x, identity}},
                            type,
                            [&](OpBuilder &b, Location loc, ValueRange x) {
                              return formula({b, loc, type}, x[0]);
                            });
  }

  Value sigmoid(const Array &x) {
    return mapEach(
        x, [](const Arithmetic &a, Value each) { return a.sigmoid(each); });
  }

  /// The numbers by which experts are selected, without the bias.
  Value makeScores() {
    Array logits = lowering.getArray(op.getLogits());
    switch (op.getScoring()) {
    case ExpertScoring::Softmax:
      return softmax(lowering.round(logits.getValues(), type));
    case ExpertScoring::Sigmoid:
      return sigmoid(logits);
    case ExpertScoring::SqrtSoftplus:
      return mapEach(logits, [](const Arithmetic &a, Value each) -> Value {
        return math::SqrtOp::create(
            a.b, a.loc, activate(ActivationKind::Softplus, a, each));
      });
    case ExpertScoring::TopkSoftmax:
    case ExpertScoring::TopkSigmoid:
      return lowering.round(logits.getValues(), type);
    }
    llvm_unreachable("unknown scoring");
  }

  /// Keeps the scores of the experts of the best groups. The others cannot be
  /// selected.
  Value keepBestGroups(Value scores, int64_t groups) {
    int64_t experts = op.getLogits().getType().getDimSize(1);
    Value best = scoreGroups(scores, groups);
    Value rest = selectBest(lowering, best, *op.getTopGroups(), none).rest;
    AffineExpr m, e;
    bindDims(op.getContext(), m, e);
    AffineMap groupOf = AffineMap::get(2, 0, {m, e.floorDiv(experts / groups)},
                                       op.getContext());
    return map(scores, {lowering.asArray(rest), groupOf},
               [](const Arithmetic &a, ValueRange x) -> Value {
                 Value none = a.constant(notSelectable);
                 Value isTaken = arith::CmpFOp::create(
                     a.b, a.loc, arith::CmpFPredicate::OEQ, x[1], none);
                 return arith::SelectOp::create(a.b, a.loc, isTaken, x[0],
                                                none);
               });
  }

  /// The score of each group: its best one or, with a bias, the sum of its two
  /// best.
  Value scoreGroups(Value scores, int64_t groups) {
    int64_t experts = op.getLogits().getType().getDimSize(1);
    Array grouped = lowering.split(lowering.asArray(scores), 1,
                                   builder.getIndexAttr(experts / groups));
    SmallVector<OpFoldResult> sizes = {lowering.getSizes(scores)[0],
                                       builder.getIndexAttr(groups)};
    AffineMap group = mapOf(op.getContext(), 3, {0, 1});
    bool isPair = op.getBias() && experts > groups;
    SmallVector<Value> inits(isPair ? 2 : 1,
                             lowering.filled(sizes, notSelectable));
    SmallVector<AffineMap> maps(inits.size(), group);
    maps.insert(maps.begin(), builder.getMultiDimIdentityMap(3));
    auto generic = linalg::GenericOp::create(
        builder, loc, ValueRange(inits).getTypes(), grouped.tensors, inits,
        maps,
        ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                      utils::IteratorType::parallel,
                                      utils::IteratorType::reduction},
        [&](OpBuilder &b, Location loc, ValueRange x) {
          Arithmetic a{b, loc, type};
          SmallVector<Value> best = {a.maximum(x[0], x[1])};
          // The second best is the larger one of those that lost.
          if (isPair)
            best.push_back(a.maximum(x[2], a.minimum(x[0], x[1])));
          linalg::YieldOp::create(b, loc, best);
        });
    if (!isPair)
      return generic.getResult(0);
    return map(
        generic.getResult(0),
        {lowering.asArray(generic.getResult(1)), identity},
        [](const Arithmetic &a, ValueRange x) { return a.add(x[0], x[1]); });
  }

  /// moe_route-R1.
  Value makeShares(Value scores, Value experts) {
    Value shares = gatherScores(scores, experts);
    if (op.getScoring() == ExpertScoring::TopkSoftmax)
      shares = softmax(shares);
    if (op.getScoring() == ExpertScoring::TopkSigmoid)
      shares = sigmoid(lowering.asArray(shares));
    if (op.getNormalize())
      shares = divideByRows(shares);
    if (op.getExpertScales())
      shares = map(shares, {lowering.asArray(gatherScales(experts)), identity},
                   [](const Arithmetic &a, ValueRange x) {
                     return a.multiply(x[0], x[1]);
                   });
    double scale = op.getScale() ? op.getScale()->convertToDouble() : 1;
    return lowering.compute(lowering.getSizes(shares),
                            {{lowering.asArray(shares), identity}},
                            getElementTypeOrSelf(op.getShares().getType()),
                            [&](OpBuilder &b, Location loc, ValueRange x) {
                              Arithmetic a{b, loc, type};
                              return a.multiply(a.constant(scale), x[0]);
                            });
  }

  /// Reads a number for each of `experts`, from its token and its number.
  Value
  gather(Value experts,
         function_ref<Value(OpBuilder &, Value token, Value expert)> read) {
    return lowering.generate(
        lowering.getSizes(experts), type,
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          Value number = tensor::ExtractOp::create(b, loc, experts, at);
          return read(
              b, at[0],
              arith::IndexCastOp::create(b, loc, b.getIndexType(), number));
        });
  }

  Value gatherScores(Value scores, Value experts) {
    return gather(experts,
                  [&](OpBuilder &b, Value token, Value expert) -> Value {
                    return tensor::ExtractOp::create(b, loc, scores,
                                                     ValueRange{token, expert});
                  });
  }

  Value gatherScales(Value experts) {
    Value scales = lowering.round(
        lowering.getArray(op.getExpertScales()).getValues(), type);
    return gather(experts, [&](OpBuilder &b, Value, Value expert) -> Value {
      return tensor::ExtractOp::create(b, loc, scales, expert);
    });
  }

  MoeRouteOp op;
  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Type type;
  AffineMap identity, row;
};

LogicalResult lowerMoeRoute(MoeRouteOp op, LinalgLowering &lowering) {
  if (op.getLogits().getType().isDynamicDim(1))
    return op.emitOpError("has an open number of experts, of which none can "
                          "be selected: bind it (llm-bind-shapes)");
  return RouteLowering(op, lowering).lower();
}

} // namespace

void llm::attachRouterLowerings(MLIRContext *context) {
  attachLowering<MoeRouteOp, lowerMoeRoute>(context);
}
