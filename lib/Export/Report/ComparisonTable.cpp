//===- ComparisonTable.cpp - Measured beside predicted, for people --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Report/ComparisonTable.h"
#include "ReportOpTable.h"
#include "llm/Support/ModuleNames.h"
#include "llm/Support/Units.h"

#include <set>

using namespace mlir;
using namespace mlir::llm;

static constexpr Unit ratioUnit = {"", 1, 2}, percentUnit = {"%", 1, 1};

static std::string formatRatio(std::optional<double> ratio) {
  return ratio ? formatIn(ratioUnit, *ratio) : "-";
}

/// Lists the longest ones by name and time, and says how many more there are.
static void listUncompared(StringRef side, ArrayRef<UncomparedWork> work,
                           StringRef runsOf, llvm::raw_ostream &os) {
  constexpr size_t most = 12;
  if (work.empty())
    return;
  double all = 0;
  for (const UncomparedWork &one : work)
    all += one.microseconds;
  os << side << " only: " << work.size() << " "
     << (work.size() == 1 ? "name" : "names") << ", "
     << formatIn(timeUnits[0], all) << " us\n";
  TextTable table(4);
  table.setText(3);
  table.addRow({"  name", runsOf.str(), "us", "why"}, /*isBold=*/true);
  for (const UncomparedWork &one : work.take_front(most))
    table.addRow({"  " + toPrintable(one.name),
                  withThousandsSeparators(one.runs),
                  formatIn(timeUnits[0], one.microseconds), one.reason});
  table.print(os, pageWidth);
  if (work.size() > most)
    os << "  and " << work.size() - most
       << " more, which --format=json lists\n";
}

static std::string formatShare(double part, double all) {
  return formatIn(percentUnit, all == 0 ? 0 : 100 * part / all) + " % (" +
         formatIn(timeUnits[0], part) + " of " + formatIn(timeUnits[0], all) +
         " us)";
}

static std::string describeShare(const ComparedShare &share) {
  return "Matched: " + formatShare(share.measured, share.allMeasured) +
         " of the measured work, " +
         formatShare(share.predicted, share.allPredicted) +
         " of the predicted.";
}

/// Adds a sentence: "only measured: 3.1 us of 'memcpy', 1.2 us of 'copy' and 3
/// more".
static void addUncompared(StringRef side, ArrayRef<UncomparedWork> work,
                          std::vector<std::string> &sentences) {
  constexpr size_t most = 8;
  if (work.empty())
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "Only " << side << ": ";
  llvm::interleaveComma(work.take_front(most), os,
                        [&](const UncomparedWork &one) {
                          os << formatIn(timeUnits[0], one.microseconds)
                             << " us of '" << toPrintable(one.name) << "'";
                        });
  if (work.size() > most)
    os << " and " << work.size() - most << " more";
  os << ".";
  sentences.push_back(text);
}

std::vector<std::string> llm::describeComparison(const Comparison &comparison) {
  std::vector<std::string> sentences;
  if (comparison.share)
    sentences.push_back(describeShare(*comparison.share));
  llvm::append_range(sentences, comparison.notes);
  addUncompared("measured", comparison.onlyMeasured, sentences);
  addUncompared("predicted", comparison.onlyPredicted, sentences);
  return sentences;
}

static void printShare(const Comparison &comparison, llvm::raw_ostream &os) {
  printWrapped(os, describeShare(*comparison.share), pageWidth);
  for (const std::string &note : comparison.notes)
    printWrapped(os, note, pageWidth);
  os << "\n";
}

/// Returns the layer, with a point behind it, if all ops that are in a layer
/// are in the same one, as in a block or in a loop over layers. Names without
/// it are short.
static std::string findSharedLayer(ArrayRef<ComparedOp> ops) {
  std::set<std::string> layers;
  for (const ComparedOp &op : ops)
    if (std::string layer = layerOf(op.name); !layer.empty())
      layers.insert(layer + ".");
  return layers.size() == 1 ? *layers.begin() : "";
}

