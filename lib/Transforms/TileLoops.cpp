//===- TileLoops.cpp - An op as loops over its parts and tiles ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's `scf::tileUsingSCF` tiles one level at a time, and each time the
// op that the level before left. A workload has static sizes, so an op of a
// ragged part, whose size is a value, could not be tiled again. Both levels are
// made at once here, and every slice is one of the whole op's operands.
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Tensors that the tiles of `box` are put into. They are the results on this
/// box, or partial sums of them.
struct Destination {
  SmallVector<Value> tensors;
  IterationBox box;
  bool isSum = false;
};

class TileLoopBuilder {
public:
  TileLoopBuilder(RewriterBase &builder, TilingInterface op,
                  const TileLoopPlan &plan)
      : builder(builder), loc(op->getLoc()), op(op), plan(plan) {}

  FailureOr<TileLoops> build();

private:
  using Tensors = FailureOr<SmallVector<Value>>;

  LogicalResult makeDestinations(SmallVector<Value> &tensors);
  FailureOr<scf::ForallOp> buildParts(const Destination &whole);
  /// Makes the tiles of `box` in the loops from `depth` on, and puts them into
  /// `into`.
  Tensors buildTiles(unsigned depth, const IterationBox &box,
                     const Destination &into);
  Tensors buildLoop(unsigned depth, const IterationBox &box,
                    const Destination &into);
  Tensors buildSums(unsigned depth, const IterationBox &box,
                    const Destination &into);
  Tensors buildTile(const IterationBox &box, const Destination &into);
  FailureOr<TilingResult> computeTile(const IterationBox &box,
                                      const Destination &into);
  /// Makes the op on a tile start from what is in `into`.
  LogicalResult startFrom(const IterationBox &box, const Destination &into,
                          Operation *tile);

  FailureOr<IterationBox> sliceOf(unsigned result, const IterationBox &box);
  /// Returns where the result on `box` is in the result on `whole`; nothing if
  /// it is all of it.
  FailureOr<std::optional<IterationBox>>
  placeIn(unsigned result, const IterationBox &box, const IterationBox &whole);
  Tensors insert(ValueRange tiles, const IterationBox &box,
                 const Destination &into);
  Value extract(Value tensor, const IterationBox &place);

  bool isReduction(unsigned loop) {
    return op.getLoopIteratorTypes()[loop] == utils::IteratorType::reduction;
  }
  bool accumulatesInPlace() { return isa<DestinationStyleOpInterface>(*op); }
  SmallVector<OpFoldResult> stridesOf(const IterationBox &place) {
    return SmallVector<OpFoldResult>(place.sizes.size(),
                                     builder.getIndexAttr(1));
  }
  void note(Operation *loop) { outermost = outermost ? outermost : loop; }

  RewriterBase &builder;
  Location loc;
  TilingInterface op;
  const TileLoopPlan &plan;
  Operation *outermost = nullptr;
};
} // namespace

static OpFoldResult combine(OpBuilder &builder, Location loc, OpFoldResult a,
                            OpFoldResult b, int64_t sign) {
  AffineExpr sum = getAffineDimExpr(0, builder.getContext()) +
                   sign * getAffineDimExpr(1, builder.getContext());
  return affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(2, 0, sum), {a, b});
}

/// Returns the iterations from `first` on: `size` of them, or those that are
/// left of `extent`.
static OpFoldResult clip(OpBuilder &builder, Location loc, int64_t size,
                         Value first, OpFoldResult extent) {
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && *known % size == 0)
    return builder.getIndexAttr(size);
  MLIRContext *context = builder.getContext();
  AffineExpr left = getAffineDimExpr(1, context) - getAffineDimExpr(0, context);
  AffineMap map = AffineMap::get(
      2, 0, {getAffineConstantExpr(size, context), left}, context);
  return affine::makeComposedFoldedAffineMin(builder, loc, map,
                                             {OpFoldResult(first), extent});
}

//===----------------------------------------------------------------------===//
// Places of results
//===----------------------------------------------------------------------===//

FailureOr<IterationBox> TileLoopBuilder::sliceOf(unsigned result,
                                                 const IterationBox &box) {
  IterationBox slice;
  if (failed(op.getResultTilePosition(builder, result, box.offsets, box.sizes,
                                      slice.offsets, slice.sizes)))
    return failure();
  return slice;
}

