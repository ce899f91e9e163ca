//===- Views.cpp - Cuts of what a view shows ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Keys.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;

/// Whether groups count dimensions one by one. Upstream's verifier looks at the
/// low 32 bits of each number only.
static bool areInOrder(ArrayRef<ReassociationIndices> groups) {
  int64_t next = 0;
  return llvm::all_of(groups, [&](const ReassociationIndices &group) {
    return llvm::all_of(group, [&](int64_t dim) { return dim == next++; });
  });
}

bool mlir::llm::isViewOfPieces(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return areInOrder(expand.getReassociationIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return areInOrder(collapse.getReassociationIndices());
  return isa<tensor::ExtractSliceOp, tensor::ConcatOp, tensor::CastOp,
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

/// How the result of a slice is cut along a dimension of the source that is cut
/// as one. It has all of the dimension, or each n-th element from one of the
/// first n on, and a piece has whole runs of n.
static std::optional<Axes> axesOfRuns(tensor::ExtractSliceOp slice, int64_t dim,
                                      const Axes &axes, GridAttr grid) {
  int64_t stride = slice.getStaticStride(dim), size = slice.getStaticSize(dim),
          whole = slice.getSourceType().getDimSize(dim),
          offset = slice.getStaticOffset(dim);
  bool hasRuns =
      stride > 0 && offset >= 0 && offset < stride && whole == size * stride;
  return hasRuns && divides(axes, size, grid) ? std::optional(axes)
                                              : std::nullopt;
}

/// Does the same for a dimension that is cut in segments. It shows some of them
/// whole.
static std::optional<Axes> axesOfSegments(tensor::ExtractSliceOp slice,
                                          int64_t dim, const Axes &axes) {
  int64_t begin = slice.getStaticOffset(dim),
          end = begin + slice.getStaticSize(dim), at = 0;
  if (slice.getStaticStride(dim) != 1 || begin < 0)
    return std::nullopt;
  Axes shown{axes.names};
  int64_t size = 0;
  for (int64_t segment : axes.segments) {
    if (at >= begin && at + segment <= end) {
      shown.segments.push_back(segment);
      size += segment;
    }
    at += segment;
  }
  if (size != end - begin)
    return std::nullopt;
  if (shown.segments.size() == 1)
    shown.segments.clear();
  return shown;
}

static std::optional<Axes> axesOfSlice(tensor::ExtractSliceOp slice,
                                       int64_t dim, const Axes &axes,
                                       GridAttr grid) {
  if (axes.empty())
    return axes;
  return axes.segments.empty() ? axesOfRuns(slice, dim, axes, grid)
                               : axesOfSegments(slice, dim, axes);
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
  SmallVector<Axes> shown;
  for (auto [dim, axes] : llvm::enumerate(source.dims)) {
    std::optional<Axes> own = axesOfSlice(slice, dim, axes, grid);
    if (!own)
      return std::nullopt;
    shown.push_back(*own);
  }
  Cut result;
  for (int64_t dim : keptDims(slice))
    result.dims.push_back(shown[dim]);
  return result;
}

static std::optional<Cut> cutOfSliced(tensor::ExtractSliceOp slice,
                                      const Cut &result, GridAttr grid) {
  Cut source = Cut::whole(slice.getSourceType().getRank());
  for (auto [dim, axes] : llvm::zip_equal(keptDims(slice), result.dims)) {
    if (axes.empty() || axesOfRuns(slice, dim, axes, grid)) {
      source.dims[dim] = axes;
      continue;
    }
    // All slices of a weight take their pieces of one piece of it.
    Axes whole{axes.names, segmentsBehind(slice.getSource(), dim)};
    std::optional<Axes> shown = axesOfSegments(slice, dim, whole);
    if (!shown || *shown != axes ||
        !divides(whole, slice.getSourceType().getDimSize(dim), grid))
      return std::nullopt;
    source.dims[dim] = whole;
  }
  return source;
}

//===----------------------------------------------------------------------===//
// Rows of caches
//===----------------------------------------------------------------------===//

/// How one of two is cut whose positions chips have in turns: the rows that a
/// read shows, or its cache.
static std::optional<Cut> cutPositions(KvReadOp read, Cut cut, int64_t from,
                                       int64_t to, GridAttr grid) {
  Axes &axes = cut.dims[positionsDim];
  if (axes.empty())
    return cut;
  int64_t chips = countChips(axes, grid);
  auto isWhole = [&](int64_t position) { return position % chips == 0; };
  if (axes != inTurns(axes.names, from, grid) || to % chips != 0 ||
      !read.getDynamicBegin().empty() || !read.getDynamicEnd().empty() ||
      !llvm::all_of(read.getBegin(), isWhole) ||
      !llvm::all_of(read.getEnd(), isWhole))
    return std::nullopt;
  axes = inTurns(axes.names, to, grid);
  return cut;
}

static std::optional<Cut> cutOfRows(KvReadOp read, const Cut &cache,
                                    GridAttr grid) {
  return cutPositions(read, cache, read.getCache().getType().getCapacity(),
                      read.getKeys().getType().getDimSize(positionsDim), grid);
}

static std::optional<Cut> cutBehindRows(KvReadOp read, const Cut &rows,
                                        GridAttr grid) {
  return cutPositions(read, rows,
                      read.getKeys().getType().getDimSize(positionsDim),
                      read.getCache().getType().getCapacity(), grid);
}

static void shrinkRows(KvReadOp read, const Cut &rows, GridAttr grid) {
  int64_t chips = countChips(rows.dims[positionsDim], grid);
  auto divided = [&](ArrayRef<int64_t> positions) {
    return llvm::map_to_vector(
        positions, [&](int64_t position) { return position / chips; });
  };
  read.setBegin(divided(read.getBegin()));
  read.setEnd(divided(read.getEnd()));
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
  else if (auto op = dyn_cast<KvReadOp>(view))
    result = cutOfRows(op, operand, grid);
  else if (isa<tensor::CastOp>(view))
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
  if (auto op = dyn_cast<KvReadOp>(view))
    return cutBehindRows(op, result, grid);
  return result;
}

/// Of runs, all pieces begin with the same element. Of segments, those in front
/// are as much smaller as the result.
static void shrinkSlice(tensor::ExtractSliceOp slice, const Cut &result,
                        GridAttr grid) {
  SmallVector<int64_t> sizes(slice.getStaticSizes()),
      offsets(slice.getStaticOffsets());
  for (auto [dim, axes] : llvm::zip_equal(keptDims(slice), result.dims)) {
    sizes[dim] /= countChips(axes, grid);
    if (slice.getStaticStride(dim) == 1 && !axes.empty())
      offsets[dim] /= countChips(axes, grid);
  }
  slice.setStaticSizes(sizes);
  slice.setStaticOffsets(offsets);
}

void mlir::llm::shrinkView(Operation *view, const Cut &result, GridAttr grid) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view))
    shrinkSlice(slice, result, grid);
  if (auto read = dyn_cast<KvReadOp>(view))
    shrinkRows(read, result, grid);
  for (OpResult shown : view->getResults())
    shown.setType(pieceOf(shown.getType(), result, grid));
  if (auto op = dyn_cast<tensor::ExpandShapeOp>(view))
    op.setStaticOutputShape(op.getResultType().getShape());
}
