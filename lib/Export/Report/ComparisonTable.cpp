//===- ComparisonTable.cpp - Measured beside predicted, for people --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Report/ComparisonTable.h"
#include "ReportOpTable.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

static constexpr Unit ratioUnit = {"", 1, 2}, percentUnit = {"%", 1, 1};

static std::string formatRatio(std::optional<double> ratio) {
  return ratio ? formatIn(ratioUnit, *ratio) : "-";
}

static void listNames(StringRef side, ArrayRef<StringRef> names,
                      llvm::raw_ostream &os) {
  if (names.empty())
    return;
  std::string text;
  llvm::raw_string_ostream line(text);
  line << side << " only: " << names.size()
       << (names.size() == 1 ? " op: " : " ops: ");
  llvm::interleaveComma(names, line,
                        [&](StringRef name) { line << toPrintable(name); });
  printWrapped(os, text, pageWidth);
}

void llm::writeComparisonTable(const Comparison &comparison,
                               llvm::raw_ostream &os) {
  double longest = std::max(comparison.measuredMicroseconds,
                            comparison.predictedMicroseconds);
  constexpr size_t widestTime = 13;
  const Unit &unit = chooseUnit(timeUnits, longest, widestTime);
  TextTable table(7);
  table.setText(6);
  std::string time = unit.name.str();
  table.addRow(
      {"op", "runs", "measured", "predicted", "ratio", "difference", "bound"},
      /*isBold=*/true);
  table.addRow({"", "", time, time, "", "% of all", "predicted"});
  table.addRule();
  double differences = comparison.sumOfDifferences();
  for (const ComparedOp &op : comparison.ops)
    table.addRow(
        {toPrintable(op.name), withThousandsSeparators(op.runs),
         formatIn(unit, op.measuredMicroseconds),
         formatIn(unit, op.predictedMicroseconds), formatRatio(op.ratio()),
         formatIn(percentUnit,
                  differences == 0 ? 0 : 100 * op.difference() / differences),
         stringifyCostBound(op.bound).str()});
  table.addRule();
  ComparedOp all = {"", 1, comparison.measuredMicroseconds,
                    comparison.predictedMicroseconds, CostBound::Compute};
  table.addRow({"total", "", formatIn(unit, all.measuredMicroseconds),
                formatIn(unit, all.predictedMicroseconds),
                formatRatio(all.ratio()), "", ""});
  table.print(os, pageWidth);
  if (std::optional<double> error = comparison.medianError())
    os << "Half of the ops are predicted within "
       << formatIn(percentUnit, 100 * *error) << " % of what was measured.\n";
  listNames("measured", comparison.onlyMeasured, os);
  listNames("predicted", comparison.onlyPredicted, os);
}