FailureOr<std::optional<IterationBox>>
TileLoopBuilder::placeIn(unsigned result, const IterationBox &box,
                         const IterationBox &whole) {
  FailureOr<IterationBox> place = sliceOf(result, box),
                          around = sliceOf(result, whole);
  if (failed(place) || failed(around))
    return failure();
  bool isAll = isEqualConstantIntOrValueArray(place->sizes, around->sizes);
  for (auto [offset, first] :
       llvm::zip_equal(place->offsets, around->offsets)) {
    offset = combine(builder, loc, offset, first, -1);
    isAll &= isConstantIntValue(offset, 0);
  }
  if (isAll)
    return std::optional<IterationBox>();
  return std::optional(*place);
}

Value TileLoopBuilder::extract(Value tensor, const IterationBox &place) {
  return tensor::ExtractSliceOp::create(builder, loc, tensor, place.offsets,
                                        place.sizes, stridesOf(place));
}

FailureOr<SmallVector<Value>> TileLoopBuilder::insert(ValueRange tiles,
                                                      const IterationBox &box,
                                                      const Destination &into) {
  SmallVector<Value> results;
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    auto place = placeIn(number, box, into.box);
    if (failed(place))
      return failure();
    Value result = tile;
    if (*place)
      result = tensor::InsertSliceOp::create(
          builder, loc, tile, into.tensors[number], (*place)->offsets,
          (*place)->sizes, stridesOf(**place));
    results.push_back(result);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult TileLoopBuilder::startFrom(const IterationBox &box,
                                         const Destination &into,
                                         Operation *tile) {
  auto style = cast<DestinationStyleOpInterface>(tile);
  for (auto [number, init] : llvm::enumerate(style.getDpsInitsMutable())) {
    auto place = placeIn(number, box, into.box);
    if (failed(place))
      return failure();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(tile);
    Value own = into.tensors[number];
    Operation *before = init.get().getDefiningOp();
    init.set(*place ? extract(own, **place) : own);
    if (before && isOpTriviallyDead(before))
      builder.eraseOp(before);
  }
  return success();
}

FailureOr<TilingResult> TileLoopBuilder::computeTile(const IterationBox &box,
                                                     const Destination &into) {
  if (into.isSum) {
    auto summable = cast<SummableOpInterface>(*op);
    return sliceOp(builder, cast<SliceableOpInterface>(*op), box,
                   [&](Operation *slice) { summable.makeSummand(slice); });
  }
  FailureOr<TilingResult> tile =
      op.getTiledImplementation(builder, box.offsets, box.sizes);
  if (succeeded(tile) && accumulatesInPlace() &&
      failed(startFrom(box, into, tile->tiledOps.back())))
    return failure();
  return tile;
}

FailureOr<SmallVector<Value>>
TileLoopBuilder::buildTile(const IterationBox &box, const Destination &into) {
  FailureOr<TilingResult> tile = computeTile(box, into);
  if (failed(tile))
    return failure();
  // Attributes of the whole op do not hold for a slice.
  for (Operation *tiled : tile->tiledOps)
    for (StringRef attribute :
         {LlmDialect::tileAttrName, LlmDialect::costAttrName,
          LlmDialect::slotsAttrName})
      tiled->removeDiscardableAttr(attribute);
  if (!into.isSum)
    return insert(tile->tiledValues, box, into);
  auto place = placeIn(0, box, into.box);
  if (failed(place))
    return failure();
  Value sums = into.tensors.front();
  if (*place)
    sums = extract(sums, **place);
  Value added = cast<SummableOpInterface>(*op).addToSums(
      builder, sums, tile->tiledValues.front());
  return insert(added, box, into);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
TileLoopBuilder::buildTiles(unsigned depth, const IterationBox &box,
                            const Destination &into) {
  if (depth == plan.order.size())
    return buildTile(box, into);
  bool startsSums =
      isReduction(plan.order[depth]) && !into.isSum && !accumulatesInPlace();
  return startsSums ? buildSums(depth, box, into) : buildLoop(depth, box, into);
}

FailureOr<SmallVector<Value>>
TileLoopBuilder::buildSums(unsigned depth, const IterationBox &box,
                           const Destination &into) {
  FailureOr<Workload> workload = findWorkload(op);
  if (failed(workload))
    return failure();
  auto summable = cast<SummableOpInterface>(*op);
  Destination sums{
      {summable.startSums(builder, *workload, box)}, box, /*isSum=*/true};
  Tensors added = buildLoop(depth, box, sums);
  if (failed(added))
    return failure();
  return insert(summable.finishSums(builder, added->front()), box, into);
}

FailureOr<SmallVector<Value>>
TileLoopBuilder::buildLoop(unsigned depth, const IterationBox &box,
                           const Destination &into) {
  unsigned loop = plan.order[depth];
  auto index = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, loc, number);
  };
  Tensors done;
  auto buildBody = [&](OpBuilder &, Location, ValueRange first,
                       ValueRange carried) -> scf::ValueVector {
    note(first.front().getParentBlock()->getParentOp());
    IterationBox inner = box;
    inner.offsets[loop] =
        combine(builder, loc, box.offsets[loop], first.front(), 1);
    inner.sizes[loop] = clip(builder, loc, plan.tileSizes[loop], first.front(),
                             box.sizes[loop]);
    Destination carrying = into;
    carrying.tensors = llvm::to_vector(carried);
    done = buildTiles(depth + 1, inner, carrying);
    return scf::ValueVector(succeeded(done) ? ValueRange(*done) : carried);
  };
  Value begin = index(builder.getIndexAttr(0)), end = index(box.sizes[loop]),
        step = index(builder.getIndexAttr(plan.tileSizes[loop]));
  scf::LoopNest tiles = scf::buildLoopNest(builder, loc, begin, end, step,
                                           into.tensors, buildBody);
  if (failed(done))
    return failure();
  return SmallVector<Value>(tiles.results);
}

