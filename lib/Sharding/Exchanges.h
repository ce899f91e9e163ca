//===- Exchanges.h - What chips exchange where an op needs it ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SHARDING_EXCHANGES_H
#define LLM_LIB_SHARDING_EXCHANGES_H

#include "llm/Sharding/Cut.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

/// The cut of a value, by those that are known.
Cut cutOf(const DenseMap<Value, Cut> &cuts, Value value);

/// Returns the number of axes, from the outermost on, over which a dimension is
/// cut and is needed cut.
size_t countKeptAxes(const Axes &own, const Axes &needed);

/// Returns so many indices of a dimension, from `begin` on.
Value sliceAlong(OpBuilder &builder, Value value, size_t dim, int64_t begin,
                 int64_t size);

/// Makes collectives, each once, and notes how their results are cut.
class Exchanges {
public:
  Exchanges(GridAttr grid, IRRewriter &rewriter, DenseMap<Value, Cut> &cuts)
      : grid(grid), rewriter(rewriter), cuts(cuts) {}

  /// The sum of the summands of all chips.
  Value sumUp(Value value);
  /// Sums of which each chip needs a piece. What else there is to be summed up
  /// is left.
  Value sumUpPieces(Value value, const Cut &needed);
  /// The value cut along the dimensions along which it is needed, as far as it
  /// is cut along others over the same axes.
  Value moveCuts(Value value, const Cut &needed);
  /// What all chips along `axes` have for this chip's part of dimension `dim`,
  /// one behind the other along the dimension before.
  Value swapParts(Value value, ArrayRef<StringAttr> axes, size_t dim);
  /// The value with a dimension cut over the first `kept` of its axes alone.
  Value gatherAlong(Value value, size_t dim, size_t kept);
  /// The chip's own piece of a dimension that is whole, or cut over the first
  /// of the axes.
  Value takeOwn(Operation *op, Value value, size_t dim, const Axes &axes);

private:
  Cut cutOf(Value value) const { return llm::cutOf(cuts, value); }
  Value sortSegments(Value value, size_t dim, const Axes &axes);
  /// The name of a collective behind the op that makes the value. One value may
  /// be gathered along several dimensions, and each name is there once.
  StringAttr nameBehind(Value value, StringRef suffix);
  template <typename Op, typename... Args>
  Value exchange(Value value, StringRef suffix, Cut cut, Args &&...args);

  GridAttr grid;
  IRRewriter &rewriter;
  DenseMap<Value, Cut> &cuts;
  llvm::StringMap<unsigned> usesOfName;
  DenseMap<Value, Value> sums;
  DenseMap<std::pair<Value, unsigned>, Value> scattered, moved;
  /// By dimension and what was kept.
  DenseMap<std::pair<Value, std::pair<unsigned, unsigned>>, Value> gathered;
};

} // namespace mlir::llm

#endif // LLM_LIB_SHARDING_EXCHANGES_H
