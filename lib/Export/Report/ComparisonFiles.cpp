//===- ComparisonFiles.cpp - Measured beside predicted, as JSON and CSV ---===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Report/ComparisonTable.h"
#include "llm/Files/CsvWriter.h"

using namespace mlir;
using namespace mlir::llm;

using Json = nlohmann::ordered_json;

static std::vector<std::string> splitEvidence(StringRef evidence) {
  std::vector<std::string> words;
  SmallVector<StringRef> parts;
  evidence.split(parts, ", ", -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    words.push_back(part.str());
  return words;
}

static Json toJson(const ComparedOp &op) {
  Json json = {{"name", op.name}, {"runs", op.runs}};
  if (!op.ops.empty()) {
    Json &names = json["ops"] = Json::array();
    for (StringRef name : op.ops)
      names.push_back(name.str());
  }
  json["measured_us"] = op.measuredMicroseconds;
  json["predicted_us"] = op.predictedMicroseconds;
  if (std::optional<double> ratio = op.ratio())
    json["ratio"] = *ratio;
  json["bound"] = stringifyCostBound(op.bound).str();
  if (!op.evidence.empty())
    json["matched_by"] = splitEvidence(op.evidence);
  if (op.pieces)
    json["pieces"] = op.pieces;
  if (!op.nanosecondsOfPass.empty())
    json["measured_ns_of_passes"] = op.nanosecondsOfPass;
  return json;
}

static Json toJson(const MeasuredPass &pass) {
  Json json = {{"start_us", pass.startMicroseconds},
               {"end_us", pass.endMicroseconds},
               {"work_ns", pass.workNanoseconds},
               {"matched_ns", pass.matchedNanoseconds},
               {"compared", pass.whyNot.empty()}};
  if (!pass.whyNot.empty())
    json["why_not"] = pass.whyNot;
  return json;
}

static Json toJson(ArrayRef<UncomparedWork> works, StringRef runs) {
  Json list = Json::array();
  for (const UncomparedWork &work : works) {
    Json json = {{"name", work.name},
                 {runs.str(), work.runs},
                 {"us", work.microseconds}};
    if (!work.reason.empty())
      json["why"] = work.reason;
    if (!work.nanosecondsOfPass.empty())
      json["measured_ns_of_passes"] = work.nanosecondsOfPass;
    list.push_back(std::move(json));
  }
  return list;
}

void llm::writeComparisonJson(const Comparison &comparison,
                              llvm::raw_ostream &os) {
  Json json;
  if (const std::optional<ComparedShare> &share = comparison.share)
    json["matched"] = {{"measured_us", share->measured},
                       {"all_measured_us", share->allMeasured},
                       {"predicted_us", share->predicted},
                       {"all_predicted_us", share->allPredicted}};
  json["notes"] = comparison.notes;
  for (const MeasuredPass &pass : comparison.passes)
    json["passes"].push_back(toJson(pass));
  if (comparison.share)
    json["measured_work_us"] = comparison.measuredWorkMicroseconds();
  json["measured_us"] = comparison.measuredMicroseconds;
  json["predicted_us"] = comparison.predictedMicroseconds;
  Json &ops = json["ops"] = Json::array();
  for (const ComparedOp &op : comparison.ops)
    ops.push_back(toJson(op));
  json["only_measured"] =
      toJson(comparison.onlyMeasured, comparison.share ? "pieces" : "runs");
  json["only_predicted"] = toJson(comparison.onlyPredicted, "runs");
  // Names of foreign tools may be no UTF-8.
  os << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

void llm::writeComparisonCsv(const Comparison &comparison,
                             llvm::raw_ostream &os) {
  constexpr int decimals = 6;
  {
    CsvLine head(os);
    for (StringRef column : {"name", "runs", "measured_us", "predicted_us",
                             "ratio", "bound", "matched_by"})
      head << column;
  }
  for (const ComparedOp &op : comparison.ops) {
    CsvLine line(os);
    line << op.name << op.runs;
    line.addReal(op.measuredMicroseconds, decimals);
    line.addReal(op.predictedMicroseconds, decimals);
    if (std::optional<double> ratio = op.ratio())
      line.addReal(*ratio, decimals);
    else
      line << "";
    line << stringifyCostBound(op.bound) << op.evidence;
  }
  for (const UncomparedWork &work : comparison.onlyMeasured) {
    CsvLine line(os);
    line << work.name << work.runs;
    line.addReal(work.microseconds, decimals);
    line << ""
         << ""
         << ""
         << "";
  }
  for (const UncomparedWork &work : comparison.onlyPredicted) {
    CsvLine line(os);
    line << work.name << work.runs << "";
    line.addReal(work.microseconds, decimals);
    line << ""
         << ""
         << "";
  }
}
