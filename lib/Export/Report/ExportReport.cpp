//===- ExportReport.cpp - What each op costs and when it runs -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Export/Passes.h"
#include "llm/Export/Report/ReportWriters.h"
#include "llm/Results/Evaluation.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTREPORTPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

static void writeReport(ArrayRef<Report> reports, ReportFormat format,
                        llvm::raw_ostream &os) {
  switch (format) {
  case ReportFormat::Table:
    return writeReportTable(reports, os);
  case ReportFormat::Json:
    return writeReportJson(reports, os);
  case ReportFormat::Csv:
    return writeReportCsv(reports, os);
  }
}

namespace {
struct ExportReportPass
    : ExportPass<llm::impl::ExportReportPassBase<ExportReportPass>> {
  using ExportPass::ExportPass;
  void runOnOperation() override;

private:
  LogicalResult exportReports();
};
} // namespace

LogicalResult ExportReportPass::exportReports() {
  FailureOr<Evaluation> evaluation = Evaluation::read(getOperation());
  if (failed(evaluation))
    return failure();
  ArrayRef<Report> reports = evaluation->reports();
  auto &files = getAnalysis<ExportedFiles>();
  auto write = [&](llvm::raw_ostream &os) { writeReport(reports, format, os); };
  if (file.empty()) {
    files.print(*this, write);
    return success();
  }
  if (failed(files.write(*this, file, write)))
    return failure();
  // Rows of ops have no place for what is of the whole.
  StringRef name = file;
  if (format != ReportFormat::Csv || !name.consume_back(".csv"))
    return success();
  return files.write(
      *this, (name + ".summary.csv").str(),
      [&](llvm::raw_ostream &os) { writeReportSummaryCsv(reports, os); });
}

void ExportReportPass::runOnOperation() {
  if (functionsToExport(getOperation(), "there is nothing to report").empty())
    return;
  if (failed(exportReports()))
    signalPassFailure();
}
