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

/// The legal tile with the fewest cycles, then the fewest bytes; among equals
/// the first in a fixed order, large tiles before small ones. Enumerates sizes
/// that cut a loop into 1, 2, 3, 4, 6, 8, 12, .. tiles, and the orders of those
/// loops whose order matters (where more than three do, of the three that can
/// move most bytes). Fails where not even the smallest tile fits, saying how
/// many bytes are missing.
FailureOr<TileAttr> searchTile(const OpOnTarget &context);

/// Whether not a single row fits into the private memory, so that each stage
/// sweeps over it anew, with every tile and in every part.
bool mustSweepRows(const OpOnTarget &context);

} // namespace mlir::llm

#endif // LLM_PLANNING_TILESEARCH_H
