//===- LowerExpertExchange.cpp - Tokens that go to experts and come back --===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All chips of a group gather the choices of all tokens, which are few bytes.
// From these each chip knows how many tokens it sends to each other one, and
// how many it gets from there, and where each of them lies. Then only the rows
// of these tokens are exchanged.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "ExpertRoom.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Which tokens go from chip to chip. Flags are of a chip of the group and a
/// token, with the chip first.
class TokensOfChips {
public:
  /// `experts` are those of the chip's own tokens, [m, top_k].
  TokensOfChips(LinalgLowering &lowering, Operation *op, Value experts,
                ArrayAttr axes, ArrayAttr own);

  int64_t countPlaces() const { return numChips * tokens; }
  /// The first place of each flag that is set, if these follow each other, and
  /// behind the last one how many there are.
  struct Places {
    Value flags, begins;
  };
  /// Tokens of this chip that go to each chip.
  Places findSent();
  /// Tokens of each chip that come to this one.
  Places findReceived();
  Value countAll(const Places &places) const {
    return at(builder, loc, places.begins, {index(countPlaces())});
  }

  /// The token in each place.
  Value listTokens(const Places &places) const;
  /// For each chip, the numbers of tokens of both, [chips, 2].
  Value makePairs(const Places &to, const Places &from) const;
  /// Exchanges rows: those of each chip `to`, and then those of each `from`.
  Value swapRows(Value rows, const Places &to, const Places &from,
                 int64_t most) {
    return group.swapRows(rows, makePairs(to, from), most);
  }

  Value index(int64_t value) const { return lowering.index(builder, value); }
  Value isSet(OpBuilder &b, Location loc, Value flags, Value place) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                 at(b, loc, flags, {place}),
                                 lowering.index(b, 0));
  }
  /// The place of a flag among all.
  Value placeOf(OpBuilder &b, Location loc, Value chip, Value token) const {
    return arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, chip, lowering.index(b, tokens)),
        token);
  }
  static Value at(OpBuilder &b, Location loc, Value tensor,
                  ValueRange indices) {
    return tensor::ExtractOp::create(b, loc, tensor, indices);
  }
  int64_t countTokens() const { return tokens; }
  int64_t countChips() const { return numChips; }

private:
  /// For each chip of the group, what its place adds to its rank among those
  /// that share experts.
  SmallVector<int64_t> ranksAmongOwners(GridAttr grid, ArrayAttr axes,
                                        ArrayAttr own) const;
  /// 1 if the token of a chip has an expert on the chip of this rank, else 0.
  Value needs(OpBuilder &b, Location loc, Value sender, Value token,
              Value owner) const;
  Places findPlaces(function_ref<Value(OpBuilder &, Location, Value chip,
                                       Value token)>
                        flagOf) const;
  Value sumUpTo(Value flags) const;
  /// Carries a table of numbers, zeros at first, over all places in order. It
  /// has one more than these.
  Value carryOverPlaces(
      function_ref<Value(Value place, Value table)> step) const;

  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  ChipGroup group;
  int64_t numChips, tokens, topK;
  Value all;    ///< the choices of all chips, [chips, m, top_k]
  Value rank;   ///< of this chip in the group
  Value owners; ///< of this chip, by their ranks, how many share experts
  Value ownerRank, ranks;
};

} // namespace

TokensOfChips::TokensOfChips(LinalgLowering &lowering, Operation *op,
                             Value experts, ArrayAttr axes, ArrayAttr own)
    : lowering(lowering), builder(lowering.getBuilder()),
      loc(lowering.getLoc()), group(lowering, op, axes),
      numChips(group.countChips()) {
  auto type = cast<RankedTensorType>(experts.getType());
  tokens = type.getDimSize(0);
  topK = type.getDimSize(1);
  all = group.gather(experts);
  rank = group.getRank();
  ChipGroup sharing(lowering, op, own);
  owners = index(sharing.countChips());
  ownerRank = sharing.getRank();
  ranks = lowering.constantIndices(
      ranksAmongOwners(GridAttr::ofModule(op), axes, own));
}

SmallVector<int64_t> TokensOfChips::ranksAmongOwners(GridAttr grid,
                                                     ArrayAttr axes,
                                                     ArrayAttr own) const {
  SmallVector<int64_t> found = {0};
  for (StringAttr axis : axes.getAsRange<StringAttr>()) {
    const auto *inside = std::next(llvm::find(own, axis));
    int64_t stride = 1;
    for (Attribute inner : llvm::make_range(inside, own.end()))
      stride *= *grid.sizeOf(cast<StringAttr>(inner));
    SmallVector<int64_t> longer;
    for (int64_t before : found)
      for (int64_t place = 0; place < *grid.sizeOf(axis); ++place)
        longer.push_back(before + place * stride);
    found = std::move(longer);
  }
  return found;
}

