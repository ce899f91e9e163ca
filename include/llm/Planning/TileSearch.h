//===- TileSearch.h - Enumerates legal tiles for the cheapest ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_TILESEARCH_H
#define LLM_PLANNING_TILESEARCH_H

#include "llm/Cost/CostModel.h"

namespace mlir::llm {

/// Finds the legal tile with the fewest cycles, and then the fewest bytes. Of
/// several such tiles, it is the first in a fixed order, with large tiles
/// before small ones. The search enumerates sizes that cut a loop into 1, 2, 3,
/// 4, 6, 8, 12, .. tiles, and the orders of those loops whose order matters.
/// (If more than three matter, it orders the three that can move most bytes.)
/// Fails if not even the smallest tile fits, and says how many bytes are
/// missing.
FailureOr<TileAttr> searchTile(const OpOnTarget &context);

/// Says whether the private memory is too small for a single row. Each stage
/// then sweeps over the row anew, with every tile and in every part.
bool mustSweepRows(const OpOnTarget &context);

} // namespace mlir::llm

#endif // LLM_PLANNING_TILESEARCH_H
