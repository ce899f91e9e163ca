//===- SliceRows.h - Rows that take the same slice of a buffer --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_SLICEROWS_H
#define LLM_COST_SLICEROWS_H

#include "llm/Cost/CostModel.h"

namespace mlir::llm {

/// Divides the rows into runs of neighbours that use the same slice of the
/// buffer, such as an expert's weight. Returns the number of rows of each run,
/// in order. `loop` counts the rows. A run also ends where a tile of `tileSize`
/// rows ends.
std::vector<int64_t> findSliceRows(const OpOnTarget &context, unsigned buffer,
                                   unsigned loop, int64_t tileSize);

} // namespace mlir::llm

#endif // LLM_COST_SLICEROWS_H
