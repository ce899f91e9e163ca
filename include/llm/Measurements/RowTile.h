//===- RowTile.h - The tile and the cost of a measured op -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_ROWTILE_H
#define LLM_MEASUREMENTS_ROWTILE_H

#include "llm/Cost/CostModel.h"
#include "llm/Measurements/MeasuredTable.h"

namespace mlir::llm {

struct RowTile {
  OpOnTarget onTarget; ///< refers to the target that it was made with
  PartFigures cost;
  /// The bytes of operands and results that were in the cache when the op was
  /// measured.
  double residentBytes = 0;
};

/// Chooses the tile that the compiler chooses, and computes its cost. If the
/// row says that what is touched fits into the cache, elementwise ops find all
/// of it there: their operands come warm from the op before.
FailureOr<RowTile> chooseRowTile(WorkloadOpInterface op, const MeasuredRow &row,
                                 const Target &target, Reasons reasons);

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_ROWTILE_H
