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
  /// The figures to fit: paths ("engines.gpu.sustained_clock_hz") and names of
  /// groups (`figuresOfGroup`).
  std::vector<std::string> figures;
  /// The library whose kernels a group stands for; empty for no particular one.
  std::string library;
  /// The number of parts into which shapes are divided for cross-validation,
  /// from 2 to the number of shapes. With 0, each shape is a part if there are
  /// at most 20, and otherwise there are 5 parts.
  unsigned folds = 0;
  uint64_t seed = 0;
};

/// Where the fit of a figure ended: inside of the range of the search, at one
/// of its ends, or at its upper limit, such as the datasheet's rate.
enum class FigureBound { None, Low, High, Limit };

/// A figure before and after, and how well the rows determine it.
struct FittedFigure {
  std::string path;
  int64_t before = 0, after = 0;
  /// The standard error, in percent of the figure. It is infinite if no row's
  /// time depends on it.
  double uncertaintyPercent = 0;
  FigureBound bound = FigureBound::None;
};

struct Calibration {
  Target target; ///< with the fitted figures
  std::vector<FittedFigure> figures;
  /// Figures of a group that stay as they were, because the rows do not
  /// determine them.
  std::vector<FittedFigure> unidentified;
  /// Errors by kind of op: before, after, and with each row predicted by
  /// figures that were fitted without its shape. All three are in one order,
  /// and the error of all rows is last.
  std::vector<ValidationGroup> before, after, crossValidated;
  unsigned folds = 0; ///< fewer than were asked for where shapes are few
  /// The number of rows that determine the energy of a multiply-accumulate, and
  /// not the clock. They compute for 200 us or longer on a target with a power
  /// limit.
  size_t sustainedRows = 0;
  std::vector<UnpredictedRows> unpredicted;

  /// Says why the new figures are not better than the old ones: on rows whose
  /// shapes were left out of the fit, the error did not fall by half of the
  /// standard error of the difference (by all of it with fewer than 20 rows),
  /// and by a fiftieth of what it was. It is empty if they are better.
  std::string describeLoss() const;
};

/// Fits the logarithms of the figures to the least mean of |ln(predicted /
/// measured)|. No row counts more than 0.4, so that a few bad rows move
/// nothing. A figure of the datasheet counts as much as 1.5 rows for its old
/// value, and an energy as half a row. Sustained rates stay at or below the
/// datasheet's, and a clock stays at or below its boost. Rows that may meet the
/// power limit do not move the clock. They move the energy of a
/// multiply-accumulate, which belongs to the group "device". `progress` is
/// called with the share that is done, in [0, 1].
///
/// These are errors: the target can predict no row; a figure is missing or 0; a
/// figure is named and also in a group; there are fewer than two rows for each
/// figure; there is a single shape; the rows do not determine a named figure
/// (standard error above 50 %), or do not determine any figure.
FailureOr<Calibration> calibrate(
    ArrayRef<MeasuredRow> rows, const Target &target,
    const CalibrationOptions &options, MLIRContext *context,
    llvm::function_ref<void(double)> progress = [](double) {});

/// Prints for people the errors before, after and cross-validated, and the
/// figures.
void printCalibration(llvm::raw_ostream &os, const Calibration &calibration,
                      const CalibrationOptions &options);
/// Returns "at its limit, ...". It is empty inside of the range.
StringRef describeBound(FigureBound bound);
/// Returns "12.3 %", or "without bound".
std::string describeUncertainty(const FittedFigure &figure);

} // namespace mlir::llm

#endif // LLM_PROFILE_CALIBRATION_H
