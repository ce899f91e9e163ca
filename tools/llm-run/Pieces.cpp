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
/// How a dimension is cut.
struct CutDim {
  SmallVector<StringRef> axes;
  SmallVector<int64_t> segments; ///< of the whole; empty: it is cut as one
};

/// Neighbours along a dimension of the whole.
struct Neighbours {
  int64_t begin, size;
};
} // namespace

static CutDim readCut(DictionaryAttr piece, StringRef name) {
  CutDim cut;
  auto entry = piece ? piece.getAs<ArrayAttr>(name) : ArrayAttr();
  for (Attribute each : entry ? entry.getValue() : ArrayRef<Attribute>())
    if (auto axis = dyn_cast<StringAttr>(each))
      cut.axes.push_back(axis);
    else
      llvm::append_range(cut.segments,
                         cast<DenseI64ArrayAttr>(each).asArrayRef());
  return cut;
}

static CutDim cutOfDim(const ProgramArgument &argument, size_t dim) {
  return readCut(argument.piece, ("d" + Twine(dim)).str());
}

static int64_t countChips(GridAttr grid, ArrayRef<StringRef> axes) {
  int64_t count = 1;
  for (StringRef axis : axes)
    count *= *grid.sizeOf(axis);
  return count;
}

int64_t Pieces::rankAlong(ArrayRef<StringRef> axes) const {
  int64_t rank = 0;
  for (StringRef axis : axes) {
    int64_t size = *grid.sizeOf(axis);
    rank = rank * size + chip / grid.strideOf(axis) % size;
  }
  return rank;
}

RankedTensorType Pieces::getWhole(const ProgramArgument &argument,
                                  RankedTensorType type) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape))
    size *= countChips(grid, cutOfDim(argument, dim).axes);
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
    CutDim cut = cutOfDim(argument, dim);
    int64_t chips = countChips(grid, cut.axes), rank = rankAlong(cut.axes);
    if (cut.segments.empty())
      cut.segments.push_back(size);
    dims.emplace_back();
    int64_t begin = 0;
    for (int64_t segment : cut.segments) {
      int64_t own = segment / chips;
      dims.back().push_back({begin + rank * own, own});
      begin += segment;
    }
    shape.push_back(size / chips);
  }
  HostTensor piece(whole.getElementType(), shape);
  // Of a bias that all chips would add, the first chip alone has numbers.
  if (rankAlong(readCut(argument.piece, "summand").axes))
    return piece;
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
  char *to = piece.getData();
  copyNeighbours(dims, ArrayRef(strideBytes).drop_front(), whole.getData(), to);
  return piece;
}
