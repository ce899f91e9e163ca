//===- ExpertRows.h - How many rows each expert gets ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLM_IR_EXPERTROWS_H
#define LLM_DIALECT_LLM_IR_EXPERTROWS_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"

#include <cstdint>
#include <vector>

namespace mlir::llm {

/// Distributes tokens over experts. uniform: each token selects at random,
/// independently of the others: E (1 - (1 - k/E)^T) experts, rounded, are met,
/// all with as many rows (or one more). balanced: as many experts as there can
/// be, all with as many rows (or one more). zipf: expert e is selected in
/// proportion to 1 / (e + 1), as far as there are tokens for it.
///
/// Returns the rows of each of `experts`. There are tokens * topK altogether,
/// and no expert has more rows than there are tokens. 1 <= topK <= experts.
std::vector<int64_t> countExpertRows(Routing routing, int64_t experts,
                                     int64_t topK, int64_t tokens);

} // namespace mlir::llm

#endif // LLM_DIALECT_LLM_IR_EXPERTROWS_H
