//===- BestColumns.h - The largest numbers of each row ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_CONVERSION_BESTCOLUMNS_H
#define LLM_LIB_CONVERSION_BESTCOLUMNS_H

#include "Lowerings.h"

#include <limits>

namespace mlir::llm {

/// A number that is never the largest.
inline constexpr double notSelectable =
    -std::numeric_limits<double>::infinity();

/// The columns of the largest numbers of each row, and the numbers without
/// these.
struct BestColumns {
  Value indices, rest;
};

/// Selects columns as moe_route-R2 and select_keys-R2 say. `numbers` are [rows,
/// columns] in the type of the calculation. The column of the largest number
/// comes first, and the first of equal ones. If nothing is left that can be
/// selected, the column is `none`.
BestColumns selectBest(LinalgLowering &lowering, Value numbers, int64_t count,
                       int32_t none);

} // namespace mlir::llm

#endif // LLM_LIB_CONVERSION_BESTCOLUMNS_H
