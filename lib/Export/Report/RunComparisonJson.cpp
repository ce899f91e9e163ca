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

/// The time of a side that has no op is empty.
static void writeRow(const ComparableRun &run, ArrayRef<unsigned> ops,
                     const ComparableRun &baseline,
                     ArrayRef<unsigned> baselineOps, int64_t count,
                     llvm::raw_ostream &os) {
  auto timeOf = [](const ComparableRun &of, ArrayRef<unsigned> side) {
    return side.empty() ? "" : toShortestDecimal(of.elapsedMicroseconds(side));
  };
  CsvLine row(os);
  row << toUtf8(run.function) << listNames(run, ops)
      << listNames(baseline, baselineOps) << count << timeOf(run, ops)
      << timeOf(baseline, baselineOps);
  if (ops.empty() || baselineOps.empty()) {
    row << ""
        << "";
    return;
  }
  double now = run.elapsedMicroseconds(ops);
  double before = baseline.elapsedMicroseconds(baselineOps);
  std::optional<double> percent = differencePercent(now, before);
  row << toShortestDecimal(now - before)
      << (percent ? toShortestDecimal(*percent) : "");
}

void mlir::llm::writeRunComparisonCsv(const BesideBaseline &beside,
                                      llvm::raw_ostream &os) {
  {
    CsvLine head(os);
    for (StringRef column :
         {"function", "names", "baseline_names", "count", "elapsed_us",
          "baseline_elapsed_us", "difference_us", "difference_percent"})
      head << column;
  }
  for (auto [run, comparison] :
       ::llvm::zip_equal(beside.runs, beside.comparisons)) {
    if (!comparison)
      continue;
    const ComparableRun &baseline = beside.baselines[comparison->baseline];
    for (const SameWork &work : comparison->work)
      writeRow(run, work.ops.first, baseline, work.ops.second, work.runs, os);
    for (unsigned op : comparison->onlyHere)
      writeRow(run, op, baseline, {}, run.extents[op].count, os);
    for (unsigned op : comparison->onlyInBaseline)
      writeRow(run, {}, baseline, op, baseline.extents[op].count, os);
  }
}
