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
#include "llm/Export/Report/ReportWriters.h"
#include "llm/Files/InputFile.h"
#include "llm/Files/LocatedJson.h"
#include "llm/Results/Evaluation.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTHTMLPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// As far as no page could show it otherwise.
static LogicalResult checkReport(const LocatedJson &report) {
  for (StringRef key : {"ops", "engines", "memories", "loops"}) {
    FailureOr<const LocatedJson *> list = report.require(key);
    if (failed(list) || failed((*list)->expectArray()))
      return failure();
  }
  for (StringRef key : {"function", "target", "policy"}) {
    FailureOr<const LocatedJson *> name = report.require(key);
    if (failed(name) || failed((*name)->asString()))
      return failure();
  }
  for (StringRef key : {"clock_hz", "makespan_cycles", "makespan_us"}) {
    FailureOr<const LocatedJson *> number = report.require(key);
    if (failed(number) || failed((*number)->asNumber()))
      return failure();
  }
  return success();
}

/// "'a', 'b'", or some of very many.
static std::string listNames(ArrayRef<std::string> names) {
  constexpr size_t most = 8;
  std::string text = "'" + ::llvm::join(names.take_front(most), "', '") + "'";
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

/// The page compares functions of one name, and a single one with a single one.
static void warnOfUncompared(ArrayRef<std::string> functions,
                             ArrayRef<std::string> inBaseline, Location loc) {
  if (functions.size() == 1 && inBaseline.size() == 1)
    return;
  auto without = [](ArrayRef<std::string> names, ArrayRef<std::string> others) {
    std::set<StringRef> known(others.begin(), others.end());
    std::vector<std::string> left;
    ::llvm::copy_if(
        names, std::back_inserter(left),
        [&](const std::string &name) { return known.count(name) == 0; });
    return left;
  };
  if (auto left = without(functions, inBaseline); !left.empty())
    emitWarning(loc) << "--llm-export-html=baseline=...: the baseline has no "
                     << "function " << listNames(left) << ", only "
                     << listNames(inBaseline)
                     << ", so nothing is compared there";
  if (auto left = without(inBaseline, functions); !left.empty())
    emitWarning(loc) << "--llm-export-html=baseline=...: in the baseline only, "
                        "and compared with nothing: "
                     << listNames(left);
}

/// Of a report that was checked.
static std::string functionOf(const LocatedJson &report) {
  FailureOr<std::string> name = report.find("function")->asString();
  return succeeded(name) ? *name : "";
}

/// The text of a JSON report that another run has written; `functions` are
/// those to compare it with.
static FailureOr<std::string>
readBaseline(StringRef path, ArrayRef<std::string> functions, Location loc) {
  MLIRContext *context = loc.getContext();
  ::llvm::Expected<std::unique_ptr<::llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return emitError(UnknownLoc::get(context))
           << "--llm-export-html=baseline=...: "
           << ::llvm::toString(file.takeError());
  StringRef text = (*file)->getBuffer();
  FailureOr<LocatedJson> root = LocatedJson::parse(text, path, context);
  if (failed(root))
    return failure();
  const LocatedJson *several = root->find("functions");
  if (!several ? failed(checkReport(*root))
               : failed(several->expectArray()) ||
                     llvm::any_of(several->elements(),
                                  [](const LocatedJson &report) {
                                    return failed(checkReport(report));
                                  })) {
    root->emitError() << "expected a report of --llm-export-report=format=json";
    return failure();
  }
  std::vector<std::string> inBaseline;
  if (several)
    for (const LocatedJson &report : several->elements())
      inBaseline.push_back(functionOf(report));
  else
    inBaseline.push_back(functionOf(*root));
  warnOfUncompared(functions, inBaseline, loc);
  text.consume_front("\xEF\xBB\xBF"); // the byte order mark
  return toPageText(text);
}

namespace {
struct ExportHtmlPass
    : ExportPass<llm::impl::ExportHtmlPassBase<ExportHtmlPass>> {
  using ExportPass::ExportPass;
  void runOnOperation() override;

private:
  LogicalResult exportReports();
  LogicalResult writePage(StringRef summary, StringRef data);
};
} // namespace

LogicalResult ExportHtmlPass::writePage(StringRef summary, StringRef data) {
  // Chromium opens 10 MB in a second and 95 MB in six.
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
    std::vector<std::string> names;
    for (const Report &report : reports)
      names.push_back(report.functionName().str());
    FailureOr<std::string> other =
        readBaseline(baseline, names, getOperation().getLoc());
    if (failed(other))
      return failure();
    data += ",\"baseline\":" + *other;
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
  if (failed(exportReports()))
    signalPassFailure();
}
