//===- RunComparisonJson.cpp - Two runs for programs ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunComparisonWriters.h"
#include "llm/Files/CsvWriter.h"
#include "llm/Files/Utf8.h"
#include "llm/Support/ShortestDecimal.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

using Json = nlohmann::ordered_json;

static std::vector<std::string> namesOf(const ComparableRun &run,
                                        ArrayRef<unsigned> ops) {
  std::vector<std::string> names;
  for (unsigned op : ops)
    names.push_back(run.ops[op].name);
  return names;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void addDifference(Json &json, double now, double before) {
  json["difference_us"] = now - before;
  if (std::optional<double> percent = differencePercent(now, before))
    json["difference_percent"] = *percent;
}

static Json toJson(const ComparableRun &run, ArrayRef<unsigned> ops) {
  Json json = Json::array();
  for (unsigned op : ops)
    json.push_back({{"name", run.ops[op].name},
                    {"count", run.extents[op].count},
                    {"elapsed_us", run.elapsedMicroseconds(op)}});
  return json;
}

/// A module without a time of its own in the baseline has no difference.
static Json toJson(const ModuleTimes &module) {
  Json json = {{"module", module.module}, {"elapsed_us", module.microseconds}};
  if (!module.baselineMicroseconds)
    return json;
  json["baseline_elapsed_us"] = *module.baselineMicroseconds;
  addDifference(json, module.microseconds, *module.baselineMicroseconds);
  return json;
}

Json mlir::llm::comparisonToJson(const BesideBaseline &beside, unsigned index) {
  const std::optional<RunComparison> &comparison = beside.comparisons[index];
  if (!comparison)
    return nullptr;
  const ComparableRun &run = beside.runs[index];
  const ComparableRun &baseline = beside.baselines[comparison->baseline];
  Json json = {{"baseline_function", baseline.function},
               {"baseline_target", baseline.target},
               {"makespan_us", run.makespanMicroseconds},
               {"baseline_makespan_us", baseline.makespanMicroseconds}};
  addDifference(json, run.makespanMicroseconds, baseline.makespanMicroseconds);
  if (std::vector<std::string> other =
          describeOtherWork(run.program, baseline.program);
      !other.empty())
    json["other_work"] = other;
  json["longer"] = comparison->countLonger();
  json["shorter"] = comparison->countShorter();
  json["ops"] = Json::array();
  for (const SameWork &work : comparison->work) {
    json["ops"].push_back(
        {{"names", namesOf(run, work.ops.first)},
         {"baseline_names", namesOf(baseline, work.ops.second)},
         {"count", work.runs},
         {"elapsed_us", work.microseconds},
         {"baseline_elapsed_us", work.baselineMicroseconds}});
    addDifference(json["ops"].back(), work.microseconds,
                  work.baselineMicroseconds);
  }
  json["modules"] = Json::array();
  for (const ModuleTimes &module : comparison->modules)
    json["modules"].push_back(toJson(module));
  json["only_here"] = toJson(run, comparison->onlyHere);
  json["only_in_baseline"] = toJson(baseline, comparison->onlyInBaseline);
  return json;
}

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

static std::string listNames(const ComparableRun &run, ArrayRef<unsigned> ops) {
  std::string names = ::llvm::join(namesOf(run, ops), " ");
  return toUtf8(names);
}

namespace {
/// One row. A side without a time of its own is empty.
struct CsvRow {
  StringRef kind; ///< "op", or "module", whose ops have rows, too
  std::string names, baselineNames;
  std::optional<int64_t> count;
  std::optional<double> microseconds, baselineMicroseconds;
};
} // namespace

static void writeRow(StringRef function, const CsvRow &row,
                     llvm::raw_ostream &os) {
  auto show = [](std::optional<double> number) {
    return number ? toShortestDecimal(*number) : "";
  };
  std::optional<double> difference, percent;
  if (row.microseconds && row.baselineMicroseconds) {
    difference = *row.microseconds - *row.baselineMicroseconds;
    percent = differencePercent(*row.microseconds, *row.baselineMicroseconds);
  }
  CsvLine line(os);
  line << toUtf8(function) << row.kind << row.names << row.baselineNames
       << (row.count ? std::to_string(*row.count) : "")
       << show(row.microseconds) << show(row.baselineMicroseconds)
       << show(difference) << show(percent);
}

static void writeRows(const ComparableRun &run, const ComparableRun &baseline,
                      const RunComparison &comparison, llvm::raw_ostream &os) {
  auto write = [&](const CsvRow &row) { writeRow(run.function, row, os); };
  for (const SameWork &work : comparison.work)
    write({"op", listNames(run, work.ops.first),
           listNames(baseline, work.ops.second), work.runs, work.microseconds,
           work.baselineMicroseconds});
  for (unsigned op : comparison.onlyHere)
    write({"op", listNames(run, op), "", run.extents[op].count,
           run.elapsedMicroseconds(op), std::nullopt});
  for (unsigned op : comparison.onlyInBaseline)
    write({"op", "", listNames(baseline, op), baseline.extents[op].count,
           std::nullopt, baseline.elapsedMicroseconds(op)});
  for (const ModuleTimes &module : comparison.modules) {
    std::string name = toUtf8(module.module);
    write({"module", name, module.baselineMicroseconds ? name : "",
           std::nullopt, module.microseconds, module.baselineMicroseconds});
  }
}

void mlir::llm::writeRunComparisonCsv(const BesideBaseline &beside,
                                      llvm::raw_ostream &os) {
  {
    CsvLine head(os);
    for (StringRef column :
         {"function", "kind", "names", "baseline_names", "count", "elapsed_us",
          "baseline_elapsed_us", "difference_us", "difference_percent"})
      head << column;
  }
  for (auto [run, comparison] :
       ::llvm::zip_equal(beside.runs, beside.comparisons))
    if (comparison)
      writeRows(run, beside.baselines[comparison->baseline], *comparison, os);
}
