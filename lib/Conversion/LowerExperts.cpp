//===- LowerExperts.cpp - Mixtures of experts -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens go where the router sends them, so how many rows an expert gets is
// only known when the program runs. Results depend on `rows_per_expert` only if
// grouped_matmul does not have the router's choice. Else it is for counting.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "ExpertRoom.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

//===----------------------------------------------------------------------===//
// Rows in the order of their experts
//===----------------------------------------------------------------------===//

/// Finds where the rows of each expert lie among all rows, and the row of each
/// token. This is a counting sort: it counts the rows of each expert, finds the
/// first one, and goes on by one with each token.
///
/// Where several chips share the experts, a chip numbers its own ones from 0,
/// and one number behind these stands for those of all other chips. So its own
/// rows come first.
class RowsOfExperts {
public:
  /// `own` are the axes along which chips share the experts, or null. Without
  /// a known number of experts it is that up to the largest that was chosen.
  RowsOfExperts(LinalgLowering &lowering, Operation *op, Value experts,
                ArrayAttr own, std::optional<int64_t> knownExperts = {})
      : lowering(lowering), builder(lowering.getBuilder()),
        loc(lowering.getLoc()), experts(experts), zero(index(0)),
        one(index(1)) {
    for (OpFoldResult size : lowering.getSizes(experts))
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    if (own) {
      ChipGroup group(lowering, op, own);
      rank = group.getRank();
      numChips = index(group.countChips());
    }
    numExperts = knownExperts ? index(*knownExperts) : countExperts();
  }

  Value index(int64_t value) const { return lowering.index(builder, value); }
  Value add(Value a, Value b) const {
    return arith::AddIOp::create(builder, loc, a, b);
  }

  /// Returns how many rows the experts of this chip have.
  Value countOwnRows(Value begins) const {
    return tensor::ExtractOp::create(builder, loc, begins, numExperts);
  }

