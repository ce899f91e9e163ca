//===- TileLoops.h - An op as loops over its parts and tiles ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_TILELOOPS_H
#define LLM_LIB_TRANSFORMS_TILELOOPS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::llm {

/// The sizes of an op's loops, by their number in its workload.
struct TileLoopPlan {
  SmallVector<int64_t, 6> extents;
  SmallVector<int64_t, 6> partSizes; ///< the extent if the loop is not cut
  SmallVector<int64_t, 6> tileSizes; ///< the part's size if the loop is not cut
  SmallVector<unsigned, 6> order;    ///< loops over tiles, outermost first

  bool hasParts() const { return partSizes != extents; }
};

struct TileLoops {
  SmallVector<Value> results; ///< these replace the op's
  Operation *outermost;       ///< of the loops
};

/// Makes the loops before the op, which stays: `scf.forall` with an iteration
/// for each part, in row-major order, and in it `scf.for` over the tiles. The
/// plan must cut something, and only reductions that can be added up. Fails if
/// the op's TilingInterface does.
FailureOr<TileLoops> buildTileLoops(RewriterBase &rewriter, TilingInterface op,
                                    const TileLoopPlan &plan);

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_TILELOOPS_H
