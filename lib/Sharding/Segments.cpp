//===- Segments.cpp - What lies side by side along a dimension ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenSizes.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Sharding/Cut.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <set>

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Collects where slices begin and end, in indices of the dimension that the
/// walk began with.
class SegmentFinder {
public:
  std::set<int64_t> borders;

  /// Index i of the dimension is `begin + i * scale` of the one that the walk
  /// began with.
  struct Place {
    Value value;
    unsigned dim;
    int64_t begin = 0, scale = 1;
  };
  void walk(Place place);

private:
  void walkUser(Operation *user, const Place &place);
  void walkSlice(tensor::ExtractSliceOp slice, const Place &place);
  void walkExpanded(tensor::ExpandShapeOp op, const Place &place);
  void walkCollapsed(tensor::CollapseShapeOp op, const Place &place);
  void walkWork(Operation *op, const Place &place);

  llvm::DenseSet<std::pair<Value, unsigned>> seen;
};
} // namespace

void SegmentFinder::walk(Place place) {
  if (!seen.insert({place.value, place.dim}).second)
    return;
  for (Operation *user : place.value.getUsers())
    walkUser(user, place);
}

void SegmentFinder::walkUser(Operation *user, const Place &place) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user) &&
      !isViewOfPieces(user))
    return;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    walkSlice(slice, place);
  else if (auto op = dyn_cast<tensor::ExpandShapeOp>(user))
    walkExpanded(op, place);
  else if (auto op = dyn_cast<tensor::CollapseShapeOp>(user))
    walkCollapsed(op, place);
  else if (isa<tensor::CastOp>(user))
    walk({user->getResult(0), place.dim, place.begin, place.scale});
  else
    walkWork(user, place);
}

void SegmentFinder::walkSlice(tensor::ExtractSliceOp slice,
                              const Place &place) {
  int64_t begin = slice.getStaticOffset(place.dim),
          size = slice.getStaticSize(place.dim);
  if (slice.getStaticStride(place.dim) != 1 || begin < 0 || size < 0)
    return;
  Place shown = place;
  shown.value = slice.getResult();
  shown.begin += begin * place.scale;
  if (size < slice.getSourceType().getDimSize(place.dim))
    borders.insert({shown.begin, shown.begin + size * place.scale});
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (dropped[place.dim])
    return;
  for (unsigned dim = 0; dim < place.dim; ++dim)
    shown.dim -= dropped[dim];
  walk(shown);
}

void SegmentFinder::walkExpanded(tensor::ExpandShapeOp op, const Place &place) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  ReassociationIndices group = op.getReassociationIndices()[place.dim];
  size_t at = 0;
  while (at + 1 < group.size() && shape[group[at]] == 1)
    ++at;
  int64_t inside = 1;
  for (int64_t dim : ArrayRef(group).drop_front(at + 1))
    inside *= shape[dim];
  walk(
      {op.getResult(), unsigned(group[at]), place.begin, place.scale * inside});
}

void SegmentFinder::walkCollapsed(tensor::CollapseShapeOp op,
                                  const Place &place) {
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  for (auto [joined, group] : llvm::enumerate(op.getReassociationIndices())) {
    auto own = llvm::find(group, int64_t(place.dim));
    if (own == group.end())
      continue;
    bool isOutermost = std::all_of(
        group.begin(), own, [&](int64_t dim) { return shape[dim] == 1; });
    int64_t inside = 1;
    for (int64_t dim : llvm::make_range(std::next(own), group.end()))
      inside *= shape[dim];
    if (isOutermost && place.scale % inside == 0)
      walk({op.getResult(), unsigned(joined), place.begin,
            place.scale / inside});
  }
}

/// Results that have the same loop along one of their dimensions.
void SegmentFinder::walkWork(Operation *op, const Place &place) {
  if (!isa<WorkloadOpInterface>(op))
    return;
  FailureOr<Workload> workload = workloadForCuts(op);
  if (failed(workload))
    return;
  for (const Buffer &read : workload->buffers) {
    if (read.role != Buffer::Role::Read || read.value != place.value ||
        read.map.getNumResults() <= place.dim)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(read.map.getResult(place.dim));
    if (!loop || !workload->loops[loop.getPosition()].isTileable())
      continue;
    for (const Buffer &written : workload->buffers)
      if (llvm::is_contained(op->getResults(), written.value))
        for (auto [dim, index] : llvm::enumerate(written.map.getResults()))
          if (index == loop)
            walk({written.value, unsigned(dim), place.begin, place.scale});
  }
}

SmallVector<int64_t, 1> mlir::llm::segmentsBehind(Value value, unsigned dim) {
  SegmentFinder finder;
  finder.walk({value, dim});
  int64_t size = sizesOf(value.getType())[dim], last = 0;
  finder.borders.insert(size);
  SmallVector<int64_t, 1> segments;
  for (int64_t border : finder.borders)
    if (border > last && border <= size) {
      segments.push_back(border - last);
      last = border;
    }
  return segments.size() > 1 ? segments : SmallVector<int64_t, 1>();
}
