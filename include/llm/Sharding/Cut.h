//===- Cut.h - What is cut over which axes of a grid ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chip of a grid has a piece of a value. If a dimension is cut, each chip has
// an equal interval of it. If several things lie side by side along the
// dimension, each of these segments is cut by itself. The maps of a workload
// say which loops cut which dimensions, and views pass cuts on.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_CUT_H
#define LLM_SHARDING_CUT_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"

namespace mlir::llm {

/// The axes of a grid over which an index is cut, the outermost first. If there
/// are none, the index is whole.
struct Axes {
  SmallVector<StringAttr, 2> names;
  /// The sizes of what lies side by side along the index, such as the queries,
  /// keys and values of one weight. Each segment is cut by itself, so that a
  /// chip has a piece of each. If there are none, the index is cut as one.
  SmallVector<int64_t, 1> segments = {};

  bool empty() const { return names.empty(); }
  bool operator==(const Axes &other) const {
    return names == other.names && segments == other.segments;
  }
  bool operator!=(const Axes &other) const { return !(*this == other); }
};

/// How a value is cut: the axes of each dimension. The dimensions of a cache
/// are those of its rows: batch, position, head, feature.
struct Cut {
  SmallVector<Axes, 0> dims;
  /// The axes along which each chip has only a summand of the value.
  SmallVector<StringAttr, 2> partial;

  /// Returns the cut of a whole value of this rank.
  static Cut whole(size_t rank) { return {SmallVector<Axes, 0>(rank), {}}; }
  bool isWhole() const {
    return partial.empty() &&
           llvm::all_of(dims, [](const Axes &axes) { return axes.empty(); });
  }
  bool operator==(const Cut &other) const {
    return dims == other.dims && partial == other.partial;
  }
};

/// A map from a value and its cut to a fact. A value has few different cuts.
template <typename T>
class ByCut {
public:
  /// Returns the fact, or null if nothing is known. A later note() invalidates
  /// it.
  T *find(Value value, const Cut &cut) {
    for (auto &[own, what] : known[value])
      if (own == cut)
        return &what;
    return nullptr;
  }
  void note(Value value, const Cut &cut, T what) {
    if (T *found = find(value, cut))
      *found = std::move(what);
    else
      known[value].push_back({cut, std::move(what)});
  }

private:
  DenseMap<Value, SmallVector<std::pair<Cut, T>, 1>> known;
};

/// Returns the names of axes as an attribute, such as that of a collective.
inline ArrayAttr toAttribute(MLIRContext *context, ArrayRef<StringAttr> axes) {
  return ArrayAttr::get(context, llvm::to_vector_of<Attribute>(axes));
}
/// Returns axes with their segments as an entry of `ShardAttr`.
Attribute toShardEntry(MLIRContext *context, const Axes &axes);
/// Does the inverse. Axes of one chip are left out.
Axes fromShardEntry(Attribute entry, GridAttr grid);

/// Sorts axes into the order of the grid. It is for sums, which do not depend
/// on the order.
void sortAxes(SmallVectorImpl<StringAttr> &axes, GridAttr grid);

/// Returns the sizes of a value's dimensions, as in `Cut::dims`. It is empty
/// for a type that cannot be cut.
SmallVector<int64_t> sizesOf(Type type);

/// Returns the number of chips over which these axes cut.
int64_t countChips(const Axes &axes, GridAttr grid);
/// Returns the segments of an index of this size. If it is cut as one, there is
/// one.
ArrayRef<int64_t> segmentsOf(const Axes &axes, const int64_t &size);
/// Says whether the number of chips divides each segment of an index of this
/// size.
bool divides(const Axes &axes, int64_t size, GridAttr grid);

/// Returns the type of so many pieces of this type along a dimension.
RankedTensorType growAlong(RankedTensorType piece, size_t dim, int64_t times);
/// Returns the type of one chip's piece. The axes must divide every size.
Type pieceOf(Type type, const Cut &cut, GridAttr grid);

/// Distributes the axes of an index to the loops or dimensions that count it
/// together, the outermost first. An inner one gets the remaining axes if the
/// outer ones are cut into single iterations. If the axes have segments, they
/// go to the outermost one that is above 1; if each segment is one iteration of
/// it, the inner ones are cut instead. Returns nothing if sizes do not divide.
std::optional<SmallVector<Axes>>
distribute(const Axes &axes, ArrayRef<int64_t> sizes, GridAttr grid);
/// Does the inverse: returns the axes of the index that the loops count.
/// Returns nothing if a piece would not be an interval.
std::optional<Axes> gather(ArrayRef<Axes> axes, ArrayRef<int64_t> sizes,
                           GridAttr grid);

/// Returns the axes of each loop if a buffer is cut like this. Returns nothing
/// if the cut does not correspond to a cut of loops.
std::optional<SmallVector<Axes>> axesOfLoops(const Workload &workload,
                                             const Buffer &buffer,
                                             const Cut &cut, GridAttr grid);
/// Returns how a buffer is cut if the loops are cut like this. Returns nothing
/// if its pieces would not be intervals.
std::optional<Cut> cutOfBuffer(const Workload &workload, const Buffer &buffer,
                               ArrayRef<Axes> loops, GridAttr grid);

/// Returns the sizes of what lies side by side along a dimension of a value.
/// They follow from the slices of it that are taken, directly, through views,
/// or through ops that have the dimension as a loop. It is empty if no slice is
/// taken.
SmallVector<int64_t, 1> segmentsBehind(Value value, unsigned dim);

/// Says whether an op is a view of tensors through which cuts can be passed on.
bool isViewOfPieces(Operation *op);
/// Returns how the result of a view is cut if its operands are cut like this.
/// Returns nothing if pieces of the result are not views of pieces.
std::optional<Cut> cutThroughView(Operation *view, const Cut &operand,
                                  GridAttr grid);
/// Returns how the operands of a view must be cut for this cut of its result.
std::optional<Cut> cutBehindView(Operation *view, const Cut &result,
                                 GridAttr grid);
/// Changes the sizes of a view to those of a piece. Its operands are pieces
/// already.
void shrinkView(Operation *view, const Cut &result, GridAttr grid);

/// Says whether an op only asks for the size of a dimension (tensor.dim) that is
/// not cut in a value that is cut like this.
bool asksForWholeDim(Operation *op, const Cut &cut);

/// Returns the buffer whose map says which loops cut the state that the op
/// replaces, or null if there is none.
const Buffer *bufferOfState(StateUpdateOpInterface op,
                            const Workload &workload);

} // namespace mlir::llm

#endif // LLM_SHARDING_CUT_H