  /// The first row of each expert and, behind the last one, the number of
  /// rows. On one of several chips, the number of all rows is behind that.
  Value findBegins() const {
    Value slots = add(numExperts, rank ? index(2) : one);
    Value none = lowering.filled({slots}, builder.getIndexAttr(0));
    // Each row counts for the expert behind its own.
    Value counts =
        forEachChoice(none, [&](Value, Value, Value expert, Value counts) {
          return advance(counts, add(expert, one)).second;
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

  /// The number of the choice in each row, which is token * top_k + choice: [m
  /// top_k].
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
  /// Returns the number of experts of this chip, up to the largest that was
  /// chosen.
  Value countExperts() const {
    return forEachChosen(zero, [&](Value, Value, Value expert, Value count) {
      Value own = rank ? arith::DivSIOp::create(builder, loc, expert, numChips)
                       : expert;
      return arith::MaxSIOp::create(builder, loc, count, add(own, one))
          .getResult();
    });
  }

  /// Returns the number of an expert on this chip. No chip has -1, which stands
  /// behind the tokens that a chip has received (expert_dispatch-R1).
  Value numberOnChip(Value expert) const {
    if (!rank)
      return expert;
    Value owner = arith::RemSIOp::create(builder, loc, expert, numChips);
    Value isOwn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        owner, rank);
    return arith::SelectOp::create(
        builder, loc, isOwn,
        arith::DivSIOp::create(builder, loc, expert, numChips), numExperts);
  }

  using Step =
      function_ref<Value(Value token, Value choice, Value expert, Value)>;
  using Place =
      function_ref<Value(Value into, Value row, Value token, Value choice)>;

  /// Carries values over the choices of all tokens, in order.
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

  /// Carries a value over all choices, with the number of the expert in the
  /// whole program.
  Value forEachChosen(Value start, Step step) const {
    auto carryOne = [&](Value token, Value choice, Value expert,
                        ValueRange state) {
      return SmallVector<Value>{step(token, choice, expert, state[0])};
    };
    return carry(start, carryOne).front();
  }

  /// As above, with the number of the expert on this chip.
  Value forEachChoice(Value start, Step step) const {
    return forEachChosen(
        start, [&](Value token, Value choice, Value expert, Value state) {
          return step(token, choice, numberOnChip(expert), state);
        });
  }

  Value placeRows(Value begins, Value into, Place place) const {
    auto step = [&](Value token, Value choice, Value expert, ValueRange state) {
      auto [row, next] = advance(state[0], numberOnChip(expert));
      return SmallVector<Value>{next, place(state[1], row, token, choice)};
    };
    return carry({begins, into}, step)[1];
  }

  /// Returns the number at a place, and `numbers` with 1 more there.
  std::pair<Value, Value> advance(Value numbers, Value at) const {
    Value held = tensor::ExtractOp::create(builder, loc, numbers, at);
    Value more = arith::AddIOp::create(builder, loc, held, one);
    return {held, tensor::InsertOp::create(builder, loc, more, numbers, at)};
  }

  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  Value experts, zero, one;
  Value rank, numChips; ///< null if one chip has all experts
  Value numExperts;     ///< of this chip
  SmallVector<Value> sizes;
};

//===----------------------------------------------------------------------===//
// grouped_matmul
//===----------------------------------------------------------------------===//

/// The first row of each expert and, behind the last one, the number of rows.
/// They follow from the router's choice or, if the op does not have it, from
/// `rows_per_expert`.
Value findBeginsOf(GroupedMatmulOp op, LinalgLowering &lowering) {
  if (op.getExperts())
    return RowsOfExperts(lowering, op, lowering.get(op.getExperts()),
                         op.getOwnAttr(), op.getRhs().getType().getDimSize(0))
        .findBegins();
  SmallVector<int64_t> begins = {0};
  for (int64_t rows : op.getRowsPerExpert())
    begins.push_back(begins.back() + rows);
  return lowering.constantIndices(begins);
}

/// grouped_matmul-R1: a matrix product for each expert, of the rows that it has
/// (meaning-R7).
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
  SmallVector<OpFoldResult> outSizes = {lowering.getSizes(lhs.getValues())[0],
                                        columns};
  Value out;
  if (op.getOwn()) { // rows of other chips' experts are 0
    Value last = lowering.index(builder, numExperts);
    checkRoom(op, lowering,
              tensor::ExtractOp::create(builder, loc, begins, last),
              lhs.type.getDimSize(0));
    out = lowering.filled(outSizes, builder.getZeroAttr(element));
  } else {
    out = lowering.empty(outSizes, element);
  }
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

/// Returns the value of a row that is one of the chip's own, which are the
/// first ones, and 0 for others. `own` is null if all are.
Value orZero(OpBuilder &b, Location loc, Value row, Value own, Value value) {
  if (!own)
    return value;
  Value isOwn =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, row, own);
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, loc, isOwn, value, zero);
}

/// Which choices the rows of `moe_dispatch` are.
struct DispatchedRows {
  OpFoldResult count;
  Value choices; ///< the number of the choice in each row
  Value topK;
  Value own; ///< how many rows are of the chip's own experts; null if all are
};

/// Gathers rows as they are stored. The loops are r (the rows) and h.
LogicalResult gatherRows(MoeDispatchOp op, LinalgLowering &lowering,
                         const DispatchedRows &rows) {
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
    sizes[0] = rows.count;
    bool isScale = n > 0; // of values that are 0, where there are none
    parts.push_back(lowering.generate(
        sizes, getElementTypeOrSelf(part.getType()),
        [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
          Value choice = tensor::ExtractOp::create(b, loc, rows.choices, at[0]);
          SmallVector<Value> from(at);
          from[0] = arith::DivUIOp::create(b, loc, choice, rows.topK);
          Value stored = tensor::ExtractOp::create(b, loc, part, from);
          return isScale ? stored : orZero(b, loc, at[0], rows.own, stored);
        }));
  }
  lowering.setResult(0, parts);
  return success();
}