static std::string shortenName(StringRef name, StringRef layer) {
  bool isInLayer = !layer.empty() && name.consume_front(layer);
  return (isInLayer ? ".." : "") + toPrintable(name);
}

namespace {
/// The rows of ops. Those of a trace also say by what they were matched.
class OpRows {
public:
  explicit OpRows(const Comparison &comparison)
      : isOfTrace(comparison.share.has_value()),
        unit(chooseUnit(timeUnits,
                        std::max(comparison.measuredMicroseconds,
                                 comparison.predictedMicroseconds),
                        widestTime)),
        differences(comparison.sumOfDifferences()),
        layer(isOfTrace ? findSharedLayer(comparison.ops) : ""),
        table(isOfTrace ? 8 : 7) {
    for (size_t column = 6; column < (isOfTrace ? 8 : 7); ++column)
      table.setText(column);
  }

  void print(const Comparison &comparison, llvm::raw_ostream &os);

private:
  static constexpr size_t widestTime = 13;

  void addRow(std::vector<std::string> cells, StringRef evidence,
              bool isBold = false) {
    if (isOfTrace)
      cells.push_back(evidence.str());
    table.addRow(std::move(cells), isBold);
  }
  void addOp(const ComparedOp &op);
  void addTotal(StringRef name, double measured, double predicted);
  void addTotals(const Comparison &comparison);

  bool isOfTrace;
  const Unit &unit;
  double differences;
  std::string layer;
  TextTable table;
};
} // namespace

void OpRows::addOp(const ComparedOp &op) {
  double share = differences == 0 ? 0 : 100 * op.difference() / differences;
  addRow({shortenName(op.name, layer), withThousandsSeparators(op.runs),
          formatIn(unit, op.measuredMicroseconds),
          formatIn(unit, op.predictedMicroseconds), formatRatio(op.ratio()),
          formatIn(percentUnit, share), stringifyCostBound(op.bound).str()},
         op.evidence);
}

void OpRows::addTotal(StringRef name, double measured, double predicted) {
  ComparedOp all = {"", 1, measured, predicted, CostBound::Compute};
  addRow({name.str(), "", formatIn(unit, measured), formatIn(unit, predicted),
          formatRatio(all.ratio()), "", ""},
         "");
}

/// Adds the times of all ops. The work of a trace, and the time from its first
/// start to its last end, are two: between kernels, a device may wait for the
/// host.
void OpRows::addTotals(const Comparison &comparison) {
  if (isOfTrace)
    addTotal("all work", comparison.measuredWorkMicroseconds(),
             comparison.share->allPredicted);
  addTotal(isOfTrace ? "elapsed" : "total", comparison.measuredMicroseconds,
           comparison.predictedMicroseconds);
}

void OpRows::print(const Comparison &comparison, llvm::raw_ostream &os) {
  std::string time = unit.name.str();
  addRow(
      {"op", "runs", "measured", "predicted", "ratio", "difference", "bound"},
      "matched by", /*isBold=*/true);
  addRow({"", "", time, time, "", "% of all", "predicted"}, "");
  table.addRule();
  for (const ComparedOp &op : comparison.ops)
    addOp(op);
  table.addRule();
  addTotals(comparison);
  table.print(os, pageWidth);
  if (!layer.empty())
    os << "\"..\" stands for " << toPrintable(layer) << "\n";
}

void llm::writeComparisonTable(const Comparison &comparison,
                               llvm::raw_ostream &os) {
  bool isOfTrace = comparison.share.has_value();
  if (isOfTrace)
    printShare(comparison, os);
  OpRows(comparison).print(comparison, os);
  if (std::optional<double> error = comparison.medianError())
    os << "Half of the ops are predicted within "
       << formatIn(percentUnit, 100 * *error) << " % of what was measured.\n";
  listUncompared("measured", comparison.onlyMeasured,
                 isOfTrace ? "pieces" : "runs", os);
  listUncompared("predicted", comparison.onlyPredicted, "runs", os);
}