FailureOr<scf::ForallOp> TileLoopBuilder::buildParts(const Destination &whole) {
  SmallVector<unsigned> cut;
  SmallVector<OpFoldResult> begins, ends, steps;
  for (auto [loop, extent] : llvm::enumerate(plan.extents)) {
    if (plan.partSizes[loop] == extent)
      continue;
    cut.push_back(loop);
    begins.push_back(builder.getIndexAttr(0));
    ends.push_back(builder.getIndexAttr(extent));
    steps.push_back(builder.getIndexAttr(plan.partSizes[loop]));
  }
  auto parts = scf::ForallOp::create(builder, loc, begins, ends, steps,
                                     whole.tensors, /*mapping=*/std::nullopt);
  note(parts);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(parts.getTerminator());
  Destination part = whole;
  for (auto [loop, first] : llvm::zip_equal(cut, parts.getInductionVars())) {
    part.box.offsets[loop] = first;
    part.box.sizes[loop] =
        clip(builder, loc, plan.partSizes[loop], first, whole.box.sizes[loop]);
  }
  SmallVector<IterationBox> places;
  part.tensors.clear();
  for (auto [number, shared] : llvm::enumerate(parts.getRegionIterArgs())) {
    FailureOr<IterationBox> place = sliceOf(number, part.box);
    if (failed(place))
      return failure();
    places.push_back(*place);
    part.tensors.push_back(extract(shared, *place));
  }
  Tensors done = buildTiles(0, part.box, part);
  if (failed(done))
    return failure();
  for (Value start : part.tensors)
    if (isOpTriviallyDead(start.getDefiningOp()))
      builder.eraseOp(start.getDefiningOp());
  builder.setInsertionPointToEnd(parts.getTerminator().getBody());
  for (auto [result, shared, place] :
       llvm::zip_equal(*done, parts.getRegionIterArgs(), places))
    tensor::ParallelInsertSliceOp::create(builder, loc, result, shared,
                                          place.offsets, place.sizes,
                                          stridesOf(place));
  return parts;
}

LogicalResult TileLoopBuilder::makeDestinations(SmallVector<Value> &tensors) {
  if (accumulatesInPlace())
    return tensor::getOrCreateDestinations(builder, loc, op, tensors);
  for (OpResult result : op->getResults())
    tensors.push_back(makeDestination(builder, result));
  return success();
}

FailureOr<TileLoops> TileLoopBuilder::build() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  Destination whole;
  for (int64_t extent : plan.extents) {
    whole.box.offsets.push_back(builder.getIndexAttr(0));
    whole.box.sizes.push_back(builder.getIndexAttr(extent));
  }
  if (failed(makeDestinations(whole.tensors)))
    return failure();
  TileLoops made;
  if (plan.hasParts()) {
    FailureOr<scf::ForallOp> parts = buildParts(whole);
    if (failed(parts))
      return failure();
    made.results = llvm::to_vector_of<Value>(parts->getResults());
  } else {
    Tensors tiles = buildTiles(0, whole.box, whole);
    if (failed(tiles))
      return failure();
    made.results = *tiles;
  }
  for (Value start : whole.tensors)
    if (Operation *empty = start.getDefiningOp<tensor::EmptyOp>();
        empty && isOpTriviallyDead(empty))
      builder.eraseOp(empty);
  for (auto [tensor, result] : llvm::zip_equal(made.results, op->getResults()))
    tensor = makeResult(builder, result, tensor);
  made.outermost = outermost;
  return made;
}

FailureOr<TileLoops> mlir::llm::buildTileLoops(RewriterBase &rewriter,
                                               TilingInterface op,
                                               const TileLoopPlan &plan) {
  return TileLoopBuilder(rewriter, op, plan).build();
}
