//===- ServedReport.cpp - Predictions of served times, as text ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Serving/ServedReport.h"
#include "llm/Console/TextTable.h"
#include "llm/Support/Median.h"
#include "llvm/Support/Format.h"

#include <array>
#include <cmath>
#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::llm;

static constexpr size_t pageWidth = 100;

static std::string format(double value, int decimals) {
  std::string text;
  ::llvm::raw_string_ostream(text) << ::llvm::format("%.*f", decimals, value);
  return text;
}

static std::string formatMilliseconds(double seconds) {
  return format(seconds * 1e3, seconds < 0.1 ? 2 : 1);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void mlir::llm::printServedTable(::llvm::raw_ostream &os, StringRef target,
                                 ArrayRef<ServedPrediction> predictions) {
  TextTable table(10);
  table.setText(9);
  table.addRow({"chips", "tp", "requests", "TTFT ms", "TPOT ms", "step ms",
                "prompt ms", "tokens/s/user", "tokens/s/chip", "served"});
  table.addRule();
  for (const auto &[row, times] : predictions) {
    table.addRow({std::to_string(times.chips),
                  std::to_string(row->deployment.cut.tp),
                  std::to_string(row->load.requests),
                  formatMilliseconds(times.firstTokenSeconds),
                  formatMilliseconds(times.tokenSeconds),
                  formatMilliseconds(times.stepSeconds),
                  formatMilliseconds(times.promptSeconds),
                  format(times.tokensPerSecondOfUser, 1),
                  format(times.tokensPerSecondOfChip, 1),
                  !times.fits          ? "no room"
                  : times.promptsQueue ? "prompts queue"
                                       : "yes"});
  }
  const ServedRow &first = *predictions.front().row;
  os << "on " << target << ", " << first.load.inputTokens << " tokens in, "
     << first.load.outputTokens << " out, predicted\n\n";
  table.print(os, pageWidth);
  os << "\n";
  printWrapped(os,
               first.deployment.promptWorkers > 0
                   ? "Prompts are read by other chips."
                   : "Steps wait for the prompts of other requests, one for "
                     "each of them while a request makes its tokens.",
               pageWidth);
  printWrapped(os, "No request waits in a queue.", pageWidth);
}

//===----------------------------------------------------------------------===//
// Beside measured times
//===----------------------------------------------------------------------===//

static double errorOf(const ServedPrediction &prediction) {
  return prediction.times.tokenSeconds / prediction.row->tokenSeconds - 1;
}

static std::string formatPercent(double share, bool hasSign = false) {
  double percent = std::round(1000 * share) / 10 + 0.0; // never -0.0
  return (hasSign && percent >= 0 ? "+" : "") + format(percent, 1);
}

/// The median of the absolute errors, and of the errors.
static void printErrors(::llvm::raw_ostream &os, StringRef of,
                        const std::vector<double> &errors) {
  std::vector<double> absolute;
  for (double error : errors)
    absolute.push_back(std::abs(error));
  os << of << ": " << errors.size() << " rows, median error "
     << formatPercent(medianOf(absolute)) << " %, median "
     << formatPercent(medianOf(errors), /*hasSign=*/true) << " %\n";
}

/// A cut, so that cuts over tp alone come first.
using CutKey = std::array<int64_t, 4>;

static CutKey keyOf(const WorkerCut &cut) {
  return {cut.pp, cut.dp, cut.ep, cut.tp};
}

/// Returns "tp 2", and "ep 8 dp 8" of chips that share other things.
static std::string describe(const CutKey &key) {
  auto [pp, dp, ep, tp] = key;
  std::string text;
  for (auto [name, chips] :
       {std::pair("tp", tp), {"ep", ep}, {"dp", dp}, {"pp", pp}})
    if (chips > 1)
      text += (text.empty() ? "" : " ") + std::string(name) + " " +
              std::to_string(chips);
  return text.empty() ? "tp 1" : text;
}

/// How much faster a load is on more chips: the error of that ratio.
static void printRatioErrors(::llvm::raw_ostream &os,
                             ArrayRef<ServedPrediction> predictions) {
  using Load = std::tuple<int64_t, int64_t, int64_t>;
  std::map<int64_t, std::map<Load, const ServedPrediction *>> byChips;
  for (const ServedPrediction &prediction : predictions) {
    const ServedLoad &load = prediction.row->load;
    if (prediction.row->deployment.cut.countChips() !=
        prediction.row->deployment.cut.tp)
      continue;
    byChips[prediction.row->deployment.cut.tp]
           [{load.inputTokens, load.outputTokens, load.requests}] = &prediction;
  }
  for (auto some = byChips.begin(); some != byChips.end(); ++some) {
    auto more = std::next(some);
    if (more == byChips.end())
      break;
    std::vector<double> errors;
    for (const auto &[load, one] : some->second)
      if (auto other = more->second.find(load); other != more->second.end())
        errors.push_back((1 + errorOf(*one)) / (1 + errorOf(*other->second)) -
                         1);
    if (!errors.empty())
      printErrors(os,
                  "ratio of tp " + std::to_string(some->first) + " to tp " +
                      std::to_string(more->first),
                  errors);
  }
}

void mlir::llm::printServedValidation(::llvm::raw_ostream &os,
                                      ArrayRef<ServedPrediction> predictions,
                                      const ServedTable &table) {
  TextTable text(7);
  text.addRow({"cut", "requests", "isl", "osl", "measured ms", "predicted ms",
               "error %"});
  text.addRule();
  std::map<CutKey, std::vector<double>> byCut;
  std::vector<double> all, byRoofline;
  for (const ServedPrediction &prediction : predictions) {
    const ServedRow &row = *prediction.row;
    double error = errorOf(prediction);
    byCut[keyOf(row.deployment.cut)].push_back(error);
    all.push_back(error);
    byRoofline.push_back(
        prediction.times.rooflineTokenSeconds / row.tokenSeconds - 1);
    text.addRow({describe(keyOf(row.deployment.cut)),
                 std::to_string(row.load.requests),
                 std::to_string(row.load.inputTokens),
                 std::to_string(row.load.outputTokens),
                 formatMilliseconds(row.tokenSeconds),
                 formatMilliseconds(prediction.times.tokenSeconds),
                 formatPercent(error, /*hasSign=*/true)});
  }
  os << "time from token to token (TPOT)\n\n";
  text.print(os, pageWidth);
  os << "\n";
  for (const auto &[cut, errors] : byCut)
    printErrors(os, describe(cut), errors);
  printErrors(os, "all", all);
  printErrors(os, "all, by the roofline", byRoofline);
  printRatioErrors(os, predictions);
  for (const auto &[what, count] : table.leftOut)
    os << "left out: " << count << " rows with " << what << "\n";
}

//===----------------------------------------------------------------------===//
// CSV
//===----------------------------------------------------------------------===//

void mlir::llm::printServedCsv(::llvm::raw_ostream &os,
                               ArrayRef<ServedPrediction> predictions) {
  os << "tp,ep,dp,pp,cp,workers,prompt_workers,chips,requests,isl,osl,"
        "measured_tpot_ms,tpot_ms,ttft_ms,step_ms,prompt_ms,"
        "tokens_per_second_per_user,tokens_per_second_per_chip,needed_bytes,"
        "capacity_bytes,is_served\n";
  for (const auto &[row, times] : predictions) {
    const Deployment &deployment = row->deployment;
    const WorkerCut &cut = deployment.cut;
    os << cut.tp << "," << cut.ep << "," << cut.dp << "," << cut.pp << ","
       << cut.cp << "," << deployment.workers << ","
       << deployment.promptWorkers << "," << times.chips << ","
       << row->load.requests << ","
       << row->load.inputTokens << "," << row->load.outputTokens << ",";
    if (row->tokenSeconds > 0)
      os << ::llvm::format("%.6g", row->tokenSeconds * 1e3);
    os << ::llvm::format(",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.0f,%.0f",
                         times.tokenSeconds * 1e3,
                         times.firstTokenSeconds * 1e3, times.stepSeconds * 1e3,
                         times.promptSeconds * 1e3, times.tokensPerSecondOfUser,
                         times.tokensPerSecondOfChip, times.neededBytes,
                         times.capacityBytes)
       << "," << (times.fits && !times.promptsQueue ? 1 : 0) << "\n";
  }
}
