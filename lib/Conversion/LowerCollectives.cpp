//===- LowerCollectives.cpp - What chips exchange -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chips exchange bytes, and each adds up what it got, in the order of the
// ranks. So a sum has the same bits on all chips, and on every machine.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

Value mlir::llm::joinInOrder(LinalgLowering &lowering, Value all, Join join) {
  Array terms = lowering.asArray(all);
  auto rank = static_cast<unsigned>(terms.getRank());
  MLIRContext *context = all.getContext();
  auto loops = llvm::to_vector(llvm::seq<unsigned>(rank));
  SmallVector<OpFoldResult> sizes = lowering.getSizes(all);
  bool isSum = join == Join::Sum;
  double start = isSum ? 0 : -std::numeric_limits<double>::infinity();
  Value joined =
      lowering.reduce(lowering.filled(ArrayRef(sizes).drop_front(), start),
                      mapOf(context, rank, ArrayRef(loops).drop_front()),
                      {{terms, mapOf(context, rank, loops)}},
                      [&](OpBuilder &b, Location loc, ValueRange numbers) {
                        Arithmetic a{b, loc, lowering.getComputeType()};
                        return isSum ? a.add(numbers[1], numbers[0])
                                     : a.maximum(numbers[1], numbers[0]);
                      });
  return lowering.round(joined, terms.type.getElementType());
}

namespace {

/// Returns the tensor with dimension `from` at `to`, and the others in their
/// order.
Value moveDim(LinalgLowering &lowering, Value x, int64_t from, int64_t to) {
  if (from == to)
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  auto order = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  SmallVector<OpFoldResult> before = lowering.getSizes(x), sizes;
  for (int64_t dim : order)
    sizes.push_back(before[dim]);
  return linalg::TransposeOp::create(
             lowering.getBuilder(), lowering.getLoc(), x,
             lowering.empty(sizes, type.getElementType()), order)
      .getResult()[0];
}

/// Cuts a dimension into a piece for each chip: [chips, ..].
Value cutIntoPieces(LinalgLowering &lowering, Value x, int64_t dim,
                    int64_t numChips) {
  Array array = lowering.asArray(x);
  int64_t piece = array.type.getDimSize(dim) / numChips;
  Array cut =
      lowering.split(array, dim, lowering.getBuilder().getIndexAttr(piece));
  return moveDim(lowering, cut.getValues(), dim, 0);
}

/// Puts the pieces of all chips, [chips, ..], behind each other along a
/// dimension of a piece.
Value joinPieces(LinalgLowering &lowering, Value pieces, int64_t dim) {
  Value apart = moveDim(lowering, pieces, 0, dim);
  SmallVector<ReassociationIndices> groups;
  int64_t rank = cast<RankedTensorType>(pieces.getType()).getRank();
  for (int64_t d = 0; d < rank; ++d) {
    if (d == dim + 1)
      groups.back().push_back(d);
    else
      groups.push_back({d});
  }
  return tensor::CollapseShapeOp::create(lowering.getBuilder(),
                                         lowering.getLoc(), apart, groups);
}

Value reduceScatter(LinalgLowering &lowering, ChipGroup &group, Value x,
                    int64_t dim, Join join) {
  Value pieces = cutIntoPieces(lowering, x, dim, group.countChips());
  return joinInOrder(lowering, group.swap(pieces), join);
}

Value allGather(LinalgLowering &lowering, ChipGroup &group, Value x,
                int64_t dim) {
  return joinPieces(lowering, group.gather(x), dim);
}

/// Each chip joins one piece, if a dimension has one for each, and all get
/// these. Else each joins everything.
LogicalResult lowerAllReduce(AllReduceOp op, LinalgLowering &lowering) {
  ChipGroup group(lowering, op, op.getAxes());
  Value x = lowering.get(op.getX());
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (ShapedType::isDynamic(shape[dim]) || shape[dim] % group.countChips())
      continue;
    Value piece = reduceScatter(lowering, group, x, dim, op.getJoin());
    lowering.setResult(0, allGather(lowering, group, piece, dim));
    return success();
  }
  lowering.setResult(0, joinInOrder(lowering, group.gather(x), op.getJoin()));
  return success();
}

LogicalResult lowerReduceScatter(ReduceScatterOp op, LinalgLowering &lowering) {
  ChipGroup group(lowering, op, op.getAxes());
  lowering.setResult(0, reduceScatter(lowering, group, lowering.get(op.getX()),
                                      op.getDim(), op.getJoin()));
  return success();
}

/// all_gather-R1.
LogicalResult lowerAllGather(AllGatherOp op, LinalgLowering &lowering) {
  ChipGroup group(lowering, op, op.getAxes());
  Array x = lowering.getArray(op.getX());
  SmallVector<Value> gathered;
  for (auto [n, part] : llvm::enumerate(x.tensors)) {
    std::optional<int64_t> dim = x.findDimOfBlocks(n, op.getDim());
    gathered.push_back(dim ? allGather(lowering, group, part, *dim) : part);
  }
  lowering.setResult(0, gathered);
  return success();
}

/// all_to_all-R1.
LogicalResult lowerAllToAll(AllToAllOp op, LinalgLowering &lowering) {
  ChipGroup group(lowering, op, op.getAxes());
  Value pieces = cutIntoPieces(lowering, lowering.get(op.getX()), op.getFrom(),
                               group.countChips());
  lowering.setResult(0, joinPieces(lowering, group.swap(pieces), op.getTo()));
  return success();
}

LogicalResult lowerTakePiece(TakePieceOp op, LinalgLowering &lowering) {
  ChipGroup group(lowering, op, op.getAxes());
  OpBuilder &builder = lowering.getBuilder();
  Value rank = group.getRank();
  Array x = lowering.getArray(op.getX());
  SmallVector<Value> taken;
  for (auto [n, part] : llvm::enumerate(x.tensors)) {
    std::optional<int64_t> dim = x.findDimOfBlocks(n, op.getDim());
    if (!dim) {
      taken.push_back(part);
      continue;
    }
    Array stored = lowering.asArray(part);
    int64_t size = stored.type.getDimSize(*dim) / group.countChips();
    Value offset = arith::MulIOp::create(builder, lowering.getLoc(), rank,
                                         lowering.index(builder, size));
    taken.push_back(
        lowering.slice(stored, *dim, offset, builder.getIndexAttr(size))
            .getValues());
  }
  lowering.setResult(0, taken);
  return success();
}

} // namespace

void llm::attachCollectiveLowerings(MLIRContext *context) {
  attachLowering<AllReduceOp, lowerAllReduce>(context);
  attachLowering<ReduceScatterOp, lowerReduceScatter>(context);
  attachLowering<AllGatherOp, lowerAllGather>(context);
  attachLowering<AllToAllOp, lowerAllToAll>(context);
  attachLowering<TakePieceOp, lowerTakePiece>(context);
}
