//===- ExpertExchange.cpp - Tokens that go to experts and come back -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of one chip has all tokens gathered where its experts get them,
// and sums of all chips scattered behind. Where nothing else needs these, a
// token goes only to the chips that have experts for it.
//
//===----------------------------------------------------------------------===//

#include "Experts.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Sharding.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Ops around experts, from gathered tokens to scattered sums.
struct GatheredExperts {
  AllGatherOp gather; ///< of the tokens, as experts get them
  MoeDispatchOp dispatch;
  MoeCombineOp combine;
  ReduceScatterOp scatter;
  /// What of the sums is read: all, or what each part of a batch takes of them.
  SmallVector<Value> sums;
};

/// Makes exchanges of gathers and scatters.
class ExpertExchanger {
public:
  ExpertExchanger(GridAttr grid, ExpertRoom room)
      : grid(grid), room(room), parts(AxisRoles::get(grid).parts) {}

  LogicalResult run(MoeDispatchOp dispatch);

private:
  std::optional<GatheredExperts> findAround(MoeDispatchOp dispatch) const;
  bool findSums(GatheredExperts &found) const;
  LogicalResult exchange(GatheredExperts found) const;
  LogicalResult takePartOfRows(MoeDispatchOp dispatch,
                               RankedTensorType choices) const;
  /// Axes of chips: parts of a batch are on one chip.
  ArrayAttr withoutParts(ArrayAttr axes) const {
    SmallVector<StringAttr> names(axes.getAsRange<StringAttr>());
    llvm::erase(names, parts);
    return toAttribute(axes.getContext(), names);
  }

  GridAttr grid;
  ExpertRoom room;
  StringAttr parts; ///< null: the batch is one
};
} // namespace

