//===- Pieces.cpp - A chip's pieces of weights and caches -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// A run of neighbours along a dimension of the whole.
struct Neighbours {
  int64_t begin, size;
};
} // namespace

static Axes readAxes(DictionaryAttr piece, StringRef name, GridAttr grid) {
  Attribute entry = piece ? piece.get(name) : Attribute();
  return entry ? fromShardEntry(entry, grid) : Axes();
}

static Axes axesOfDim(const ProgramArgument &argument, size_t dim,
                      GridAttr grid) {
  return readAxes(argument.piece, ("d" + Twine(dim)).str(), grid);
}

int64_t Pieces::rankAlong(const Axes &axes) const {
  int64_t rank = 0;
  for (StringAttr axis : axes.names) {
    int64_t size = *grid.sizeOf(axis);
    rank = rank * size + chip / grid.strideOf(axis) % size;
  }
  return rank;
}

RankedTensorType Pieces::getWhole(const ProgramArgument &argument,
                                  RankedTensorType type) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape))
    size *= countChips(axesOfDim(argument, dim, grid), grid);
  return type.clone(shape);
}

/// Copies the elements at these places of each dimension, row by row.
static void copyNeighbours(ArrayRef<SmallVector<Neighbours, 1>> dims,
                           ArrayRef<int64_t> strideBytes, const char *from,
                           char *&to) {
  bool isLast = dims.size() == 1;
  for (auto [begin, size] : dims.front()) {
    const char *first = from + begin * strideBytes.front();
    if (isLast) {
      int64_t bytes = size * strideBytes.front();
      std::memcpy(to, first, bytes);
      to += bytes;
      continue;
    }
    for (int64_t i = 0; i < size; ++i)
      copyNeighbours(dims.drop_front(), strideBytes.drop_front(),
                     first + i * strideBytes.front(), to);
  }
}

HostTensor Pieces::take(const ProgramArgument &argument,
                        const HostTensor &whole) const {
  if (!argument.piece)
    return whole;
  SmallVector<SmallVector<Neighbours, 1>> dims;
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(whole.getShape())) {
    Axes axes = axesOfDim(argument, dim, grid);
    int64_t chips = countChips(axes, grid), rank = rankAlong(axes);
    dims.emplace_back();
    int64_t begin = 0;
    for (int64_t segment : segmentsOf(axes, size)) {
      int64_t own = segment / chips;
      dims.back().push_back({begin + rank * own, own});
      begin += segment;
    }
    shape.push_back(size / chips);
  }
  // Of a bias that all chips would add, the first chip alone has numbers.
  if (rankAlong(readAxes(argument.piece, "summand", grid)))
    return HostTensor(whole.getElementType(), shape);
  SmallVector<int64_t> strideBytes(shape.size() + 1,
                                   getElementBytes(whole.getElementType()));
  for (size_t dim = shape.size(); dim-- > 0;)
    strideBytes[dim] = strideBytes[dim + 1] * whole.getShape()[dim];
  bool isOneRun = !dims.empty() && dims.front().size() == 1 &&
                  ArrayRef(shape).drop_front() == whole.getShape().drop_front();
  if (shape.empty() || isOneRun) {
    int64_t offset = shape.empty() ? 0 : dims[0][0].begin * strideBytes[1];
    return HostTensor(whole.getElementType(), shape, whole.getData() + offset,
                      whole.getOwner());
  }
  HostTensor piece(whole.getElementType(), shape);
  char *to = piece.getData();
  copyNeighbours(dims, ArrayRef(strideBytes).drop_front(), whole.getData(), to);
  return piece;
}
