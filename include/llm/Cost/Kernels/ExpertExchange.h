//===- ExpertExchange.h - Rows that go to experts and come back -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_KERNELS_EXPERTEXCHANGE_H
#define LLM_COST_KERNELS_EXPERTEXCHANGE_H

#include <cstdint>

namespace mlir::llm {

/// Returns on how many of `chips` the `topK` experts of a token lie on average,
/// if each may lie on any: n (1 - (1 - 1 / n)^k).
double chipsOfRandomExperts(int64_t chips, int64_t topK);
/// The same if routing spreads them over as many chips as it can.
double chipsOfSpreadExperts(int64_t chips, int64_t topK);

} // namespace mlir::llm

#endif // LLM_COST_KERNELS_EXPERTEXCHANGE_H
