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

/// The loops of an op, by their number in its workload.
struct TileLoopPlan {
  SmallVector<int64_t, 6> extents;
  SmallVector<int64_t, 6> partSizes; ///< the extent where no part ends
  SmallVector<int64_t, 6> tileSizes; ///< that of the part where no tile ends
  SmallVector<unsigned, 6> order;    ///< loops over tiles, outermost first

  bool hasParts() const { return partSizes != extents; }
};

struct TileLoops {
  SmallVector<Value> results; ///< in place of the op's
  Operation *outermost;       ///< of the loops
};

/// Makes the loops before the op, which stays: `scf.forall` with an iteration
/// for each part, in row-major order, and in it `scf.for` over the tiles.
/// Something is cut, all reductions that are can be added up. Fails where the
/// op's TilingInterface does.
FailureOr<TileLoops> buildTileLoops(RewriterBase &rewriter, TilingInterface op,
                                    const TileLoopPlan &plan);

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_TILELOOPS_H
