//===- LoopUnion.h - Loops of several ops as one set ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_WORKLOAD_LOOPUNION_H
#define LLM_LIB_WORKLOAD_LOOPUNION_H

#include "llm/Workload/Workload.h"
#include "llvm/ADT/DenseMap.h"

#include <set>
#include <vector>

namespace mlir::llm {

/// Joins loops that are equal, and splits loops into finer ones. A list of
/// loops, outermost first, counts the elements of a tensor in row-major order,
/// as the digits of a number in mixed radix. A reshape does not change that
/// number, so two lists that count the same elements are joined digit by digit.
/// A digit that is coarser is split.
class LoopUnion {
public:
  using Digits = SmallVector<unsigned, 4>;

  unsigned add(int64_t extent);
  int64_t extentOf(unsigned loop) const { return loops[loop].extent; }
  /// Whether tiles must span the loop, because pieces of a tensor are used side
  /// by side.
  bool isWhole(unsigned loop) const { return loops[loop].isWhole; }

  /// Returns what the loops have become: loops that are neither split nor
  /// joined.
  Digits resolve(ArrayRef<unsigned> digits) const;
  /// Makes both lists the same. Loops of one iteration that only `right` has
  /// vanish. Fails if neither list refines the other.
  LogicalResult unify(ArrayRef<unsigned> left, ArrayRef<unsigned> right);
  /// Returns the digits of a box that is shown of a tensor of this shape. Fails
  /// if it is not one of equal pieces along each dimension.
  FailureOr<Digits> cut(ArrayRef<unsigned> digits, ArrayRef<int64_t> shape,
                        ArrayRef<ShownBox::Range> ranges);
  /// Whether all pieces were cut in each loop of which one piece was cut.
  bool hasAllPieces() const;

private:
  struct Node {
    int64_t extent;
    bool isWhole = false;
    /// Whether the loop is still itself. Otherwise `becomes` has two loops if
    /// it was split, one if it was joined, and none if it vanished.
    bool isLeaf = true;
    SmallVector<unsigned, 2> becomes = {};
  };
  void replace(unsigned loop, ArrayRef<unsigned> by);
  void split(unsigned loop, int64_t innerExtent);
  /// The end of a list that is taken from: that of the outermost loop (the list
  /// is in reverse), or of the innermost.
  enum class End { Outer, Inner };
  /// Takes loops that make up `size` iterations off the end of `digits`. Splits
  /// one if need be. Returns them from outer to inner.
  FailureOr<Digits> take(Digits &digits, int64_t size, End end);
  FailureOr<Digits> cutDimension(Digits dim, int64_t size,
                                 ShownBox::Range range);

  std::vector<Node> loops;
  /// For each loop that counts pieces, the pieces that were cut.
  DenseMap<unsigned, std::set<int64_t>> pieces;
};

/// Returns the loops of a workload, outermost first, whose points are the
/// indices 0, 1, .. of a dimension, each once. Returns nothing if there are
/// none.
std::optional<SmallVector<unsigned>>
loopsOfDimension(const Workload &workload, AffineExpr index, int64_t size);

} // namespace mlir::llm

#endif // LLM_LIB_WORKLOAD_LOOPUNION_H
