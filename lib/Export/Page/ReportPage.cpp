//===- ReportPage.cpp - Reports as a page for a browser -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Page/ReportPage.h"
#include "ViewerPage.h"
#include "llm/Export/Report/ComparisonTable.h"
#include "llm/Export/Report/ReportWriters.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;

std::string mlir::llm::toPageText(StringRef json) {
  std::string text;
  text.reserve(json.size());
  bool isInString = false;
  for (size_t at = 0; at < json.size(); ++at) {
    char letter = json[at];
    if (!isInString && StringRef(" \t\r\n").contains(letter))
      continue;
    if (letter == '"')
      isInString = !isInString;
    if (letter == '<') {
      text += "\\u003c";
      continue;
    }
    text += letter;
    if (letter == '\\' && at + 1 < json.size())
      text += json[++at];
  }
  return text;
}

std::string mlir::llm::summarize(ArrayRef<Report> reports) {
  std::string text, page;
  llvm::raw_string_ostream os(text), pageStream(page);
  for (const Report &report : reports) {
    writeReportSummary(report, os);
    os << "\n";
  }
  ::llvm::printHTMLEscaped(text, pageStream);
  return page;
}

std::string mlir::llm::toPageText(ArrayRef<Report> reports) {
  std::string data;
  llvm::raw_string_ostream os(data);
  writeReportJson(reports, os);
  return toPageText(StringRef(data));
}

static nlohmann::json toJson(const std::optional<RunComparison> &comparison) {
  if (!comparison)
    return nullptr;
  nlohmann::json ops = nlohmann::json::array();
  for (const SameWork &work : comparison->work)
    ops.push_back({work.ops.first, work.ops.second, work.microseconds,
                   work.baselineMicroseconds});
  nlohmann::json modules = nlohmann::json::array();
  for (const ModuleTimes &module : comparison->modules) {
    modules.push_back({module.module, module.microseconds});
    if (module.baselineMicroseconds)
      modules.back().push_back(*module.baselineMicroseconds);
  }
  return {{"baseline", comparison->baseline},
          {"ops", std::move(ops)},
          {"modules", std::move(modules)}};
}

std::string
mlir::llm::encodeMatches(ArrayRef<std::optional<RunComparison>> comparisons) {
  nlohmann::json matches = nlohmann::json::array();
  for (const std::optional<RunComparison> &comparison : comparisons)
    matches.push_back(toJson(comparison));
  return toPageText(StringRef(
      matches.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

void mlir::llm::fillViewerPage(StringRef summary, StringRef data,
                               llvm::raw_ostream &os) {
  auto [head, rest] = getViewerPage().split(viewerSummaryMark);
  auto [middle, tail] = rest.split(viewerDataMark);
  os << head << summary << middle << data << tail;
}

std::string mlir::llm::findPageFault(StringRef file) {
  if (file.empty())
    return "";
  if (getViewerPage().empty())
    return ("this build has no page: " + getViewerLack()).str();
  if (file == "-" || file.starts_with("/dev/") || file.ends_with(".html") ||
      file.ends_with(".htm"))
    return "";
  return ("a page is written, and its name ends in .html; got '" + file + "'")
      .str();
}

/// A page has a row for each op, also for ops that ran as one kernel.
static std::vector<std::string> describeForPage(const Comparison &comparison) {
  std::vector<std::string> sentences = {
      "What was measured, with what is predicted beside it."};
  bool areShared = llvm::any_of(
      comparison.ops, [](const ComparedOp &op) { return op.ops.size() > 1; });
  if (areShared)
    sentences.push_back("Ops that ran as one share their time here as they are "
                        "predicted to.");
  llvm::append_range(sentences, describeComparison(comparison));
  return sentences;
}

void mlir::llm::writeComparedPage(const Report &measured,
                                  const Report &predicted,
                                  const Comparison &comparison,
                                  llvm::raw_ostream &os) {
  std::string sentences =
      nlohmann::json(describeForPage(comparison))
          .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  fillViewerPage(
      summarize(measured),
      "{\"report\":" + toPageText(measured) +
          ",\"baseline\":" + toPageText(predicted) + ",\"matches\":" +
          encodeMatches(
              compareRuns(comparableRun(measured), comparableRun(predicted))) +
          ",\"measured\":true,\"notes\":" + toPageText(StringRef(sentences)) +
          "}",
      os);
}
