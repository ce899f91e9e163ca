//===- Chips.h - What a lowered program knows of its chip -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_CHIPS_H
#define LLM_LIB_CONVERSION_CHIPS_H

#include "Lowerings.h"

namespace mlir::llm {

/// The chips that an op meets: those of a group along some axes of the grid.
/// What the lowered program asks of them are calls of four functions, which
/// `include/llm/MpiRuntime/MpiRuntime.h` describes.
class ChipGroup {
public:
  /// `axes` are axes of the grid of the op's module.
  ChipGroup(LinalgLowering &lowering, Operation *op, ArrayAttr axes);

  int64_t countChips() const { return numChips; }
  /// Returns the rank of this chip in the group, an index.
  Value getRank();
  /// Returns the tensors of all chips, as [chips, dims of x..].
  Value gather(Value x);
  /// x is [chips, ..], with a piece for each chip of the group. Returns the
  /// pieces that this chip gets from each, in the same shape.
  Value swap(Value pieces);
  /// `rows` has rows for each chip of the group, in the order of their ranks,
  /// and `counts`, [chips, 2], how many it has for each, and how many this chip
  /// gets from each. Returns what it gets, and behind it anything: `most` rows.
  Value swapRows(Value rows, Value counts, int64_t most);

private:
  struct Axis {
    int64_t size, stride;
  };
  /// A buffer, and the same as one of a tensor's elements.
  struct Bytes {
    Value bytes, shown;
  };
  /// Calls a function with the bytes of a tensor, those of the result, which
  /// has these sizes, and `arguments`.
  Value call(StringRef function, Value from, ArrayRef<OpFoldResult> to,
             ValueRange arguments);
  Bytes makeBytes(ArrayRef<OpFoldResult> sizes, Type element);
  Value listAxes();
  /// Returns an [n, 2] tensor as a buffer of any n.
  Value asPairs(Value tensor);
  func::FuncOp declare(StringRef name, FunctionType type);
  Value index(int64_t value);

  LinalgLowering &lowering;
  OpBuilder &builder;
  Location loc;
  ModuleOp module;
  SmallVector<Axis> axes;
  int64_t numChips = 1;
};

/// Joins what all chips have, [chips, ..], in the order of their ranks
/// (all_reduce-R1, reduce_scatter-R1, expert_combine-R1).
Value joinInOrder(LinalgLowering &lowering, Value all, Join join);

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_CHIPS_H
