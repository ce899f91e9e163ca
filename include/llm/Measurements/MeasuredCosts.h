//===- MeasuredCosts.h - Measured times in a target -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_MEASUREDCOSTS_H
#define LLM_MEASUREMENTS_MEASUREDCOSTS_H

#include "llm/Measurements/UnpredictedRows.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// What became of the rows of a table.
struct MeasuredCosts {
  size_t rows = 0; ///< that correct costs
  std::vector<UnpredictedRows> unused;
  /// Rows whose bytes would have to pass faster than memory sustains. Costs end
  /// at what memory sustains.
  size_t fasterThanMemory = 0;
};

/// How the formula predicts rows: as ops of a program on the target, or each
/// with the kernels of its backend and launched as it was timed.
enum class Conditions { OfTarget, OfRow };

/// Puts the times of the rows, and how they compare with the formula, into
/// `target`, instead of those that it has. A row of several kernels tells how
/// all of them compare, and the time of the main one: what the others leave of
/// the row's time. Operands in the cache make a row tell only how it compares.
/// These rows are not used: exchanges, kinds without an op, ops that the target
/// does not run as one kernel, and times of which a unit must be wrong. The
/// rows must outlive the result.
MeasuredCosts setMeasuredTimes(Target &target, ArrayRef<MeasuredRow> rows,
                               MLIRContext *context,
                               Conditions conditions = Conditions::OfTarget);

/// Reads the rows of tables, keeps those of `filter`, and does the same. Rows
/// that are not used are warned of. These are errors: those of
/// `readMeasuredTable`, no row is left or used, rows of several devices, and
/// rows of one kind of op from several libraries (`emitError` tells).
LogicalResult readMeasuredTimes(ArrayRef<std::string> paths,
                                const MeasuredFilter &filter, Target &target,
                                MLIRContext *context, EmitError emitError,
                                Conditions conditions = Conditions::OfTarget);

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_MEASUREDCOSTS_H
