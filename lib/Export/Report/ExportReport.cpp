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
  if (file.empty()) {
    writeReport(reports, format, llvm::errs());
    return success();
  }
  return getAnalysis<ExportedFiles>().write(
      *this, file,
      [&](llvm::raw_ostream &os) { writeReport(reports, format, os); });
}

void ExportReportPass::runOnOperation() {
  if (functionsToExport(getOperation(), "there is nothing to report").empty())
    return;
  if (failed(exportReports()))
    signalPassFailure();
}
