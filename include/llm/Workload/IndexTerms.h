//===- IndexTerms.h - An index as a sum of loops ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_INDEXTERMS_H
#define LLM_WORKLOAD_INDEXTERMS_H

#include "mlir/IR/AffineExpr.h"

#include <optional>

namespace mlir::llm {

/// One loop in a sum of loops: factor * loop.
struct IndexTerm {
  int64_t factor;
  unsigned loop;
};

/// Returns the terms of an index such as h * 4 + g, by increasing factor. A
/// constant has no terms. Returns nothing if the index is not a sum of loops.
std::optional<SmallVector<IndexTerm>> termsOfIndex(AffineExpr index);

} // namespace mlir::llm

#endif // LLM_WORKLOAD_INDEXTERMS_H
