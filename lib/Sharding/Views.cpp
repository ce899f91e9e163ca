//===- Views.cpp - Cuts of what a view shows ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Cut.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

bool mlir::llm::isViewOfPieces(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::ConcatOp, tensor::CastOp,
             KvReadOp>(op);
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Splits the axes of each dimension among those that it becomes.
static std::optional<Cut> expand(const Cut &cut,
                                 ArrayRef<ReassociationIndices> groups,
                                 RankedTensorType expanded, GridAttr grid) {
  Cut result = Cut::whole(expanded.getRank());
  for (auto [axes, group] : llvm::zip_equal(cut.dims, groups)) {
    SmallVector<int64_t> sizes;
    for (int64_t dim : group)
      sizes.push_back(expanded.getDimSize(dim));
    auto own = distribute(axes, sizes, grid);
    if (!own)
      return std::nullopt;
    for (auto [dim, ofDim] : llvm::zip_equal(group, *own))
      result.dims[dim] = ofDim;
  }
  return result;
}

/// Joins the axes of the dimensions that become one.
static std::optional<Cut> collapse(const Cut &cut,
                                   ArrayRef<ReassociationIndices> groups,
                                   RankedTensorType expanded, GridAttr grid) {
  Cut result = Cut::whole(groups.size());
  for (auto [axes, group] : llvm::zip_equal(result.dims, groups)) {
    SmallVector<int64_t> sizes;
    SmallVector<Axes> own;
    for (int64_t dim : group) {
      sizes.push_back(expanded.getDimSize(dim));
      own.push_back(cut.dims[dim]);
    }
    auto gathered = gather(own, sizes, grid);
    if (!gathered)
      return std::nullopt;
    axes = *gathered;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Whether a slice of equal pieces of a dimension shows equal pieces of its own
/// result: it has all of the dimension, or each n-th element from one of the
/// first n on, and a piece has whole runs of n.
static bool cutsAlong(tensor::ExtractSliceOp slice, int64_t dim,
                      int64_t chips) {
  int64_t stride = slice.getStaticStride(dim), size = slice.getStaticSize(dim),
          whole = slice.getSourceType().getDimSize(dim),
          offset = slice.getStaticOffset(dim);
  return stride > 0 && offset >= 0 && offset < stride &&
         whole == size * stride && size % chips == 0;
}

/// The dimension of the source that each dimension of a slice is.
static SmallVector<int64_t> keptDims(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < slice.getSourceType().getRank(); ++dim)
    if (!dropped[dim])
      kept.push_back(dim);
  return kept;
}

static std::optional<Cut> cutOfSlice(tensor::ExtractSliceOp slice,
                                     const Cut &source, GridAttr grid) {
  for (auto [dim, axes] : llvm::enumerate(source.dims))
    if (!axes.empty() && !cutsAlong(slice, dim, countChips(axes, grid)))
      return std::nullopt;
  Cut result;
  for (int64_t dim : keptDims(slice))
    result.dims.push_back(source.dims[dim]);
  return result;
}

static std::optional<Cut> cutOfSliced(tensor::ExtractSliceOp slice,
                                      const Cut &result, GridAttr grid) {
  Cut source = Cut::whole(slice.getSourceType().getRank());
  for (auto [dim, axes] : llvm::zip_equal(keptDims(slice), result.dims)) {
    if (!axes.empty() && !cutsAlong(slice, dim, countChips(axes, grid)))
      return std::nullopt;
    source.dims[dim] = axes;
  }
  return source;
}

//===----------------------------------------------------------------------===//
// All views
//===----------------------------------------------------------------------===//

std::optional<Cut>
mlir::llm::cutThroughView(Operation *view, const Cut &operand, GridAttr grid) {
  std::optional<Cut> result;
  if (auto op = dyn_cast<tensor::ExpandShapeOp>(view))
    result =
        expand(operand, op.getReassociationIndices(), op.getResultType(), grid);
  else if (auto op = dyn_cast<tensor::CollapseShapeOp>(view))
    result =
        collapse(operand, op.getReassociationIndices(), op.getSrcType(), grid);
  else if (auto op = dyn_cast<tensor::ExtractSliceOp>(view))
    result = cutOfSlice(op, operand, grid);
  else if (auto op = dyn_cast<tensor::ConcatOp>(view))
    result = operand.dims[op.getDim()].empty() ? std::optional(operand)
                                               : std::nullopt;
  else if (isa<tensor::CastOp, KvReadOp>(view))
    result = operand;
  if (result)
    result->partial = operand.partial;
  return result;
}

std::optional<Cut> mlir::llm::cutBehindView(Operation *view, const Cut &result,
                                            GridAttr grid) {
  if (auto op = dyn_cast<tensor::ExpandShapeOp>(view))
    return collapse(result, op.getReassociationIndices(), op.getResultType(),
                    grid);
  if (auto op = dyn_cast<tensor::CollapseShapeOp>(view))
    return expand(result, op.getReassociationIndices(), op.getSrcType(), grid);
  if (auto op = dyn_cast<tensor::ExtractSliceOp>(view))
    return cutOfSliced(op, result, grid);
  if (auto op = dyn_cast<tensor::ConcatOp>(view))
    return result.dims[op.getDim()].empty() ? std::optional(result)
                                            : std::nullopt;
  return result;
}

static void shrinkSlice(tensor::ExtractSliceOp slice, const Cut &result,
                        GridAttr grid) {
  SmallVector<int64_t> sizes(slice.getStaticSizes());
  for (auto [dim, axes] : llvm::zip_equal(keptDims(slice), result.dims))
    sizes[dim] /= countChips(axes, grid);
  slice.setStaticSizes(sizes);
}

void mlir::llm::shrinkView(Operation *view, const Cut &result, GridAttr grid) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    shrinkSlice(slice, result, grid);
  for (OpResult shown : view->getResults())
    shown.setType(pieceOf(shown.getType(), result, grid));
  if (auto op = dyn_cast<tensor::ExpandShapeOp>(view))
    op.setStaticOutputShape(op.getResultType().getShape());
}
