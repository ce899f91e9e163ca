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

/// Returns how many neighbouring rows take the same slice of the buffer, such
/// as an expert's weight. There is one number for each such run, in order.
/// `loop` is that of the rows. A run ends where a tile of `tileSize` rows does.
std::vector<int64_t> findSliceRows(const OpOnTarget &context, unsigned buffer,
                                   unsigned loop, int64_t tileSize);

} // namespace mlir::llm

#endif // LLM_COST_SLICEROWS_H
