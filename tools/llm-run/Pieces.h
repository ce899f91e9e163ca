//===- Pieces.h - A chip's pieces of weights and caches ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_PIECES_H
#define LLM_TOOLS_LLM_RUN_PIECES_H

#include "llm/Execution/Executable.h"
#include "llm/Sharding/Cut.h"

namespace mlir::llm {

/// Which piece of a weight or cache a chip has (`llm.piece` of Spec.md).
class Pieces {
public:
  /// Without a grid, every piece is the whole.
  Pieces(GridAttr grid, int64_t chip) : grid(grid), chip(chip) {}

  /// Returns the type of the whole of which an argument of this type is a
  /// piece, without the zeros that may be behind it.
  RankedTensorType getWhole(const ProgramArgument &argument,
                            RankedTensorType type) const;
  /// Returns the piece of this chip. It stays in the memory of the whole if it
  /// lies there in one run.
  HostTensor take(const ProgramArgument &argument,
                  const HostTensor &whole) const;

private:
  /// Returns the sizes of the whole, with the zeros behind it.
  SmallVector<int64_t> getPadded(const ProgramArgument &argument,
                                 ArrayRef<int64_t> piece) const;
  int64_t rankAlong(const Axes &axes) const;

  GridAttr grid;
  int64_t chip;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_PIECES_H
