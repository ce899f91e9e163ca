//===- Validation.cpp - Predicted beside measured times -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/Validation.h"
#include "llm/Measurements/Predictor.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

double Prediction::error() const {
  return std::abs(microseconds / row->microseconds - 1);
}

ErrorStatistics computeStatistics(ArrayRef<Prediction> predictions) {
  ErrorStatistics statistics;
  statistics.rows = predictions.size();
  if (predictions.empty())
    return statistics;
  std::vector<double> errors;
  double sumOfLogs = 0;
  for (const Prediction &prediction : predictions) {
    errors.push_back(100 * prediction.error());
    sumOfLogs +=
        std::log(prediction.row->microseconds / prediction.microseconds);
  }
  llvm::sort(errors);
  size_t count = errors.size();
  statistics.medianPercent = (errors[(count - 1) / 2] + errors[count / 2]) / 2;
  statistics.percentile90 = errors[(9 * count + 9) / 10 - 1];
  statistics.geometricMean = std::exp(sumOfLogs / double(count));
  return statistics;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The classes of products, from small to large.
static constexpr StringRef productClasses[] = {"m <= 16", "m 17-128",
                                               "m 129-1024", "m > 1024"};
static constexpr StringRef timeClasses[] = {"< 20 us", "20-200 us",
                                            "200-2000 us", ">= 2000 us"};

static bool isProduct(const MeasuredRow &row) {
  return StringRef(row.opKind).starts_with("gemm") && row.m;
}

/// Returns the place of the row among the classes.
static unsigned sizeIndexOf(const MeasuredRow &row) {
  if (isProduct(row))
    return (*row.m > 16) + (*row.m > 128) + (*row.m > 1024);
  return (row.microseconds >= 20) + (row.microseconds >= 200) +
         (row.microseconds >= 2000);
}

StringRef sizeClassOf(const MeasuredRow &row) {
  return (isProduct(row) ? productClasses : timeClasses)[sizeIndexOf(row)];
}

namespace {
/// Predictions by device, kind of op and a place among the size classes.
class Groups {
public:
  void add(const Prediction &prediction, unsigned sizeIndex) {
    const MeasuredRow &row = *prediction.row;
    groups[{row.device, row.opKind, sizeIndex}].push_back(prediction);
  }
  std::vector<ValidationGroup> take(bool areTotals) {
    std::vector<ValidationGroup> taken;
    for (auto &[key, predictions] : groups) {
      ErrorStatistics statistics = computeStatistics(predictions);
      StringRef size =
          areTotals ? StringRef("all") : sizeClassOf(*predictions.front().row);
      taken.push_back({std::get<0>(key), std::get<1>(key), size.str(),
                       std::move(predictions), statistics});
    }
    return taken;
  }

private:
  std::map<std::tuple<std::string, std::string, unsigned>,
           std::vector<Prediction>>
      groups;
};
} // namespace

FailureOr<Validation> validate(ArrayRef<MeasuredRow> rows, const Target &target,
                               MLIRContext *context,
                               llvm::function_ref<void(size_t)> progress) {
  Predictor predictor(target, context);
  UnpredictedCollector unpredicted;
  Groups groups, totals;
  for (auto [index, row] : llvm::enumerate(rows)) {
    FailureOr<std::optional<double>> time = failure();
    LogicalResult isSound =
        unpredicted.attempt(row, [&, &row = row](Reasons reasons) {
          return time = predictor.microseconds(row, reasons);
        });
    progress(index + 1);
    if (failed(isSound))
      continue;
    if (!*time) {
      unpredicted.add(row, noSuchKind.str());
      continue;
    }
    groups.add({&row, **time}, sizeIndexOf(row));
    totals.add({&row, **time}, 0);
  }
  Validation validation{groups.take(/*areTotals=*/false),
                        totals.take(/*areTotals=*/true), unpredicted.take()};
  if (!validation.totals.empty())
    return validation;
  emitErrors(validation.unpredicted);
  return emitError(UnknownLoc::get(context))
         << "target '" << target.name << "' can predict none of the rows";
}

std::vector<Prediction> findWorst(const Validation &validation, size_t count) {
  std::vector<Prediction> all;
  for (const ValidationGroup &group : validation.totals)
    llvm::append_range(all, group.predictions);
  llvm::stable_sort(all, [](const Prediction &a, const Prediction &b) {
    return a.error() > b.error();
  });
  all.resize(std::min(all.size(), count));
  return all;
}

} // namespace mlir::llm