Value TokensOfChips::needs(OpBuilder &b, Location loc, Value sender,
                           Value token, Value owner) const {
  Value found =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getI1Type(), 0));
  for (int64_t choice = 0; choice < topK; ++choice) {
    Value number =
        at(b, loc, all, {sender, token, lowering.index(b, choice)});
    Value expert =
        arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
    Value its = arith::RemSIOp::create(b, loc, expert, owners);
    Value isThere = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, its, owner);
    found = arith::OrIOp::create(b, loc, found, isThere);
  }
  return arith::SelectOp::create(b, loc, found, lowering.index(b, 1),
                                 lowering.index(b, 0));
}

Value TokensOfChips::carryOverPlaces(
    function_ref<Value(Value place, Value table)> step) const {
  Value none = lowering.filled({builder.getIndexAttr(countPlaces() + 1)},
                               builder.getIndexAttr(0));
  auto loop = scf::ForOp::create(builder, loc, index(0), index(countPlaces()),
                                 index(1), none);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value next = step(loop.getInductionVar(), loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

/// For each flag, how many are set before it, and behind the last one, how many
/// are set at all.
Value TokensOfChips::sumUpTo(Value flags) const {
  return carryOverPlaces([&](Value place, Value before) -> Value {
    Value sum = arith::AddIOp::create(builder, loc,
                                      at(builder, loc, before, {place}),
                                      at(builder, loc, flags, {place}));
    Value next = arith::AddIOp::create(builder, loc, place, index(1));
    return tensor::InsertOp::create(builder, loc, sum, before, next);
  });
}

TokensOfChips::Places TokensOfChips::findPlaces(
    function_ref<Value(OpBuilder &, Location, Value, Value)> flagOf) const {
  Value flags = lowering.generate(
      {builder.getIndexAttr(countPlaces())}, builder.getIndexType(),
      [&](OpBuilder &b, Location loc, ValueRange place) {
        Value perChip = lowering.index(b, tokens);
        return flagOf(b, loc,
                      arith::DivUIOp::create(b, loc, place[0], perChip),
                      arith::RemUIOp::create(b, loc, place[0], perChip));
      });
  return {flags, sumUpTo(flags)};
}

TokensOfChips::Places TokensOfChips::findSent() {
  Value outside = arith::SubIOp::create(builder, loc, ownerRank,
                                        at(builder, loc, ranks, {rank}));
  return findPlaces([&](OpBuilder &b, Location loc, Value chip, Value token) {
    Value owner =
        arith::AddIOp::create(b, loc, outside, at(b, loc, ranks, {chip}));
    return needs(b, loc, rank, token, owner);
  });
}

TokensOfChips::Places TokensOfChips::findReceived() {
  return findPlaces([&](OpBuilder &b, Location loc, Value chip, Value token) {
    return needs(b, loc, chip, token, ownerRank);
  });
}

/// A flag that is not set writes where the next one that is set will.
Value TokensOfChips::listTokens(const Places &places) const {
  return carryOverPlaces([&](Value place, Value list) -> Value {
    Value token = arith::RemUIOp::create(builder, loc, place, index(tokens));
    return tensor::InsertOp::create(builder, loc, token, list,
                                    at(builder, loc, places.begins, {place}));
  });
}

Value TokensOfChips::makePairs(const Places &to, const Places &from) const {
  auto countOf = [&](OpBuilder &b, Location loc, const Places &places,
                     Value chip) -> Value {
    Value perChip = lowering.index(b, tokens);
    Value begin = arith::MulIOp::create(b, loc, chip, perChip);
    Value end = arith::AddIOp::create(b, loc, begin, perChip);
    return arith::SubIOp::create(b, loc, at(b, loc, places.begins, {end}),
                                 at(b, loc, places.begins, {begin}));
  };
  return lowering.generate(
      {builder.getIndexAttr(numChips), builder.getIndexAttr(2)},
      builder.getIndexType(),
      [&](OpBuilder &b, Location loc, ValueRange pair) -> Value {
        Value isFirst =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, pair[1],
                                  lowering.index(b, 0));
        return arith::SelectOp::create(b, loc, isFirst,
                                       countOf(b, loc, to, pair[0]),
                                       countOf(b, loc, from, pair[0]));
      });
}

namespace {

/// What the rows of one tensor are exchanged by.
struct Exchange {
  TokensOfChips &chips;
  TokensOfChips::Places sent, received;
  Value tokens; ///< in the order in which they are sent
  Value count;  ///< of those that are received
  int64_t room;
};

/// Sends the rows of a tensor, [m, ..], and returns those that are received.
/// Behind them, all elements are `rest`.
Value sendRows(LinalgLowering &lowering, Exchange &exchange, Value x,
               TypedAttr rest) {
  OpBuilder &builder = lowering.getBuilder();
  Type element = getElementTypeOrSelf(x.getType());
  SmallVector<OpFoldResult> sizes = lowering.getSizes(x);
  sizes[0] = builder.getIndexAttr(exchange.chips.countPlaces());
  Value packed = lowering.generate(
      sizes, element, [&](OpBuilder &b, Location loc, ValueRange to) -> Value {
        SmallVector<Value> from(to);
        from[0] = TokensOfChips::at(b, loc, exchange.tokens, {to[0]});
        return TokensOfChips::at(b, loc, x, from);
      });
  Value got = exchange.chips.swapRows(packed, exchange.sent, exchange.received,
                                      exchange.room);
  sizes[0] = builder.getIndexAttr(exchange.room);
  auto receive = [&](OpBuilder &b, Location loc, ValueRange place) -> Value {
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          place[0], exchange.count);
    Value none = arith::ConstantOp::create(b, loc, rest);
    return arith::SelectOp::create(
        b, loc, isThere, TokensOfChips::at(b, loc, got, place), none);
  };
  return lowering.generate(sizes, element, receive);
}

/// expert_dispatch-R1.
LogicalResult lowerExpertDispatch(ExpertDispatchOp op,
                                  LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  Value experts = lowering.get(op.getExperts());
  TokensOfChips chips(lowering, op, experts, op.getAxes(), op.getOwn());
  Exchange exchange{chips, chips.findSent(), chips.findReceived(), {}, {},
                    static_cast<int64_t>(op.getRows())};
  exchange.tokens = chips.listTokens(exchange.sent);
  exchange.count = chips.countAll(exchange.received);
  checkRoom(op, lowering, exchange.count, exchange.room);
  Array x = lowering.getArray(op.getX());
  SmallVector<Value> parts;
  for (auto [n, part] : llvm::enumerate(x.tensors)) {
    FailureOr<std::optional<int64_t>> rowDim = x.findDim(n, 0);
    if (failed(rowDim))
      return op.emitOpError("has rows that share a scale, which have no "
                            "lowering: expected blocks of one row");
    auto zero = cast<TypedAttr>(
        builder.getZeroAttr(getElementTypeOrSelf(part.getType())));
    parts.push_back(*rowDim ? sendRows(lowering, exchange, part, zero) : part);
  }
  lowering.setResult(0, parts);
  lowering.setResult(
      1, sendRows(lowering, exchange, experts,
                  builder.getIntegerAttr(
                      getElementTypeOrSelf(experts.getType()), -1)));
  if (op.getShares()) {
    Value shares = lowering.get(op.getShares());
    auto zero = cast<TypedAttr>(
        builder.getZeroAttr(getElementTypeOrSelf(shares.getType())));
    lowering.setResult(2, sendRows(lowering, exchange, shares, zero));
  }
  return success();
}

/// expert_combine-R1. Rows lie as they came, so that they are sent as they lie.
LogicalResult lowerExpertCombine(ExpertCombineOp op, LinalgLowering &lowering) {
  OpBuilder &builder = lowering.getBuilder();
  TokensOfChips chips(lowering, op, lowering.get(op.getExperts()), op.getAxes(),
                      op.getOwn());
  TokensOfChips::Places sent = chips.findSent(),
                        received = chips.findReceived();
  Value x = lowering.get(op.getX());
  Type element = op.getType().getElementType();
  Value got = chips.swapRows(x, received, sent, chips.countPlaces());
  SmallVector<OpFoldResult> sizes = {
      builder.getIndexAttr(chips.countChips()),
      builder.getIndexAttr(chips.countTokens()), lowering.getSizes(x)[1]};
  Value terms = lowering.generate(
      sizes, element, [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
        Value place = chips.placeOf(b, loc, at[0], at[1]);
        Value row = TokensOfChips::at(b, loc, sent.begins, {place});
        Value isThere = chips.isSet(b, loc, sent.flags, place);
        // A token that went nowhere has no row, and that of another is read.
        Value from = arith::SelectOp::create(b, loc, isThere, row,
                                             lowering.index(b, 0));
        Value zero =
            arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
        return arith::SelectOp::create(
            b, loc, isThere, TokensOfChips::at(b, loc, got, {from, at[2]}),
            zero);
      });
  lowering.setResult(0, joinInOrder(lowering, terms, Join::Sum));
  return success();
}

} // namespace

void llm::attachExpertExchangeLowerings(MLIRContext *context) {
  attachLowering<ExpertDispatchOp, lowerExpertDispatch>(context);
  attachLowering<ExpertCombineOp, lowerExpertCombine>(context);
}
