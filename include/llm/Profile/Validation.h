//===- Validation.h - Predicted beside measured times -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_VALIDATION_H
#define LLM_PROFILE_VALIDATION_H

#include "llm/Measurements/UnpredictedRows.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// A measured row with its prediction.
struct Prediction {
  const MeasuredRow *row = nullptr;
  double microseconds = 0;

  /// Returns |predicted / measured - 1|.
  double error() const;
};

/// How far predictions are from measurements, over some rows.
struct ErrorStatistics {
  size_t rows = 0;
  /// The median of the absolute errors, |predicted / measured - 1|, in percent.
  double medianPercent = 0;
  /// Their 90th percentile (nearest rank), in percent.
  double percentile90 = 0;
  /// The geometric mean of measured / predicted. It is above 1 if the hardware
  /// is slower than predicted.
  double geometricMean = 1;
};
ErrorStatistics computeStatistics(ArrayRef<Prediction> predictions);

/// Rows that are judged together.
struct ValidationGroup {
  std::string device, opKind, sizeClass;
  std::vector<Prediction> predictions;
  ErrorStatistics statistics;
};

struct Validation {
  /// The groups by device, kind of op and size class. Devices and kinds are
  /// sorted by name, and size classes from small to large.
  std::vector<ValidationGroup> groups;
  /// The groups by device and kind of op alone. Their `sizeClass` is "all".
  std::vector<ValidationGroup> totals;
  std::vector<UnpredictedRows> unpredicted;
};

/// Returns the size class of a row. Products are classed by their number of
/// rows m, and all other ops by their measured time.
StringRef sizeClassOf(const MeasuredRow &row);

/// Predicts every row that makes an op which the target can run. The others are
/// `unpredicted`. `progress` is called with the number of rows done. If no row
/// can be predicted, there are errors at the rows.
FailureOr<Validation> validate(
    ArrayRef<MeasuredRow> rows, const Target &target, MLIRContext *context,
    llvm::function_ref<void(size_t)> progress = [](size_t) {});

/// Returns the `count` rows with the largest errors, worst first.
std::vector<Prediction> findWorst(const Validation &validation, size_t count);

/// These print the results, for people and for programs.
void printValidationTable(llvm::raw_ostream &os, const Validation &validation,
                          const Target &target, size_t worst);
void printPredictionsCsv(llvm::raw_ostream &os,
                         ArrayRef<Prediction> predictions);
void printValidationCsv(llvm::raw_ostream &os, const Validation &validation);
void printValidationJson(llvm::raw_ostream &os, const Validation &validation,
                         const Target &target, size_t worst);

} // namespace mlir::llm

#endif // LLM_PROFILE_VALIDATION_H
