//===- ComparisonTable.h - Measured beside predicted, for people -*- C++
//-*-===//
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

/// A row for each op, in the order of the program: microseconds of all its runs
/// measured and predicted, their ratio, its share of what the two differ by,
/// and what bounds the prediction. Behind them the sums, and ops of one side.
void writeComparisonTable(const Comparison &comparison,
                          ::llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_EXPORT_REPORT_COMPARISONTABLE_H