/// Gathers rows times the share of the row's choice. The loops are r (the rows)
/// and h.
LogicalResult scaleRows(MoeDispatchOp op, LinalgLowering &lowering,
                        const DispatchedRows &rows) {
  Array x = lowering.getArray(op.getX());
  if (isa<BlockScaledType>(x.type.getElementType()))
    return op.emitOpError("scales block-scaled rows by shares, which has no "
                          "lowering: quantize behind it");
  Array shares = lowering.getArray(op.getShares());
  SmallVector<OpFoldResult> sizes = {rows.count,
                                     lowering.getSizes(x.getValues())[1]};
  Type element = op.getType().getElementType();
  lowering.setResult(
      0, lowering.generate(
             sizes, element, [&](OpBuilder &b, Location loc, ValueRange at) {
               Value choice =
                   tensor::ExtractOp::create(b, loc, rows.choices, at[0]);
               Value token = arith::DivUIOp::create(b, loc, choice, rows.topK);
               Value which = arith::RemUIOp::create(b, loc, choice, rows.topK);
               auto read = [&](const Array &array, Value column) {
                 Value stored = tensor::ExtractOp::create(
                     b, loc, array.getValues(), ValueRange{token, column});
                 return lowering.widen(b, stored);
               };
               Arithmetic a{b, loc, lowering.getComputeType()};
               Value scaled = a.multiply(read(shares, which), read(x, at[1]));
               return orZero(b, loc, at[0], rows.own,
                             lowering.narrow(b, scaled, element));
             }));
  return success();
}

/// moe_dispatch-R1.
LogicalResult lowerMoeDispatch(MoeDispatchOp op, LinalgLowering &lowering) {
  Value experts = lowering.get(op.getExperts());
  RowsOfExperts ofExperts(lowering, op, experts, op.getOwnAttr());
  Value begins = ofExperts.findBegins();
  DispatchedRows rows;
  rows.choices = ofExperts.findChoices(begins);
  rows.count = lowering.getSizes(rows.choices)[0];
  rows.topK = getValueOrCreateConstantIndexOp(
      lowering.getBuilder(), lowering.getLoc(), lowering.getSizes(experts)[1]);
  if (op.getOwn()) {
    rows.own = ofExperts.countOwnRows(begins);
    rows.count = lowering.getBuilder().getIndexAttr(*op.getOwnRows());
    checkRoom(op, lowering, rows.own, *op.getOwnRows());
  }
  return op.getShares() ? scaleRows(op, lowering, rows)
                        : gatherRows(op, lowering, rows);
}

/// moe_combine-R1. Loops m, h, j.
LogicalResult lowerMoeCombine(MoeCombineOp op, LinalgLowering &lowering) {
  MLIRContext *context = op.getContext();
  Value experts = lowering.get(op.getExperts());
  RowsOfExperts rows(lowering, op, experts, op.getOwnAttr());
  Value begins = rows.findBegins();
  Value rowOf = rows.findRows(begins);
  Array x = lowering.getArray(op.getX());
  Value ownRows;
  if (op.getOwn()) {
    ownRows = rows.countOwnRows(begins);
    checkRoom(op, lowering, ownRows, x.type.getDimSize(0));
  }
  SmallVector<OpFoldResult> sizes = {lowering.getSizes(experts)[0],
                                     lowering.getSizes(x.getValues())[1]};
  // Terms are gathered first, so that the sum is one over an array.
  SmallVector<OpFoldResult> gathered = {sizes[0], lowering.getSizes(experts)[1],
                                        sizes[1]};
  Value terms = lowering.generate(
      gathered, x.type.getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Value row =
            tensor::ExtractOp::create(b, loc, rowOf, ValueRange{at[0], at[1]});
        // What other chips have counts as 0 here.
        Value from = orZero(b, loc, row, ownRows, row);
        Value stored = tensor::ExtractOp::create(b, loc, x.getValues(),
                                                 ValueRange{from, at[2]});
        return orZero(b, loc, row, ownRows, stored);
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
  attachLowering<MoeDispatchOp, lowerMoeDispatch>(context);
  attachLowering<GroupedMatmulOp, lowerGroupedMatmul>(context);
  attachLowering<MoeCombineOp, lowerMoeCombine>(context);
}
