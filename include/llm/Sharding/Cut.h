//===- Cut.h - What is cut over which axes of a grid ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chip of a grid has a piece of a value: an equal interval of each dimension
// that is cut, or of each segment of it, if several things lie side by side
// there. The maps of a workload say which loops cut which dimensions, and views
// hand cuts through.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_CUT_H
#define LLM_SHARDING_CUT_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"

namespace mlir::llm {

/// Axes of a grid over which an index is cut, the outermost first. Empty: it
/// is whole.
struct Axes {
  SmallVector<StringAttr, 2> names;
  /// The sizes of what lies side by side along the index, such as the queries,
  /// keys and values of one weight. Each is cut for itself, and a piece has a
  /// piece of each. Empty: the index is cut as one.
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
  /// Axes along which each chip has a summand of the value.
  SmallVector<StringAttr, 2> partial;

  /// Nothing is cut of a value of this rank.
  static Cut whole(size_t rank) { return {SmallVector<Axes, 0>(rank), {}}; }
  bool isWhole() const {
    return partial.empty() &&
           llvm::all_of(dims, [](const Axes &axes) { return axes.empty(); });
  }
  bool operator==(const Cut &other) const {
    return dims == other.dims && partial == other.partial;
  }
};

/// What is known of values by how they are cut. A value is cut in few ways.
template <typename T>
class ByCut {
public:
  /// Null if nothing is known. A later note makes it invalid.
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

/// The names of axes as an attribute, such as that of a collective.
inline ArrayAttr toAttribute(MLIRContext *context, ArrayRef<StringAttr> axes) {
  return ArrayAttr::get(context, llvm::to_vector_of<Attribute>(axes));
}
/// Axes with their segments, as an entry of `ShardAttr`.
Attribute toShardEntry(MLIRContext *context, const Axes &axes);
/// The inverse, without axes of one chip.
Axes fromShardEntry(Attribute entry, GridAttr grid);

/// Puts axes into the order that they have in the grid. A sum does not depend
/// on it.
void sortAxes(SmallVectorImpl<StringAttr> &axes, GridAttr grid);

/// The sizes of a value's dimensions, as in `Cut::dims`; empty for a type that
/// cannot be cut.
SmallVector<int64_t> sizesOf(Type type);

/// Chips that share something which is cut over these axes.
int64_t countChips(const Axes &axes, GridAttr grid);
/// The segments of an index of this size: one, if it is cut as one.
ArrayRef<int64_t> segmentsOf(const Axes &axes, const int64_t &size);
/// Whether the chips divide each segment of an index of this size.
bool divides(const Axes &axes, int64_t size, GridAttr grid);

/// The type of one chip's piece. Every size is one that its axes divide.
Type pieceOf(Type type, const Cut &cut, GridAttr grid);

/// Gives axes to loops or dimensions that count one index together, the
/// outermost first. An inner one gets what is left where the ones outside are
/// cut into single iterations. Segments go to the outermost one that has whole
/// iterations in each of them; if these are single ones, the next is cut as
/// one. Nothing where sizes do not divide.
std::optional<SmallVector<Axes>>
distribute(const Axes &axes, ArrayRef<int64_t> sizes, GridAttr grid);
/// The inverse: the axes of the index that they count. Nothing where a piece is
/// no interval.
std::optional<Axes> gather(ArrayRef<Axes> axes, ArrayRef<int64_t> sizes,
                           GridAttr grid);

/// The axes of each loop if a buffer is cut like this; nothing where that is
/// not a cut of loops.
std::optional<SmallVector<Axes>> axesOfLoops(const Workload &workload,
                                             const Buffer &buffer,
                                             const Cut &cut, GridAttr grid);
/// How a buffer is cut if loops are; nothing where its pieces are no intervals.
std::optional<Cut> cutOfBuffer(const Workload &workload, const Buffer &buffer,
                               ArrayRef<Axes> loops, GridAttr grid);

/// The sizes of what lies side by side along a dimension of a value, by the
/// slices that are taken of it, also behind views and behind ops that have the
/// dimension as a loop. Empty if none is taken.
SmallVector<int64_t, 1> segmentsBehind(Value value, unsigned dim);

/// Whether an op is a view of tensors that cuts can be handed through.
bool isViewOfPieces(Operation *op);
/// How the result of a view is cut if its operands are cut like this; nothing
/// where pieces of the result are not views of pieces.
std::optional<Cut> cutThroughView(Operation *view, const Cut &operand,
                                  GridAttr grid);
/// How the operands of a view must be cut for this cut of its result.
std::optional<Cut> cutBehindView(Operation *view, const Cut &result,
                                 GridAttr grid);
/// Gives the view, whose operands are pieces already, the sizes of a piece.
void shrinkView(Operation *view, const Cut &result, GridAttr grid);

/// The buffer that shows which loops cut the state that the op replaces; null
/// if there is none.
const Buffer *bufferOfState(StateUpdateOpInterface op,
                            const Workload &workload);

} // namespace mlir::llm

#endif // LLM_SHARDING_CUT_H
