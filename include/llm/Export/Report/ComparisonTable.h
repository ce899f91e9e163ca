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

/// Writes a table with a row for each op, in the order of the program. A row
/// has the measured and the predicted microseconds of all its runs, their
/// ratio, its share of the difference, and what binds the prediction. After the
/// rows come the sums, and what only one side has. For a trace, the first lines
/// say how much of both sides is compared.
void writeComparisonTable(const Comparison &comparison,
                          ::llvm::raw_ostream &os);
/// Writes JSON with everything that the table has, and the times of each pass.
void writeComparisonJson(const Comparison &comparison, ::llvm::raw_ostream &os);
/// Writes CSV with one line for each op, and one for each work of only one
/// side.
void writeComparisonCsv(const Comparison &comparison, ::llvm::raw_ostream &os);

/// Returns as sentences what the table says besides its rows: how much is
/// compared, and what only one side has.
std::vector<std::string> describeComparison(const Comparison &comparison);

} // namespace mlir::llm

#endif // LLM_EXPORT_REPORT_COMPARISONTABLE_H
