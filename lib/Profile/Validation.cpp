//===- Validation.cpp - Predicted beside measured times -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/Validation.h"
#include "llm/Profile/Predictor.h"
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

std::string sizeClassOf(const MeasuredRow &row) {
  if (row.opKind == "gemm" && row.m)
    return *row.m <= 16     ? "m <= 16"
           : *row.m <= 128  ? "m 17-128"
           : *row.m <= 1024 ? "m 129-1024"
                            : "m > 1024";
  return row.microseconds < 20     ? "< 20 us"
         : row.microseconds < 200  ? "20-200 us"
         : row.microseconds < 2000 ? "200-2000 us"
                                   : ">= 2000 us";
}

FailureOr<Validation> validate(ArrayRef<MeasuredRow> rows, const Target &target,
                               MLIRContext *context,
                               llvm::function_ref<void(size_t)> progress) {
  Predictor predictor(target, context);
  std::map<std::array<std::string, 3>, std::vector<Prediction>> groups, totals;
  std::map<std::string, size_t> unknown;
  for (auto [index, row] : llvm::enumerate(rows)) {
    FailureOr<std::optional<double>> time = predictor.microseconds(row);
    if (failed(time))
      return failure();
    progress(index + 1);
    if (!*time) {
      ++unknown[row.opKind];
      continue;
    }
    Prediction prediction{&row, **time};
    groups[{row.device, row.opKind, sizeClassOf(row)}].push_back(prediction);
    totals[{row.device, row.opKind, "all"}].push_back(prediction);
  }
  Validation validation;
  auto flatten = [](auto &from, std::vector<ValidationGroup> &to) {
    for (auto &[key, predictions] : from)
      to.push_back({key[0], key[1], key[2], predictions,
                    computeStatistics(predictions)});
  };
  flatten(groups, validation.groups);
  flatten(totals, validation.totals);
  validation.unknownKinds.assign(unknown.begin(), unknown.end());
  return validation;
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
