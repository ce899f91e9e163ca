//===- ServedCuts.cpp - Ways to use chips, as text ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/TextTable.h"
#include "llm/Serving/Deployments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

static constexpr size_t pageWidth = 100;
static constexpr double bytesPerGigabyte = 1e9;

static std::string describe(const Deployment &deployment) {
  std::string cut = deployment.cut.toOptions();
  if (cut.empty())
    cut = "one chip";
  return deployment.workers == 1
             ? cut
             : std::to_string(deployment.workers) + " x " + cut;
}

/// Whether no other prediction that fits is better for a user and for a chip.
static bool isBest(const ServedPrediction &one,
                   ArrayRef<ServedPrediction> predictions) {
  return one.times.fits &&
         llvm::none_of(predictions, [&](const ServedPrediction &other) {
           const ServedTimes &a = other.times, &b = one.times;
           bool isWorse = a.tokensPerSecondOfUser < b.tokensPerSecondOfUser ||
                          a.tokensPerSecondOfChip < b.tokensPerSecondOfChip;
           bool isBetter = a.tokensPerSecondOfUser > b.tokensPerSecondOfUser ||
                           a.tokensPerSecondOfChip > b.tokensPerSecondOfChip;
           return a.fits && isBetter && !isWorse;
         });
}

static void addRow(TextTable &table, const ServedPrediction &prediction,
                   bool isBest) {
  const ServedTimes &times = prediction.times;
  std::string need =
      ::llvm::formatv("{0:f1}", times.neededBytes / bytesPerGigabyte);
  if (!times.fits)
    return table.addRow(
        {describe(prediction.row->deployment), std::to_string(times.chips),
         need, "", "", "", "",
         ::llvm::formatv("no room: {0:f1} GB",
                         times.capacityBytes / bytesPerGigabyte)});
  table.addRow({describe(prediction.row->deployment),
                std::to_string(times.chips), need,
                ::llvm::formatv("{0:f1}", times.firstTokenSeconds * 1e3),
                ::llvm::formatv("{0:f2}", times.tokenSeconds * 1e3),
                ::llvm::formatv("{0:f1}", times.tokensPerSecondOfUser),
                ::llvm::formatv("{0:f1}", times.tokensPerSecondOfChip),
                isBest ? "*" : ""});
}

/// Says once for each reason how many deployments are not possible.
static void printRefused(::llvm::raw_ostream &os,
                         ArrayRef<RefusedDeployment> refused) {
  std::map<std::string, std::vector<std::string>> byReason;
  for (const RefusedDeployment &one : refused)
    byReason[one.reason].push_back(describe(one.deployment));
  for (const auto &[reason, cuts] : byReason)
    printWrapped(os,
                 (cuts.size() == 1
                      ? "'" + cuts.front() + "' is not possible: "
                      : std::to_string(cuts.size()) + " cuts, such as '" +
                            cuts.front() + "', are not possible: ") +
                     reason + ".",
                 pageWidth);
}

/// Says what is not in the table, which begins with all that fit.
static void printLeftOut(::llvm::raw_ostream &os,
                         ArrayRef<ServedPrediction> leftOut, size_t fitting) {
  auto *without = llvm::find_if(
      leftOut, [](const ServedPrediction &one) { return !one.times.fits; });
  size_t slower = fitting == 0 ? 0 : without - leftOut.begin();
  if (slower > 0)
    printWrapped(os,
                 "with fewer tokens/s/chip: " + std::to_string(slower) +
                     " more (--most shows them).",
                 pageWidth);
  if (without == leftOut.end() || fitting == 0)
    return;
  printWrapped(
      os,
      ::llvm::formatv("without room in {1:f1} GB: {0} more. Of these, '{2}' "
                      "needs least, {3:f1} GB.",
                      leftOut.end() - without,
                      without->times.capacityBytes / bytesPerGigabyte,
                      describe(without->row->deployment),
                      without->times.neededBytes / bytesPerGigabyte)
          .str(),
      pageWidth);
}

void mlir::llm::printServedCuts(::llvm::raw_ostream &os, StringRef target,
                                ArrayRef<ServedPrediction> predictions,
                                ArrayRef<RefusedDeployment> refused,
                                size_t most) {
  if (!predictions.empty()) {
    const ServedLoad &load = predictions.front().row->load;
    os << "on " << target << ", " << load.requests << " requests at a time, "
       << load.inputTokens << " tokens in, " << load.outputTokens
       << " out, predicted\n\n";
  }
  std::vector<ServedPrediction> sorted(predictions.begin(), predictions.end());
  llvm::stable_sort(sorted, [](const auto &a, const auto &b) {
    if (a.times.fits != b.times.fits)
      return a.times.fits;
    return a.times.fits ? a.times.tokensPerSecondOfChip >
                              b.times.tokensPerSecondOfChip
                        : a.times.neededBytes < b.times.neededBytes;
  });
  TextTable table(8);
  table.setText(7);
  table.addRow({"cut", "chips", "GB/chip", "TTFT ms", "TPOT ms",
                "tokens/s/user", "tokens/s/chip", ""},
               /*isBold=*/true);
  table.addRule();
  size_t fitting =
      llvm::count_if(sorted, [](const auto &one) { return one.times.fits; });
  size_t shown = std::min(most, fitting == 0 ? sorted.size() : fitting);
  for (const ServedPrediction &prediction : ArrayRef(sorted).take_front(shown))
    addRow(table, prediction, isBest(prediction, predictions));
  table.print(os, pageWidth);
  os << "\n";
  printLeftOut(os, ArrayRef(sorted).drop_front(shown), fitting);
  printWrapped(os,
               "*: none of these that fits is better for a user and for a "
               "chip. '2 x tp=4' are two copies of the model. Steps wait for "
               "the prompts of other requests, and no request waits in a "
               "queue.",
               pageWidth);
  printRefused(os, refused);
}
