//===- ComparisonTable.h - Measured beside predicted ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_REPORT_COMPARISONTABLE_H
#define LLM_EXPORT_REPORT_COMPARISONTABLE_H

#include "llm/Results/Comparison.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// Writes a row for each op, in the order of the program: microseconds of all
/// its runs measured and predicted, their ratio, its share of the difference,
/// and what bounds the prediction. Behind the rows stand the sums, and what
/// only one side has. For a trace it says first how much of both sides is
/// compared.
void writeComparisonTable(const Comparison &comparison,
                          ::llvm::raw_ostream &os);
/// Writes the same for programs: all that the table has, and the times of each
/// pass.
void writeComparisonJson(const Comparison &comparison, ::llvm::raw_ostream &os);
/// Writes one line for each op, and for what only one side has.
void writeComparisonCsv(const Comparison &comparison, ::llvm::raw_ostream &os);

/// Says in sentences what the table says besides its rows: how much is
/// compared, and what only one side has.
std::vector<std::string> describeComparison(const Comparison &comparison);

} // namespace mlir::llm

#endif // LLM_EXPORT_REPORT_COMPARISONTABLE_H
