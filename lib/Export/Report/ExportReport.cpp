//===- ExportReport.cpp - What each op costs and when it runs -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunComparisonWriters.h"
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
                        const BesideBaseline *beside, llvm::raw_ostream &os) {
  switch (format) {
  case ReportFormat::Auto: // it was resolved
  case ReportFormat::Table:
    return writeReportTable(reports, os, beside);
  case ReportFormat::Json:
    return writeReportJson(reports, os, beside);
  case ReportFormat::Csv:
    return writeReportCsv(reports, os);
  }
}

/// Returns the format that the suffix of a file stands for; nothing for others.
static std::optional<ReportFormat> formatOfSuffix(StringRef file) {
  if (file.ends_with(".json"))
    return ReportFormat::Json;
  if (file.ends_with(".csv"))
    return ReportFormat::Csv;
  return std::nullopt;
}

namespace {
struct ExportReportPass
    : ExportPass<llm::impl::ExportReportPassBase<ExportReportPass>> {
  using ExportPass::ExportPass;
  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  ReportFormat chosenFormat() const {
    return format == ReportFormat::Auto
               ? formatOfSuffix(file).value_or(ReportFormat::Table)
               : format.getValue();
  }
  LogicalResult checkBaseline();
  LogicalResult exportReports();
  LogicalResult writeBesideCsv(ArrayRef<Report> reports,
                               const BesideBaseline *beside);
};
} // namespace

/// A name that says JSON holds JSON.
LogicalResult ExportReportPass::initialize(MLIRContext *context) {
  std::optional<ReportFormat> named = formatOfSuffix(file);
  if (named && *named != chosenFormat())
    return emitFormatError(*this, file, context);
  return ExportPass::initialize(context);
}

/// Rows of ops have no columns for a comparison, and a stream holds one table.
LogicalResult ExportReportPass::checkBaseline() {
  if (baseline.empty() || chosenFormat() != ReportFormat::Csv ||
      StringRef(file).ends_with(".csv"))
    return success();
  return emitError(UnknownLoc::get(&getContext()))
         << "--llm-export-report=format=csv baseline=...: the comparison is "
            "written into a file beside the rows of ops, so these need one: "
            "with file=ops.csv it is 'ops.comparison.csv'";
}

/// The figures of the whole program and the comparison have files of their own.
LogicalResult ExportReportPass::writeBesideCsv(ArrayRef<Report> reports,
                                               const BesideBaseline *beside) {
  StringRef name = file;
  if (chosenFormat() != ReportFormat::Csv || !name.consume_back(".csv"))
    return success();
  auto &files = getAnalysis<ExportedFiles>();
  if (failed(files.write(
          *this, (name + ".summary.csv").str(),
          [&](llvm::raw_ostream &os) { writeReportSummaryCsv(reports, os); })))
    return failure();
  if (!beside)
    return success();
  return files.write(
      *this, (name + ".comparison.csv").str(),
      [&](llvm::raw_ostream &os) { writeRunComparisonCsv(*beside, os); });
}

LogicalResult ExportReportPass::exportReports() {
  FailureOr<Evaluation> evaluation = Evaluation::read(getOperation());
  if (failed(evaluation))
    return failure();
  ArrayRef<Report> reports = evaluation->reports();
  std::optional<BesideBaseline> compared;
  if (!baseline.empty()) {
    FailureOr<BesideBaseline> result =
        compareWithBaseline(*this, baseline, reports, getOperation().getLoc());
    if (failed(result))
      return failure();
    compared = std::move(*result);
  }
  const BesideBaseline *beside = compared ? &*compared : nullptr;
  auto &files = getAnalysis<ExportedFiles>();
  auto write = [&](llvm::raw_ostream &os) {
    writeReport(reports, chosenFormat(), beside, os);
  };
  if (file.empty()) {
    files.print(*this, write);
    return success();
  }
  if (failed(files.write(*this, file, write)))
    return failure();
  return writeBesideCsv(reports, beside);
}

void ExportReportPass::runOnOperation() {
  if (functionsToExport(getOperation(), "there is nothing to report").empty())
    return;
  if (failed(checkBaseline()) || failed(exportReports()))
    signalPassFailure();
}
