//===- ExportHtml.cpp - The report as a page for a browser ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page (tools/llm-viewer) is one file that shows a JSON report. Here the
// report is put into it.
//
//===----------------------------------------------------------------------===//

#include "ViewerPage.h"
#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Export/Page/ReportPage.h"
#include "llm/Export/Passes.h"
#include "llm/Export/Report/BaselineReport.h"
#include "llm/Results/Evaluation.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTHTMLPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
struct ExportHtmlPass
    : ExportPass<llm::impl::ExportHtmlPassBase<ExportHtmlPass>> {
  using ExportPass::ExportPass;
  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkOpen(*this, file, open, context)))
      return failure();
    return ExportPass::initialize(context);
  }
  void runOnOperation() override;

private:
  LogicalResult exportReports();
  LogicalResult writePage(StringRef summary, StringRef data);
};
} // namespace

LogicalResult ExportHtmlPass::writePage(StringRef summary, StringRef data) {
  // Chromium opens a page of 10 MB in a second and one of 95 MB in six.
  constexpr size_t easyBytes = 20'000'000;
  if (data.size() > easyBytes)
    emitWarning(getOperation().getLoc())
        << "the page holds " << data.size() / 1'000'000
        << " MB, which browsers open slowly: schedule whole ops "
           "(--llm-schedule=granularity=op), or layers as a loop";
  return getAnalysis<ExportedFiles>().write(
      *this, file,
      [&](llvm::raw_ostream &os) { fillViewerPage(summary, data, os); });
}

LogicalResult ExportHtmlPass::exportReports() {
  FailureOr<Evaluation> evaluation = Evaluation::read(getOperation());
  if (failed(evaluation))
    return failure();
  ArrayRef<Report> reports = evaluation->reports();
  std::string data = "{\"report\":" + toPageText(reports);
  if (!baseline.empty()) {
    FailureOr<BesideBaseline> beside =
        compareWithBaseline(*this, baseline, reports, getOperation().getLoc());
    if (failed(beside))
      return failure();
    data += ",\"baseline\":" + toPageText(StringRef(beside->text)) +
            ",\"matches\":" + encodeMatches(beside->comparisons);
  }
  data += "}";
  return writePage(summarize(reports), data);
}

void ExportHtmlPass::runOnOperation() {
  if (getViewerPage().empty()) {
    emitError(UnknownLoc::get(&getContext()))
        << "--llm-export-html: this build has no page: " << getViewerLack()
        << "; --llm-export-report=format=json has the same figures";
    return signalPassFailure();
  }
  if (functionsToExport(getOperation(), "there is nothing to show").empty())
    return;
  if (failed(exportReports()) ||
      (open && failed(getAnalysis<ExportedFiles>().open(*this, file))))
    signalPassFailure();
}
