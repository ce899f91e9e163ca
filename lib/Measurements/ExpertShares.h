//===- ExpertShares.h - Rows of experts in measured routing -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_MEASUREMENTS_EXPERTSHARES_H
#define LLM_LIB_MEASUREMENTS_EXPERTSHARES_H

#include "llm/Diagnostics/Reasons.h"
#include "llm/Measurements/MeasuredTable.h"

namespace mlir::llm {

/// Returns the rows of each expert of one rank. The columns
/// `tokens`, `topk`, `experts`, `experts_per_rank` and `routing` say them:
/// "balanced" spreads them evenly, and "power_law_A" gives each expert a share
/// that follows a power law with the exponent A, from 1 to 0.8 tokens
/// (aiconfigurator's collector). Of several ranks, it is the one with most rows.
FailureOr<std::vector<int64_t>> rowsPerExpert(const MeasuredRow &row,
                                              Reasons reasons);

} // namespace mlir::llm

#endif // LLM_LIB_MEASUREMENTS_EXPERTSHARES_H