/// Returns the only user of a value, if it is of this kind.
template <typename Op>
static Op onlyUser(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

static bool isOverRows(AllGatherOp gather) { return gather.getDim() == 0; }

/// Whether chips along all of these axes share experts.
static bool shareExperts(ArrayAttr axes, ArrayAttr own) {
  return !axes.empty() && llvm::all_of(axes, [&](Attribute axis) {
    return llvm::is_contained(own, axis);
  });
}

/// Finds the ops around experts whose tokens are gathered for them alone.
std::optional<GatheredExperts>
ExpertExchanger::findAround(MoeDispatchOp dispatch) const {
  GatheredExperts found;
  found.dispatch = dispatch;
  found.gather = dispatch.getX().getDefiningOp<AllGatherOp>();
  if (!dispatch.getOwn() || !found.gather || !isOverRows(found.gather) ||
      !found.gather.getOut().hasOneUse() ||
      !shareExperts(withoutParts(found.gather.getAxes()), *dispatch.getOwn()))
    return std::nullopt;
  for (Operation *user : dispatch.getExperts().getUsers()) {
    if (isa<MoeDispatchOp>(user) && user != dispatch)
      return std::nullopt; // whose rows the others have is not clear
    auto combine = dyn_cast<MoeCombineOp>(user);
    if (!combine)
      continue;
    if (found.combine || combine.getOwnAttr() != dispatch.getOwnAttr() ||
        (combine.getShares() && dispatch.getShares() &&
         combine.getShares() != dispatch.getShares()))
      return std::nullopt;
    found.combine = combine;
  }
  if (!found.combine)
    return std::nullopt;
  found.scatter = onlyUser<ReduceScatterOp>(found.combine.getOut());
  if (!found.scatter || found.scatter.getDim() != 0 ||
      found.scatter.getJoin() != Join::Sum ||
      found.scatter.getAxes() != withoutParts(found.gather.getAxes()) ||
      !findSums(found))
    return std::nullopt;
  return found;
}

/// Finds what is read of the scattered sums. Each part of a batch must take its
/// own.
bool ExpertExchanger::findSums(GatheredExperts &found) const {
  Value scattered = found.scatter.getOut();
  if (found.scatter.getAxes() == found.gather.getAxes()) {
    found.sums.push_back(scattered);
    return true;
  }
  for (Operation *user : scattered.getUsers()) {
    auto part = dyn_cast<TakePieceOp>(user);
    if (!part || part.getDim() != 0 || part.getAxes().size() != 1 ||
        part.getAxes()[0] != parts)
      return false;
    found.sums.push_back(part.getOut());
  }
  return found.gather.getAxes().getValue().back() == parts;
}

/// Returns the chip's own part of a value with a row for each token of all
/// chips: what was gathered, or its piece of what all chips have computed.
static Value takeOwnRows(OpBuilder &builder, Value all, AllGatherOp tokens) {
  if (!all)
    return all;
  auto gather = all.getDefiningOp<AllGatherOp>();
  if (gather && isOverRows(gather) && gather.getAxes() == tokens.getAxes())
    return gather.getX();
  auto type = cast<RankedTensorType>(all.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = tokens.getX().getType().getDimSize(0);
  return TakePieceOp::create(builder, tokens.getLoc(), type.clone(shape), all,
                             tokens.getAxes(), /*dim=*/0);
}

/// Returns for how many tokens of all chips the chip has experts, if it has
/// `rows` of all choices, and each choice is independent of the others:
/// T (1 - (1 - rows / (T k))^k).
static int64_t countTokens(int64_t rows, RankedTensorType choices,
                           int64_t ownExperts) {
  int64_t tokens = choices.getDimSize(0), topK = choices.getDimSize(1);
  double elsewhere = 1 - double(rows) / (double(tokens) * double(topK));
  double missed = 1; // multiplied only, so that all machines find the same
  for (int64_t choice = 0; choice < topK; ++choice)
    missed *= elsewhere;
  // A token has a row for each of its experts on the chip, at least one.
  int64_t fewest = llvm::divideCeilSigned(rows, std::min(topK, ownExperts));
  return std::clamp<int64_t>(std::llround(double(tokens) * (1 - missed)),
                             fewest, std::min(rows, tokens));
}

/// The part of the rows of each expert that a part of the batch has, rounded
/// up, and all together no more than its `choices` can be.
static SmallVector<int64_t> partOfRows(ArrayRef<int64_t> rows, int64_t parts,
                                       RankedTensorType choices) {
  int64_t experts = rows.size(),
          left = choices.getDimSize(0) *
                 std::min(experts, choices.getDimSize(1));
  SmallVector<int64_t> own;
  for (int64_t of : rows) {
    own.push_back(std::min(llvm::divideCeilSigned(of, parts), left));
    left -= own.back();
  }
  return own;
}

/// Of a batch in parts, each part has exchanges of its own, so that one part
/// computes meanwhile.
LogicalResult
ExpertExchanger::takePartOfRows(MoeDispatchOp dispatch,
                                RankedTensorType choices) const {
  if (!parts)
    return success();
  FailureOr<ExpertRegion> region =
      findRegionOfChip(cast<ExpertsOpInterface>(dispatch.getOperation()), grid);
  if (failed(region))
    return failure();
  SmallVector<int64_t> rows =
      room == ExpertRoom::All
          ? rowsAtMost(region->rows.size(), choices)
          : partOfRows(region->rows, *grid.sizeOf(parts), choices);
  return setRows(*region, dispatch.getOwnAttr(), rows);
}

/// Returns the number of experts of a chip, by the products of its rows.
static int64_t countOwnExperts(MoeDispatchOp dispatch) {
  int64_t experts = 1;
  for (Operation *user : dispatch.getExperts().getUsers())
    if (auto product = dyn_cast<GroupedMatmulOp>(user))
      experts = product.getRhs().getType().getDimSize(0);
  return experts;
}

static StringAttr nameBehind(StringAttr name) {
  return name ? StringAttr::get(name.getContext(),
                                name.getValue() + ".all_to_all")
              : name;
}

LogicalResult ExpertExchanger::exchange(GatheredExperts found) const {
  MoeDispatchOp dispatch = found.dispatch;
  MoeCombineOp combine = found.combine;
  ArrayAttr axes = withoutParts(found.gather.getAxes());
  Value choice = dispatch.getExperts();
  Value shares =
      dispatch.getShares() ? dispatch.getShares() : combine.getShares();
  auto choices = growAlong(
      cast<RankedTensorType>(choice.getType()).clone(
          {found.gather.getX().getType().getDimSize(0),
           cast<RankedTensorType>(choice.getType()).getDimSize(1)}),
      0, grid.countChips(axes));
  if (failed(takePartOfRows(dispatch, choices)))
    return failure();
  int64_t tokens = room == ExpertRoom::All
                       ? choices.getDimSize(0)
                       : countTokens(*dispatch.getOwnRows(), choices,
                                     countOwnExperts(dispatch));

  OpBuilder builder(dispatch);
  Value ownChoice = takeOwnRows(builder, choice, found.gather);
  auto sent = ExpertDispatchOp::create(
      builder, dispatch.getLoc(), nameBehind(dispatch.getNameAttr()),
      found.gather.getX(), ownChoice,
      takeOwnRows(builder, shares, found.gather), axes, dispatch.getOwnAttr(),
      tokens);
  dispatch.getXMutable().assign(sent.getOut());
  choice.replaceUsesWithIf(sent.getOutExperts(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user == dispatch || user == combine || isa<GroupedMatmulOp>(user);
  });
  if (dispatch.getShares())
    dispatch.getSharesMutable().assign(sent.getOutShares());
  if (combine.getShares())
    combine.getSharesMutable().assign(sent.getOutShares());
  auto made = combine.getOut().getType();
  combine.getOut().setType(RankedTensorType::get({tokens, made.getDimSize(1)},
                                                 made.getElementType()));

  builder.setInsertionPoint(found.scatter);
  auto back = ExpertCombineOp::create(
      builder, found.scatter.getLoc(), nameBehind(combine.getNameAttr()),
      combine.getOut(), ownChoice, axes, dispatch.getOwnAttr());
  for (Value sum : found.sums) {
    sum.replaceAllUsesWith(back.getOut());
    if (sum.getDefiningOp() != found.scatter)
      sum.getDefiningOp()->erase();
  }
  found.scatter.erase();
  return success();
}

LogicalResult ExpertExchanger::run(MoeDispatchOp dispatch) {
  std::optional<GatheredExperts> found = findAround(dispatch);
  return found ? exchange(*found) : success();
}

LogicalResult mlir::llm::exchangeRowsOfExperts(FunctionOpInterface function,
                                               GridAttr grid, ExpertRoom room) {
  ExpertExchanger exchanger(grid, room);
  WalkResult walk = function.walk([&](MoeDispatchOp dispatch) {
    return WalkResult(exchanger.run(dispatch));
  });
  // What is gathered for nobody any more.
  SmallVector<AllGatherOp> gathers;
  function.walk([&](AllGatherOp gather) { gathers.push_back(gather); });
  for (AllGatherOp gather : gathers)
    if (gather.getOut().use_empty())
      gather.erase();
  return failure(walk.wasInterrupted());
}
