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
  /// Parts into which shapes are dealt for cross-validation: at least 2, and at
  /// most as many as there are shapes. 0: each shape alone if there are at most
  /// 20, else 5 parts.
  unsigned folds = 0;
  uint64_t seed = 0;
};

/// Where a figure ended: inside of the range of the search, at one of its ends,
/// or at the datasheet's rate, which is an upper limit.
enum class FigureBound { None, Low, High, Datasheet };

/// A figure before and after, and how well the rows determine it.
struct FittedFigure {
  std::string path;
  int64_t before = 0, after = 0;
  /// Standard error, in percent of the figure. Infinite if no row's time
  /// depends on it.
  double uncertaintyPercent = 0;
  FigureBound bound = FigureBound::None;
};

struct Calibration {
  Target target; ///< with the fitted figures
  std::vector<FittedFigure> figures;
  /// Figures of a group that stay as they were: the rows do not determine them.
  std::vector<FittedFigure> unidentified;
  /// Errors by kind of op: before, after, and with each row predicted by
  /// figures that were fitted without its shape. All three are in one order,
  /// and the error of all rows is last.
  std::vector<ValidationGroup> before, after, crossValidated;
  unsigned folds = 0; ///< fewer than were asked for where shapes are few
  /// Rows that tell the energy of a multiply-accumulate and not the clock. They
  /// compute for 200 us or longer on a target with a power limit.
  size_t sustainedRows = 0;
  std::vector<UnpredictedRows> unpredicted;

  /// Why the figures are not better than those before: on rows of shapes that
  /// were left out, their error is not below by half of the standard error of
  /// the difference. It is empty if they are better.
  std::string describeLoss() const;
};

/// Fits the figures, in logarithms, to the least mean of |ln(predicted /
/// measured)|. No row counts more than 0.4, so that a few bad rows move
/// nothing. What a datasheet says moves if more than 1.5 rows ask for it, and
/// an energy if more than half of one does. Sustained rates stay at or below
/// the datasheet's, and a clock stays at or below its boost. Rows that may meet
/// the power limit do not move the clock, but the energy of a
/// multiply-accumulate, which belongs to the group "device". `progress` is
/// called with the share that is done, in [0, 1].
///
/// It is an error if the target can predict no row, if a figure is not there or
/// 0, if it is named and in a group, if there are fewer than two rows for each
/// figure, or if there is a single shape. It is also an error if the rows do
/// not determine a named figure, or any figure (standard error above 50 %).
FailureOr<Calibration> calibrate(
    ArrayRef<MeasuredRow> rows, const Target &target,
    const CalibrationOptions &options, MLIRContext *context,
    llvm::function_ref<void(double)> progress = [](double) {});

/// Writes for people: errors before, after and cross-validated, and the
/// figures.
void printCalibration(llvm::raw_ostream &os, const Calibration &calibration,
                      const CalibrationOptions &options);
/// "at the datasheet's rate, ..."; empty inside of the range.
StringRef describeBound(FigureBound bound);
/// "12.3 %", or "without bound".
std::string describeUncertainty(const FittedFigure &figure);

} // namespace mlir::llm

#endif // LLM_PROFILE_CALIBRATION_H
