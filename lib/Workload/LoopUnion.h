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

/// Loops that are equal to others, or split into finer ones. The elements of a
/// tensor in row-major order are counted by a list of loops, the outermost
/// first, as the digits of a number in mixed radix. A reshape does not change
/// that number, so two lists that count the same elements are joined digit by
/// digit; where one is coarser, it is split.
class LoopUnion {
public:
  using Digits = SmallVector<unsigned, 4>;

  unsigned add(int64_t extent);
  int64_t extentOf(unsigned loop) const { return loops[loop].extent; }
  /// Whether tiles must span it, because pieces of a tensor are used side by
  /// side.
  bool isWhole(unsigned loop) const { return loops[loop].isWhole; }

  /// What the loops are by now: loops that are neither split nor joined.
  Digits resolve(ArrayRef<unsigned> digits) const;
  /// Makes both lists the same. Loops of one iteration that only `right` has
  /// vanish. Fails where one does not refine the other.
  LogicalResult unify(ArrayRef<unsigned> left, ArrayRef<unsigned> right);
  /// The digits of what is shown of a tensor of this shape. Fails where it is
  /// not one of equal pieces along each dimension.
  FailureOr<Digits> cut(ArrayRef<unsigned> digits, ArrayRef<int64_t> shape,
                        ArrayRef<ShownBox::Range> ranges);
  /// Whether, where one piece was cut, all of its kind were.
  bool hasAllPieces() const;

private:
  struct Node {
    int64_t extent;
    bool isWhole = false;
    /// Itself; or what it stands for: two loops where it was split, one where
    /// it was joined, none where it vanished.
    bool isLeaf = true;
    SmallVector<unsigned, 2> becomes = {};
  };
  void replace(unsigned loop, ArrayRef<unsigned> by);
  void split(unsigned loop, int64_t innerExtent);
  /// Which loop is at the end of a list: the outermost one (the list is in
  /// reverse) or the innermost.
  enum class End { Outer, Inner };
  /// Pops loops off the end of `digits` that make up `size` iterations,
  /// splitting one if need be; they come back from outer to inner.
  FailureOr<Digits> take(Digits &digits, int64_t size, End end);
  FailureOr<Digits> cutDimension(Digits dim, int64_t size,
                                 ShownBox::Range range);

  std::vector<Node> loops;
  /// For each loop that counts pieces, those that were cut.
  DenseMap<unsigned, std::set<int64_t>> pieces;
};

/// The loops of a workload, outermost first, whose points are the indices 0, 1,
/// .. of a dimension, each once. Nothing where there are none.
std::optional<SmallVector<unsigned>>
loopsOfDimension(const Workload &workload, AffineExpr index, int64_t size);

} // namespace mlir::llm

#endif // LLM_LIB_WORKLOAD_LOOPUNION_H
