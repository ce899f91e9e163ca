//===- OpChecks.h - What inference and verification share -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_OPCHECKS_H
#define LLM_LIB_DIALECT_LLM_IR_OPCHECKS_H

#include "llm/Dialect/Llm/IR/Llm.h"

namespace mlir::llm {

/// Reports a broken constraint of result type inference at `loc`, if there is
/// one.
template <typename... Args>
LogicalResult fail(std::optional<Location> loc, StringRef opName,
                   Args &&...args) {
  if (!loc)
    return failure();
  InFlightDiagnostic diagnostic = mlir::emitError(*loc)
                                  << "'" << opName << "' op ";
  (diagnostic << ... << std::forward<Args>(args));
  return diagnostic;
}

inline RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// type-C2. The verifier checks it as well, but inference runs first where the
/// op is parsed, and must not ask for dimensions that are not there.
inline LogicalResult
verifyRanks(std::optional<Location> loc, StringRef opName,
            ArrayRef<std::pair<Value, int64_t>> valuesAndRanks) {
  for (auto [value, rank] : valuesAndRanks)
    if (value && tensorType(value).getRank() != rank)
      return fail(loc, opName, "needs an operand of rank ", rank, ", got ",
                  value.getType());
  return success();
}

/// Sizes agree unless both are static and differ.
inline bool agree(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

/// The columns of lhs are the `k` that rhs reduces over.
inline LogicalResult verifyReduction(std::optional<Location> loc,
                                     StringRef opName, RankedTensorType lhs,
                                     RankedTensorType rhs, int64_t k,
                                     bool transposed) {
  if (agree(lhs.getDimSize(1), k))
    return success();
  return fail(loc, opName, "reduction sizes differ: lhs ", lhs,
              " has k = ", lhs.getDimSize(1), ", rhs ", rhs, " has k = ", k,
              transposed ? "" : "; is 'transpose_rhs' missing?");
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_OPCHECKS_H
