//===- LoopOrders.h - In which order tiles follow each other ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PLANNING_LOOPORDERS_H
#define LLM_LIB_PLANNING_LOOPORDERS_H

#include "TileTraffic.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::llm {

/// An order of all loops, from outermost to innermost, and the loops that bring
/// tiles back in it.
struct LoopOrder {
  SmallVector<unsigned, 6> loops;
  TileTraffic::Returning returning;
};

/// The orders that a search of tiles has to try. They depend on which loops a
/// tiling cuts, not on where, so they are found once for each set of loops.
class LoopOrders {
public:
  /// Returns the orders for loops that the tiling cuts, but for those that move
  /// the same bytes as one before them. `reuseLoops` are the loops whose order
  /// costs traffic.
  ArrayRef<LoopOrder> get(const Tiling &tiling, const Workload &workload,
                          const TileTraffic &traffic,
                          ArrayRef<unsigned> reuseLoops);

private:
  struct OfCut {
    llvm::SmallBitVector cutLoops;
    SmallVector<LoopOrder, 6> orders;
  };
  SmallVector<OfCut, 0> known;
};

} // namespace mlir::llm

#endif // LLM_LIB_PLANNING_LOOPORDERS_H
