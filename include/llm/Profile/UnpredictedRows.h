//===- UnpredictedRows.h - Rows that a target cannot predict ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_UNPREDICTEDROWS_H
#define LLM_PROFILE_UNPREDICTEDROWS_H

#include "llm/Diagnostics/Reasons.h"
#include "llm/Profile/MeasuredTable.h"

#include <map>

namespace mlir::llm {

/// Rows of one kind of op that cannot be predicted for one reason. A bad row
/// among hundreds must not stop the others.
struct UnpredictedRows {
  const MeasuredRow *first = nullptr;
  std::string reason;
  size_t rows = 0;
};

/// Collects them by kind of op and reason. The rows must outlive it.
class UnpredictedCollector {
public:
  /// Runs `predict`, and keeps the reason if it fails.
  LogicalResult attempt(const MeasuredRow &row,
                        function_ref<LogicalResult(Reasons)> predict);
  void add(const MeasuredRow &row, std::string reason);
  /// Returns the groups by kind of op, with the reason of most rows first.
  std::vector<UnpredictedRows> take();

private:
  std::map<std::pair<StringRef, std::string>, UnpredictedRows> found;
};

/// Why a row of a kind without an op is not predicted.
inline constexpr StringLiteral noSuchKind = "there is no op of this kind";

/// Emits one error at the first row of each reason, if no other row is left.
void emitErrors(ArrayRef<UnpredictedRows> unpredicted);
/// Emits the same as warnings, for outputs that have no room for them.
void emitWarnings(ArrayRef<UnpredictedRows> unpredicted);
/// Writes for people: "not predicted: ..." with reasons and counts.
void printUnpredicted(llvm::raw_ostream &os,
                      ArrayRef<UnpredictedRows> unpredicted);

} // namespace mlir::llm

#endif // LLM_PROFILE_UNPREDICTEDROWS_H
