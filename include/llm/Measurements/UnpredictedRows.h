//===- UnpredictedRows.h - Rows that a target cannot predict ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_UNPREDICTEDROWS_H
#define LLM_MEASUREMENTS_UNPREDICTEDROWS_H

#include "llm/Diagnostics/Reasons.h"
#include "llm/Measurements/MeasuredTable.h"

#include <map>

namespace mlir::llm {

/// Rows of one kind of op that cannot be predicted for the same reason. They
/// are collected, because a bad row among hundreds must not stop the others.
struct UnpredictedRows {
  const MeasuredRow *first = nullptr;
  std::string reason;
  size_t rows = 0;
};

/// Collects unpredicted rows by kind of op and reason. The rows must outlive
/// it.
class UnpredictedCollector {
public:
  /// Runs `predict`, and keeps the reason if it fails.
  LogicalResult attempt(const MeasuredRow &row,
                        function_ref<LogicalResult(Reasons)> predict);
  void add(const MeasuredRow &row, std::string reason);
  /// Returns the groups sorted by kind of op, with the reason that most rows
  /// have first.
  std::vector<UnpredictedRows> take();

private:
  std::map<std::pair<StringRef, std::string>, UnpredictedRows> found;
};

/// The reason for rows of a kind that has no op.
inline constexpr StringLiteral noSuchKind = "there is no op of this kind";

/// Emits one error for each reason, at its first row. It is for the case that
/// no row can be predicted.
void emitErrors(ArrayRef<UnpredictedRows> unpredicted);
/// Emits warnings instead, for outputs that have no room for the reasons.
void emitWarnings(ArrayRef<UnpredictedRows> unpredicted);
/// Prints for people "not predicted: ..." with reasons and counts.
void printUnpredicted(llvm::raw_ostream &os,
                      ArrayRef<UnpredictedRows> unpredicted);

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_UNPREDICTEDROWS_H
