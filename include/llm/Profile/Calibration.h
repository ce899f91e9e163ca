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
  /// The library whose kernels a group is about; empty for no particular one.
  std::string library;
  /// Parts into which shapes are dealt for cross-validation, at least 2, and as
  /// many as there are shapes at most. 0: each shape alone where there are at
  /// most 20, else 5 parts.
  unsigned folds = 0;
  uint64_t seed = 0;
};

/// Where a figure ended: inside of the range in which it was looked for, at one
/// of its ends, or at the datasheet's rate, which ends it above.
enum class FigureBound { None, Low, High, Datasheet };

/// A figure before and after, and how well the rows determine it.
struct FittedFigure {
  std::string path;
  int64_t before = 0, after = 0;
  /// Standard error, in percent of the figure; infinite where no row's time
  /// depends on it.
  double uncertaintyPercent = 0;
  FigureBound bound = FigureBound::None;
};

struct Calibration {
  Target target; ///< with the fitted figures
  std::vector<FittedFigure> figures;
  /// Figures of a group that stay as they were: the rows do not determine them.
  std::vector<FittedFigure> unidentified;
  /// By kind of op, in one order and that of all rows last: before, after, and
  /// each row predicted with figures that were fitted without its shape.
  std::vector<ValidationGroup> before, after, crossValidated;
  unsigned folds = 0; ///< fewer than were asked for where shapes are few
  /// Rows that tell the energy of a multiply-accumulate and not the clock:
  /// those that compute for 200 us or longer on a target with a power limit.
  size_t sustainedRows = 0;
  std::vector<UnpredictedRows> unpredicted;

  /// What keeps the figures from being better than those before: on rows of
  /// shapes that were left out, their error is not below by half of the
  /// standard error of the difference. Empty: nothing.
  std::string describeLoss() const;
};

/// Fits the figures, in logarithms, to the least mean of |ln(predicted /
/// measured)|, where no row counts more than 0.4: a few bad rows move nothing.
/// What a datasheet says moves where more than 1.5 rows ask for it, an energy
/// where more than half of one does. Sustained
/// rates stay at or below the datasheet's, a clock at or below its boost. Rows
/// that may meet the power limit do not move the clock, but the energy of a
/// multiply-accumulate, which belongs to the group "device". `progress` is
/// called with the share that is done, in [0, 1].
///
/// Errors: no row that the target can predict, a figure that is not there or 0,
/// one that is named and in a group, fewer rows than two for each figure, a
/// single shape, and a named figure, or all, that the rows do not determine
/// (standard error above 50 %).
FailureOr<Calibration> calibrate(
    ArrayRef<MeasuredRow> rows, const Target &target,
    const CalibrationOptions &options, MLIRContext *context,
    llvm::function_ref<void(double)> progress = [](double) {});

/// For people: errors before, after and cross-validated, and the figures.
void printCalibration(llvm::raw_ostream &os, const Calibration &calibration,
                      const CalibrationOptions &options);
/// "at the datasheet's rate, ..."; empty inside of the range.
StringRef describeBound(FigureBound bound);
/// "12.3 %", or "without bound".
std::string describeUncertainty(const FittedFigure &figure);

} // namespace mlir::llm

#endif // LLM_PROFILE_CALIBRATION_H
