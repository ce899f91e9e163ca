//===- Calibration.h - Figures of a target from measurements ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_CALIBRATION_H
#define LLM_PROFILE_CALIBRATION_H

#include "llm/Profile/Validation.h"

namespace mlir::llm {

struct CalibrationOptions {
  /// Paths of figures ("engines.gpu.sustained_clock_hz") and names of groups
  /// (`figuresOfGroup`).
  std::vector<std::string> figures;
  /// Whose kernels a group is of; empty: of none in particular.
  std::string library;
  /// Parts into which shapes are dealt for cross-validation, as many as there
  /// are shapes at most.
  unsigned folds = 5;
  uint64_t seed = 0;
};

/// A figure before and after, and how well the rows determine it.
struct FittedFigure {
  std::string path;
  int64_t before = 0, after = 0;
  /// Standard error, in percent of the figure.
  double uncertaintyPercent = 0;
};

struct Calibration {
  Target target; ///< with the fitted figures
  std::vector<FittedFigure> figures;
  /// Of a group, but left as they were: the rows do not determine them.
  std::vector<FittedFigure> unidentified;
  /// By kind of op, in one order: before, after, and each row predicted with
  /// figures that were fitted without its shape.
  std::vector<ValidationGroup> before, after, crossValidated;
};

/// Fits the figures, in logarithms, to the least mean of |ln(predicted /
/// measured)|, where no row counts more than 0.4: a few bad rows move nothing.
/// `progress` is called with the share that is done, in [0, 1].
///
/// Errors: rows that make no op, a figure that is not there or 0, fewer rows
/// than two for each figure, a single shape, and a named figure that the rows
/// do not determine (standard error above 50 %).
FailureOr<Calibration> calibrate(
    ArrayRef<MeasuredRow> rows, const Target &target,
    const CalibrationOptions &options, MLIRContext *context,
    llvm::function_ref<void(double)> progress = [](double) {});

/// For people: errors before, after and cross-validated, and the figures.
void printCalibration(llvm::raw_ostream &os, const Calibration &calibration);

} // namespace mlir::llm

#endif // LLM_PROFILE_CALIBRATION_H
