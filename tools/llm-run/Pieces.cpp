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
/// A run of neighbours along a dimension of the whole, of which the first are
/// there. Behind them are zeros.
struct Neighbours {
  int64_t begin, size, present;
};

/// The bytes from one index of a dimension to the next, in a whole and in a
/// piece of it.
struct Strides {
  int64_t whole, piece;
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

SmallVector<int64_t> Pieces::getPadded(const ProgramArgument &argument,
                                       ArrayRef<int64_t> piece) const {
  SmallVector<int64_t> shape(piece);
  for (auto [dim, size] : llvm::enumerate(shape))
    size *= countChips(axesOfDim(argument, dim, grid), grid);
  return shape;
}

RankedTensorType Pieces::getWhole(const ProgramArgument &argument,
                                  RankedTensorType type) const {
  return type.clone(argument.unpadded
                        ? argument.unpadded.asArrayRef()
                        : ArrayRef(getPadded(argument, type.getShape())));
}

/// Copies the elements at these places of each dimension, row by row. `to` is
/// zero.
static void copyNeighbours(ArrayRef<SmallVector<Neighbours, 1>> dims,
                           ArrayRef<Strides> strides, const char *from,
                           char *to) {
  for (auto [begin, size, present] : dims.front()) {
    const char *first = from + begin * strides.front().whole;
    if (dims.size() == 1 && present > 0)
      std::memcpy(to, first, present * strides.front().whole);
    else if (dims.size() > 1)
      for (int64_t i = 0; i < present; ++i)
        copyNeighbours(dims.drop_front(), strides.drop_front(),
                       first + i * strides.front().whole,
                       to + i * strides.front().piece);
    to += size * strides.front().piece;
  }
}

/// Returns the strides of each dimension, and behind them those of an element.
static SmallVector<Strides> findStrides(const HostTensor &whole,
                                        ArrayRef<int64_t> piece) {
  int64_t elementBytes = getElementBytes(whole.getElementType());
  SmallVector<Strides> strides(piece.size() + 1, {elementBytes, elementBytes});
  for (size_t dim = piece.size(); dim-- > 0;)
    strides[dim] = {strides[dim + 1].whole * whole.getShape()[dim],
                    strides[dim + 1].piece * piece[dim]};
  return strides;
}

HostTensor Pieces::take(const ProgramArgument &argument,
                        const HostTensor &whole) const {
  if (!argument.piece && !argument.unpadded)
    return whole;
  SmallVector<int64_t> padded(whole.getShape());
  if (argument.unpadded)
    padded =
        getPadded(argument, cast<RankedTensorType>(argument.type).getShape());
  SmallVector<SmallVector<Neighbours, 1>> dims;
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(padded)) {
    Axes axes = axesOfDim(argument, dim, grid);
    int64_t chips = countChips(axes, grid), rank = rankAlong(axes);
    dims.emplace_back();
    int64_t begin = 0;
    for (int64_t segment : segmentsOf(axes, size)) {
      int64_t own = segment / chips, first = begin + rank * own,
              present = std::min(own, whole.getShape()[dim] - first);
      dims.back().push_back({first, own, std::max<int64_t>(present, 0)});
      begin += segment;
    }
    shape.push_back(size / chips);
  }
  // Of a bias that all chips would add, the first chip alone has numbers.
  if (rankAlong(readAxes(argument.piece, "summand", grid)))
    return HostTensor(whole.getElementType(), shape);
  SmallVector<Strides> strides = findStrides(whole, shape);
  bool isOneRun = !dims.empty() && dims.front().size() == 1 &&
                  dims[0][0].present == dims[0][0].size &&
                  ArrayRef(shape).drop_front() == whole.getShape().drop_front();
  if (shape.empty() || isOneRun) {
    int64_t offset = shape.empty() ? 0 : dims[0][0].begin * strides[1].whole;
    return HostTensor(whole.getElementType(), shape, whole.getData() + offset,
                      whole.getOwner());
  }
  HostTensor piece(whole.getElementType(), shape);
  copyNeighbours(dims, ArrayRef(strides).drop_front(), whole.getData(),
                 piece.getData());
  return piece;
}
