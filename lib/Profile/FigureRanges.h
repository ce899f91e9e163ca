//===- FigureRanges.h - Which figures are fitted, and where -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_FIGURERANGES_H
#define LLM_LIB_PROFILE_FIGURERANGES_H

#include "llm/Profile/Calibration.h"
#include "llm/Profile/RowModel.h"

namespace mlir::llm {

/// A figure, and the range of its logarithm in which it is looked for: within a
/// factor of e^2 of its start, but not above the datasheet's rate, or
/// the whole of a share.
struct FigureRange {
  std::string path;
  int64_t before = 0;
  double startLog = 0, lowLog = 0, highLog = 0;
  /// The datasheet's rate, or the whole of a share, if there is one.
  std::optional<int64_t> limit;
  bool isNamed = false; ///< by itself, and not in a group
  /// The number of rows that must agree to move it, since a figure of a
  /// datasheet is not given up for a single measurement.
  double inertiaRows = 0;

  int64_t valueAt(double log) const;
  FigureBound boundAt(double log) const;
};

/// Returns the logarithm at which each figure starts.
std::vector<double> startLogs(ArrayRef<FigureRange> figures);
/// The target with figures of these logarithms.
Target withFigures(Target target, ArrayRef<FigureRange> figures,
                   ArrayRef<double> logs);

/// Collects the figures that the options name, each once. The device has an
/// energy for each of `sustainedTypes`, which are the types that rows multiply
/// for long. It is an error if a figure does not exist or is 0, or if it is
/// named both by itself and in a group.
FailureOr<std::vector<FigureRange>>
collectFigures(const Target &start, const CalibrationOptions &options,
               const RowModels &models, ArrayRef<Type> sustainedTypes,
               MLIRContext *context);

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_FIGURERANGES_H
