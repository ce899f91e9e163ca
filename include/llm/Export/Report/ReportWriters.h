//===- ReportWriters.h - Reports as tables, JSON and CSV --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_REPORT_REPORTWRITERS_H
#define LLM_EXPORT_REPORT_REPORTWRITERS_H

#include "llm/Results/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

struct BesideBaseline;

/// Returns a sentence or two on how far the times can be trusted.
std::string describeCertainty(const Target &target);

/// Writes what stands above the table of ops: machine, bounds, tokens, energy.
void writeReportSummary(const Report &report, llvm::raw_ostream &os);
/// The table and JSON also compare with a baseline, if there is one.
void writeReportTable(ArrayRef<Report> reports, llvm::raw_ostream &os,
                      const BesideBaseline *beside = nullptr);
void writeReportJson(ArrayRef<Report> reports, llvm::raw_ostream &os,
                     const BesideBaseline *beside = nullptr);
void writeReportCsv(ArrayRef<Report> reports, llvm::raw_ostream &os);
/// Writes a row for each function, with the figures from above the table.
void writeReportSummaryCsv(ArrayRef<Report> reports, llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_EXPORT_REPORT_REPORTWRITERS_H
