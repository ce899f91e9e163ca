//===- Validation.h - Predicted beside measured times -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_VALIDATION_H
#define LLM_PROFILE_VALIDATION_H

#include "llm/Profile/UnpredictedRows.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// A measured row with its prediction.
struct Prediction {
  const MeasuredRow *row = nullptr;
  double microseconds = 0;

  /// |predicted / measured - 1|.
  double error() const;
};

/// How far predictions are from measurements.
struct ErrorStatistics {
  size_t rows = 0;
  /// Median of the absolute percentage errors, |predicted / measured - 1|.
  double medianPercent = 0;
  /// Their 90th percentile (nearest rank).
  double percentile90 = 0;
  /// Geometric mean of measured / predicted. It is above 1 if the hardware is
  /// slower than predicted.
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
  /// Groups by device and kind of op, in the order of these names, and by size
  /// class, small to large.
  std::vector<ValidationGroup> groups;
  /// Groups by device and kind of op. `sizeClass` is "all".
  std::vector<ValidationGroup> totals;
  std::vector<UnpredictedRows> unpredicted;
};

/// Returns a class of rows that behave alike. Products are classed by their
/// rows m, and everything else by its measured time.
StringRef sizeClassOf(const MeasuredRow &row);

/// Predicts every row that makes an op which the target can run. The others are
/// `unpredicted`. `progress` is called with the number of rows done. If no row
/// can be predicted, there are errors at the rows.
FailureOr<Validation> validate(
    ArrayRef<MeasuredRow> rows, const Target &target, MLIRContext *context,
    llvm::function_ref<void(size_t)> progress = [](size_t) {});

/// Returns the `count` rows with the largest errors, worst first.
std::vector<Prediction> findWorst(const Validation &validation, size_t count);

/// What is printed, for people and for programs.
void printValidationTable(llvm::raw_ostream &os, const Validation &validation,
                          const Target &target, size_t worst);
void printPredictionsCsv(llvm::raw_ostream &os,
                         ArrayRef<Prediction> predictions);
void printValidationCsv(llvm::raw_ostream &os, const Validation &validation);
void printValidationJson(llvm::raw_ostream &os, const Validation &validation,
                         const Target &target, size_t worst);

} // namespace mlir::llm

#endif // LLM_PROFILE_VALIDATION_H
