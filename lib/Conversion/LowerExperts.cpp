//===- LowerExperts.cpp - Mixtures of experts -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens go where the router sends them: how many rows an expert gets is known
// when the program runs. What `rows_per_expert` says is counted, not computed.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

constexpr double notSelectable = -std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// moe_route
//===----------------------------------------------------------------------===//

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
    Value experts = selectBest(selectable, op.getTopK()).indices;
    lowering.setResult(0, makeShares(scores, experts));
    lowering.setResult(1, experts);
    return success();
  }

private:
  AffineMap columns() { return mapOf(op.getContext(), 2, {1}); }

  using Formula = function_ref<Value(const Arithmetic &, ValueRange)>;

  Value map(Value x, const Read &other, Formula formula) {
    return lowering.compute(lowering.getSizes(x),
                            {{lowering.asArray(x), identity}, other}, type,
                            [&](OpBuilder &b, Location loc, ValueRange x) {
                              return formula({b, loc, type}, x);
                            });
  }

  /// A number for each row of x.
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

  Value sigmoid(const Array &x) {
    return lowering.compute(lowering.getSizes(x.getValues()), {{x, identity}},
                            type,
                            [&](OpBuilder &b, Location loc, ValueRange x) {
                              return Arithmetic{b, loc, type}.sigmoid(x[0]);
                            });
  }

  /// What experts are selected by, but for the bias.
  Value makeScores() {
    Array logits = lowering.getArray(op.getLogits());
    switch (op.getScoring()) {
    case ExpertScoring::Softmax:
      return softmax(lowering.round(logits.getValues(), type));
    case ExpertScoring::Sigmoid:
      return sigmoid(logits);
    case ExpertScoring::TopkSoftmax:
    case ExpertScoring::TopkSigmoid:
      return lowering.round(logits.getValues(), type);
    }
    llvm_unreachable("unknown scoring");
  }

  /// The columns of the largest numbers of each row, and the numbers without
  /// these.
  struct Selection {
    Value indices, rest;
  };

  /// The first of equal ones first.
  Selection selectBest(Value numbers, int64_t count) {
    OpFoldResult rows = lowering.getSizes(numbers)[0];
    OpFoldResult one = builder.getIndexAttr(1);
    Value indices = lowering.empty({rows, builder.getIndexAttr(count)},
                                   builder.getI32Type());
    auto loop = scf::ForOp::create(builder, loc, lowering.index(builder, 0),
                                   lowering.index(builder, count),
                                   lowering.index(builder, 1),
                                   ValueRange{numbers, indices});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value rest = loop.getRegionIterArg(0);
    Value best = findBest(rest);
    Value next = tensor::InsertSliceOp::create(
        builder, loc, best, loop.getRegionIterArg(1),
        ArrayRef<OpFoldResult>{builder.getIndexAttr(0), loop.getInductionVar()},
        ArrayRef<OpFoldResult>{rows, one}, ArrayRef<OpFoldResult>{one, one});
    scf::YieldOp::create(builder, loc, ValueRange{takeOut(rest, best), next});
    return {loop.getResult(1), loop.getResult(0)};
  }

  /// The column of the largest number of each row, [m] of i32.
  Value findBest(Value numbers) {
    OpFoldResult rows = lowering.getSizes(numbers)[0];
    Value most = lowering.filled({rows}, notSelectable);
    Value column = lowering.filled({rows}, builder.getI32IntegerAttr(0));
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{most.getType(), column.getType()}, numbers,
        ValueRange{most, column}, ArrayRef<AffineMap>{identity, row, row},
        ArrayRef<utils::IteratorType>{utils::IteratorType::parallel,
                                      utils::IteratorType::reduction},
        [&](OpBuilder &b, Location loc, ValueRange x) {
          Value isLarger = arith::CmpFOp::create(
              b, loc, arith::CmpFPredicate::OGT, x[0], x[1]);
          Value here = arith::IndexCastOp::create(
              b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, 1));
          auto choose = [&](Value yes, Value no) -> Value {
            return arith::SelectOp::create(b, loc, isLarger, yes, no);
          };
          linalg::YieldOp::create(
              b, loc, ValueRange{choose(x[0], x[1]), choose(here, x[2])});
        });
    return generic.getResult(1);
  }

  /// `numbers` with none in the column of each row.
  Value takeOut(Value numbers, Value column) {
    auto generic = linalg::GenericOp::create(
        builder, loc, numbers.getType(), column, numbers,
        ArrayRef<AffineMap>{row, identity},
        SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
        [&](OpBuilder &b, Location loc, ValueRange x) {
          Value here = arith::IndexCastOp::create(
              b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, 1));
          Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             here, x[0]);
          Value none = Arithmetic{b, loc, type}.constant(notSelectable);
          Value left = arith::SelectOp::create(b, loc, isIt, none, x[1]);
          linalg::YieldOp::create(b, loc, left);
        });
    return generic.getResult(0);
  }

  /// Scores of the experts of the best groups; the others cannot be selected.
  Value keepBestGroups(Value scores, int64_t groups) {
    int64_t experts = op.getLogits().getType().getDimSize(1);
    Value best = scoreGroups(scores, groups);
    Value rest = selectBest(best, *op.getTopGroups()).rest;
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

  /// The best score of each group, with a bias the sum of the two best.
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
          // The second is the larger one of those that lost.
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

  Value makeShares(Value scores, Value experts) {
    Value shares = gather(scores, experts);
    if (op.getScoring() == ExpertScoring::TopkSoftmax)
      shares = softmax(shares);
    if (op.getScoring() == ExpertScoring::TopkSigmoid)
      shares = sigmoid(lowering.asArray(shares));
    if (op.getNormalize())
      shares = divideByRows(shares);
    double scale = op.getScale() ? op.getScale()->convertToDouble() : 1;
    return lowering.compute(lowering.getSizes(shares),
                            {{lowering.asArray(shares), identity}},
                            getElementTypeOrSelf(op.getShares().getType()),
                            [&](OpBuilder &b, Location loc, ValueRange x) {
                              Arithmetic a{b, loc, type};
                              return a.multiply(a.constant(scale), x[0]);
                            });
  }

  /// The scores in the columns that `experts` name.
  Value gather(Value scores, Value experts) {
    return lowering.generate(
        lowering.getSizes(experts), type,
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          Value number = tensor::ExtractOp::create(b, loc, experts, at);
          Value expert =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
          return tensor::ExtractOp::create(b, loc, scores,
                                           ValueRange{at[0], expert});
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

//===----------------------------------------------------------------------===//
// Rows in the order of their experts
//===----------------------------------------------------------------------===//

/// Where the rows of each expert lie among all, and that of each token.
/// Rows are counted, as in a counting sort: first how many an expert has, then
/// where its first one lies, which then goes on by one with each token.
class RowsOfExperts {
public:
  RowsOfExperts(LinalgLowering &lowering, Value experts)
      : lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), experts(experts), zero(index(0)),
        one(index(1)) {
    for (OpFoldResult size : lowering.getSizes(experts))
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  }

  Value index(int64_t value) const { return lowering.index(builder, value); }

  /// As many experts as the largest number says.
  Value countExperts() const {
    return forEachChoice(zero, [&](Value, Value, Value expert, Value count) {
      Value next = arith::AddIOp::create(builder, loc, expert, one);
      return arith::MaxSIOp::create(builder, loc, count, next).getResult();
    });
  }

  /// The first row of each expert and, behind the last one, the number of
  /// rows.
  Value findBegins(Value numExperts) const {
    Value slots = arith::AddIOp::create(builder, loc, numExperts, one);
    Value none = lowering.filled({slots}, builder.getIndexAttr(0));
    // Each row is counted for the expert behind its own.
    Value counts =
        forEachChoice(none, [&](Value, Value, Value expert, Value counts) {
          Value behind = arith::AddIOp::create(builder, loc, expert, one);
          return advance(counts, behind).second;
        });
    auto sum = scf::ForOp::create(builder, loc, one, slots, one, counts);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(sum.getBody());
    Value sums = sum.getRegionIterArg(0), at = sum.getInductionVar();
    Value before = arith::SubIOp::create(builder, loc, at, one);
    Value total = arith::AddIOp::create(
        builder, loc, tensor::ExtractOp::create(builder, loc, sums, before),
        tensor::ExtractOp::create(builder, loc, sums, at));
    Value next = tensor::InsertOp::create(builder, loc, total, sums, at);
    scf::YieldOp::create(builder, loc, next);
    return sum.getResult(0);
  }

  /// The row of each choice, [m, top_k].
  Value findRows(Value begins) const {
    Value none =
        lowering.empty(lowering.getSizes(experts), builder.getIndexType());
    return placeRows(
        begins, none, [&](Value rows, Value row, Value token, Value choice) {
          return tensor::InsertOp::create(builder, loc, row, rows,
                                          ValueRange{token, choice})
              .getResult();
        });
  }

  /// The number of the choice of each row, token top_k + choice: [m top_k].
  Value findChoices(Value begins) const {
    OpFoldResult count = getAsOpFoldResult(
        builder.createOrFold<arith::MulIOp>(loc, sizes[0], sizes[1]));
    Value none = lowering.empty({count}, builder.getIndexType());
    return placeRows(
        begins, none,
        [&](Value choices, Value row, Value token, Value choice) -> Value {
          Value number = arith::AddIOp::create(
              builder, loc,
              arith::MulIOp::create(builder, loc, token, sizes[1]), choice);
          return tensor::InsertOp::create(builder, loc, number, choices, row);
        });
  }

private:
  using Step =
      function_ref<Value(Value token, Value choice, Value expert, Value)>;
  using Place =
      function_ref<Value(Value into, Value row, Value token, Value choice)>;

  /// Carries values over the choices of the tokens, one behind the other.
  SmallVector<Value>
  carry(ValueRange start,
        function_ref<SmallVector<Value>(Value, Value, Value, ValueRange)> step)
      const {
    auto tokens = scf::ForOp::create(builder, loc, zero, sizes[0], one, start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(tokens.getBody());
    auto choices = scf::ForOp::create(builder, loc, zero, sizes[1], one,
                                      tokens.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, choices.getResults());
    builder.setInsertionPointToStart(choices.getBody());
    Value token = tokens.getInductionVar(), choice = choices.getInductionVar();
    Value number = tensor::ExtractOp::create(builder, loc, experts,
                                             ValueRange{token, choice});
    Value expert = arith::IndexCastOp::create(builder, loc,
                                              builder.getIndexType(), number);
    SmallVector<Value> next =
        step(token, choice, expert, choices.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(tokens.getResults());
  }

  Value forEachChoice(Value start, Step step) const {
    auto carryOne = [&](Value token, Value choice, Value expert,
                        ValueRange state) {
      return SmallVector<Value>{step(token, choice, expert, state[0])};
    };
    return carry(start, carryOne).front();
  }

  Value placeRows(Value begins, Value into, Place place) const {
    auto step = [&](Value token, Value choice, Value expert, ValueRange state) {
      auto [row, next] = advance(state[0], expert);
      return SmallVector<Value>{next, place(state[1], row, token, choice)};
    };
    return carry({begins, into}, step)[1];
  }

  /// What `numbers` held at a place, and themselves with 1 more there.
  std::pair<Value, Value> advance(Value numbers, Value at) const {
    Value held = tensor::ExtractOp::create(builder, loc, numbers, at);
    Value more = arith::AddIOp::create(builder, loc, held, one);
    return {held, tensor::InsertOp::create(builder, loc, more, numbers, at)};
  }

  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Value experts, zero, one;
  SmallVector<Value> sizes;
};

//===----------------------------------------------------------------------===//
// grouped_matmul
//===----------------------------------------------------------------------===//

/// The first row of each expert and, behind the last one, the number of rows:
/// of what the router chose, or, where nobody says what that was, as many as
/// are counted.
Value findBeginsOf(GroupedMatmulOp op, LinalgLowering &lowering) {
  if (op.getExperts()) {
    RowsOfExperts rows(lowering, lowering.get(op.getExperts()));
    return rows.findBegins(rows.index(op.getRhs().getType().getDimSize(0)));
  }
  SmallVector<int64_t> begins = {0};
  for (int64_t rows : op.getRowsPerExpert())
    begins.push_back(begins.back() + rows);
  return lowering.constantIndices(begins);
}

/// A matrix product for each expert, of the rows that it has.
LogicalResult lowerGroupedMatmul(GroupedMatmulOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  Location loc = lowering.getLoc();
  Array lhs = lowering.getArray(op.getLhs());
  Array rhs = lowering.getArray(op.getRhs());
  int64_t numExperts = rhs.type.getDimSize(0);
  if (ShapedType::isDynamic(numExperts) ||
      (op.getRouting() && !op.getExperts()))
    return op.emitOpError("has open sizes, with which it has no lowering: "
                          "bind them (llm-bind-shapes)");
  Value begins = findBeginsOf(op, lowering);
  unsigned columnDim = op.getTransposeRhs() ? 1 : 2;
  OpFoldResult columns = lowering.getSizes(rhs.getValues())[columnDim];
  Type element = op.getType().getElementType();
  Value out =
      lowering.empty({lowering.getSizes(lhs.getValues())[0], columns}, element);
  auto loop = scf::ForOp::create(builder, loc, lowering.index(builder, 0),
                                 lowering.index(builder, numExperts),
                                 lowering.index(builder, 1), out);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value expert = loop.getInductionVar();
  Value next =
      arith::AddIOp::create(builder, loc, expert, lowering.index(builder, 1));
  Value begin = tensor::ExtractOp::create(builder, loc, begins, expert);
  Value end = tensor::ExtractOp::create(builder, loc, begins, next);
  OpFoldResult count =
      arith::SubIOp::create(builder, loc, end, begin).getResult();

  FailureOr<Array> rows = lowering.sliceRows(lhs, begin, count);
  FailureOr<Array> weight = lowering.pickRow(rhs, expert);
  if (failed(rows) || failed(weight))
    return op.emitOpError("has rows or experts that share a scale, which have "
                          "no lowering: expected blocks of one");
  std::optional<Array> bias;
  if (op.getBias())
    bias = *lowering.pickRow(lowering.getArray(op.getBias()), expert);
  Value product = multiplyMatrices(lowering, *rows, *weight, bias,
                                   op.getTransposeRhs(), element);
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  Value all = tensor::InsertSliceOp::create(
      builder, loc, product, loop.getRegionIterArg(0),
      ArrayRef<OpFoldResult>{begin, zero},
      ArrayRef<OpFoldResult>{count, columns}, ArrayRef<OpFoldResult>{one, one});
  scf::YieldOp::create(builder, loc, all);
  lowering.setResult(0, loop.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// moe_dispatch and moe_combine
//===----------------------------------------------------------------------===//

/// Loops r (the rows) and h: what is stored is handed on.
LogicalResult gatherRows(MoeDispatchOp op, LinalgLowering &lowering,
                         Value choices, Value topK) {
  Array x = lowering.getArray(op.getX());
  SmallVector<Value> parts;
  for (auto [n, part] : llvm::enumerate(x.tensors)) {
    FailureOr<std::optional<int64_t>> rowDim = x.findDim(n, 0);
    if (failed(rowDim))
      return op.emitOpError("has rows that share a scale, which have no "
                            "lowering: expected blocks of one row");
    if (!*rowDim) {
      parts.push_back(part);
      continue;
    }
    SmallVector<OpFoldResult> sizes = lowering.getSizes(part);
    sizes[0] = lowering.getSizes(choices)[0];
    parts.push_back(lowering.generate(
        sizes, getElementTypeOrSelf(part.getType()),
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          Value choice = tensor::ExtractOp::create(b, loc, choices, at[0]);
          SmallVector<Value> from(at);
          from[0] = arith::DivUIOp::create(b, loc, choice, topK);
          return tensor::ExtractOp::create(b, loc, part, from);
        }));
  }
  lowering.setResult(0, parts);
  return success();
}

/// Loops r (the rows) and h: with the share of the choice of the row.
LogicalResult scaleRows(MoeDispatchOp op, LinalgLowering &lowering,
                        Value choices, Value topK) {
  Array x = lowering.getArray(op.getX());
  if (isa<BlockScaledType>(x.type.getElementType()))
    return op.emitOpError("scales block-scaled rows by shares, which has no "
                          "lowering: quantize behind it");
  Array shares = lowering.getArray(op.getShares());
  SmallVector<OpFoldResult> sizes = {lowering.getSizes(choices)[0],
                                     lowering.getSizes(x.getValues())[1]};
  Type element = op.getType().getElementType();
  lowering.setResult(
      0, lowering.generate(
             sizes, element, [&](OpBuilder &b, Location loc, ValueRange at) {
               Value choice = tensor::ExtractOp::create(b, loc, choices, at[0]);
               Value token = arith::DivUIOp::create(b, loc, choice, topK);
               Value which = arith::RemUIOp::create(b, loc, choice, topK);
               auto read = [&](const Array &array, Value column) {
                 Value stored = tensor::ExtractOp::create(
                     b, loc, array.getValues(), ValueRange{token, column});
                 return lowering.widen(b, stored);
               };
               Arithmetic a{b, loc, lowering.getComputeType()};
               Value scaled = a.multiply(read(shares, which), read(x, at[1]));
               return lowering.narrow(b, scaled, element);
             }));
  return success();
}

LogicalResult lowerMoeDispatch(MoeDispatchOp op, LinalgLowering &lowering) {
  Value experts = lowering.get(op.getExperts());
  RowsOfExperts rows(lowering, experts);
  Value choices = rows.findChoices(rows.findBegins(rows.countExperts()));
  Value topK = getValueOrCreateConstantIndexOp(
      lowering.getBuilder(), lowering.getLoc(), lowering.getSizes(experts)[1]);
  return op.getShares() ? scaleRows(op, lowering, choices, topK)
                        : gatherRows(op, lowering, choices, topK);
}

/// Loops m, h, j.
LogicalResult lowerMoeCombine(MoeCombineOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Value experts = lowering.get(op.getExperts());
  RowsOfExperts rows(lowering, experts);
  Value rowOf = rows.findRows(rows.findBegins(rows.countExperts()));
  Array x = lowering.getArray(op.getX());
  SmallVector<OpFoldResult> sizes = {lowering.getSizes(experts)[0],
                                     lowering.getSizes(x.getValues())[1]};
  // Gathered first, so that the sum is one over an array.
  SmallVector<OpFoldResult> gathered = {sizes[0], lowering.getSizes(experts)[1],
                                        sizes[1]};
  Value terms = lowering.generate(
      gathered, x.type.getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Value row =
            tensor::ExtractOp::create(b, loc, rowOf, ValueRange{at[0], at[1]});
        return tensor::ExtractOp::create(b, loc, x.getValues(),
                                         ValueRange{row, at[2]});
      });
  SmallVector<Read> reads = {
      {lowering.asArray(terms), mapOf(context, 3, {0, 2, 1})}};
  if (op.getShares())
    reads.push_back(
        {lowering.getArray(op.getShares()), mapOf(context, 3, {0, 2})});
  Value sums = lowering.reduce(
      lowering.filled(sizes, 0.0), mapOf(context, 3, {0, 1}), reads,
      [&](OpBuilder &b, Location loc, ValueRange numbers) {
        Arithmetic a{b, loc, lowering.getComputeType()};
        Value term = op.getShares() ? a.multiplyTerm(numbers[0], numbers[1])
                                    : numbers[0];
        return a.addTerm(numbers.back(), term);
      });
  lowering.setResult(0, lowering.round(sums, op.getType().getElementType()));
  return success();
}

} // namespace

void llm::attachExpertLowerings(MLIRContext *context) {
  attachLowering<MoeRouteOp, lowerMoeRoute>(context);
  attachLowering<MoeDispatchOp, lowerMoeDispatch>(context);
  attachLowering<GroupedMatmulOp, lowerGroupedMatmul>(context);
  attachLowering<MoeCombineOp, lowerMoeCombine>(context);
}
