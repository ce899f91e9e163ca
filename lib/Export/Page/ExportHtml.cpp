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

/// What is compared with nothing.
static void warnOfUncompared(ArrayRef<NamedFunction> functions,
                             ArrayRef<NamedFunction> inBaseline, Location loc) {
  if (functions.size() == 1 && inBaseline.size() == 1)
    return;
  auto namesOf = [](ArrayRef<NamedFunction> of) {
    return ::llvm::map_to_vector(
        of, [](const NamedFunction &function) { return function.name; });
  };
  auto without = [&](ArrayRef<NamedFunction> of,
                     ArrayRef<NamedFunction> others) {
    SmallVector<std::string> known = namesOf(others), left = namesOf(of);
    ::llvm::erase_if(left, [&](const std::string &name) {
      return ::llvm::is_contained(known, name);
    });
    return left;
  };
  if (auto left = without(functions, inBaseline); !left.empty())
    emitWarning(loc) << "--llm-export-html=baseline=...: the baseline has no "
                     << "function " << listNames(left) << ", only "
                     << listNames(namesOf(inBaseline))
                     << ", so nothing is compared there";
  if (auto left = without(inBaseline, functions); !left.empty())
    emitWarning(loc) << "--llm-export-html=baseline=...: in the baseline only, "
                        "and compared with nothing: "
                     << listNames(left);
}

/// Of a report that was checked.
static FailureOr<NamedFunction> readFunction(const LocatedJson &report) {
  NamedFunction function{*report.find("function")->asString(), {}};
  auto nameOf = [](const LocatedJson &op) -> FailureOr<std::string> {
    FailureOr<const LocatedJson *> name = op.require("name");
    if (failed(name))
      return failure();
    return (*name)->asString();
  };
  for (const LocatedJson &op : report.find("ops")->elements()) {
    FailureOr<std::string> name = nameOf(op);
    if (failed(name))
      return failure();
    function.ops.push_back({*name});
    const LocatedJson *inside = op.find("fused");
    for (const LocatedJson &part :
         inside ? inside->elements() : std::vector<LocatedJson>()) {
      FailureOr<std::string> partName = nameOf(part);
      if (failed(partName))
        return failure();
      if (!partName->empty())
        function.ops.back().parts.push_back(*partName);
    }
  }
  return function;
}

/// The functions of a JSON report that another run has written.
static FailureOr<std::vector<NamedFunction>>
readFunctions(const LocatedJson &root) {
  const LocatedJson *several = root.find("functions");
  if (several && failed(several->expectArray()))
    return failure();
  std::vector<NamedFunction> functions;
  for (const LocatedJson &report :
       several ? ArrayRef(several->elements()) : ArrayRef(root)) {
    FailureOr<NamedFunction> function = failure();
    if (succeeded(checkReport(report)))
      function = readFunction(report);
    if (failed(function))
      return failure();
    functions.push_back(std::move(*function));
  }
  return functions;
}

/// What the page has of the baseline: its text, and what is compared with it.
static FailureOr<std::string>
readBaseline(StringRef path, ArrayRef<NamedFunction> functions, Location loc) {
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
  FailureOr<std::vector<NamedFunction>> inBaseline = readFunctions(*root);
  if (failed(inBaseline)) {
    root->emitError() << "expected a report of --llm-export-report=format=json";
    return failure();
  }
  warnOfUncompared(functions, *inBaseline, loc);
  text.consume_front("\xEF\xBB\xBF"); // the byte order mark
  return ",\"baseline\":" + toPageText(text) +
         ",\"matches\":" + encodeMatches(functions, *inBaseline);
}

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
    std::vector<NamedFunction> functions;
    for (const Report &report : reports)
      functions.push_back(llm::namedFunction(report));
    FailureOr<std::string> other =
        readBaseline(baseline, functions, getOperation().getLoc());
    if (failed(other))
      return failure();
    data += *other;
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
