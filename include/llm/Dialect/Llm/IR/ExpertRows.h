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

/// Distributes tokens over experts. With `uniform`, each token selects at
/// random, independently of the others. Then E (1 - (1 - k/E)^T) experts,
/// rounded, are met, and their numbers of rows differ by at most one. With
/// `balanced`, as many experts as possible are met, and their numbers of rows
/// differ by at most one. With `zipf`, expert e is selected in proportion to 1
/// / (e + 1), as far as there are tokens for it.
///
/// Returns the number of rows of each of `experts`. Their sum is tokens * topK,
/// and no expert has more rows than there are tokens. It must hold that 1 <=
/// topK <= experts.
std::vector<int64_t> countExpertRows(Routing routing, int64_t experts,
                                     int64_t topK, int64_t tokens);

} // namespace mlir::llm

#endif // LLM_DIALECT_LLM_IR_EXPERTROWS_H
