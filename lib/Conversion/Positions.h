//===- Positions.h - Where the tokens of a sequence stand -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_POSITIONS_H
#define LLM_LIB_CONVERSION_POSITIONS_H

#include "Lowerings.h"

namespace mlir::llm {

/// One position for all sequences, or one for each.
class Positions {
public:
  /// Takes `numbers`. Each open one is the next of `open`.
  Positions(LinalgLowering &lowering, ArrayRef<int64_t> numbers,
            ValueRange open);

  bool isRagged() const { return positions.size() > 1; }
  OpFoldResult get(int64_t sequence) const {
    return positions[isRagged() ? sequence : 0];
  }
  /// Returns, in a body, the position of the sequence `sequence` as an index.
  Value get(OpBuilder &b, Value sequence) const;

private:
  LinalgLowering &lowering;
  SmallVector<OpFoldResult> positions;
  /// All positions as one tensor, or a single position as an index.
  Value values;
};

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_POSITIONS_H
