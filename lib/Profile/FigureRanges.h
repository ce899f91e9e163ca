//===- FigureRanges.h - Which figures are fitted, and where -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_FIGURERANGES_H
#define LLM_LIB_PROFILE_FIGURERANGES_H

#include "llm/Profile/Calibration.h"

namespace mlir::llm {

/// A figure, and where its logarithm is looked for: within a factor of e^2 of
/// its start, but not above the datasheet's rate.
struct FigureRange {
  std::string path;
  int64_t before = 0;
  double startLog = 0, lowLog = 0, highLog = 0;
  /// The datasheet's rate, where there is one.
  std::optional<int64_t> limit;
  bool isNamed = false; ///< itself, not as one of a group
  /// As many rows as must agree to move it: what a datasheet says is not given
  /// up for a single measurement.
  double inertiaRows = 0;

  int64_t valueAt(double log) const;
  FigureBound boundAt(double log) const;
};

/// Where each figure starts.
std::vector<double> startLogs(ArrayRef<FigureRange> figures);
/// The target with figures of these logarithms.
Target withFigures(Target target, ArrayRef<FigureRange> figures,
                   ArrayRef<double> logs);

/// What the options name: each figure once; the device has an energy for each
/// of `sustainedTypes`, what rows multiply for long. Errors: no such figure, a
/// figure of 0, one that is named and in a group that is named, too.
FailureOr<std::vector<FigureRange>>
collectFigures(const Target &start, const CalibrationOptions &options,
               ArrayRef<Type> sustainedTypes, MLIRContext *context);

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_FIGURERANGES_H
