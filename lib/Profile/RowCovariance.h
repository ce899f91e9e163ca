//===- RowCovariance.h - How errors of rows vary together -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_PROFILE_ROWCOVARIANCE_H
#define LLM_LIB_PROFILE_ROWCOVARIANCE_H

#include "llm/Measurements/MeasuredTable.h"
#include "llvm/ADT/ArrayRef.h"

namespace mlir::llm {

/// The covariances of ln(predicted / measured) before anything is measured.
/// They are the sum of three parts: figures of the target that are not known
/// exactly, an offset of each kind of op and type, and a smooth function of the
/// logarithms of an op's sizes.
class RowCovariance {
public:
  /// `derivatives[f][i]` is that of ln(time of row i) by ln(figure f), and
  /// `deviations[f]` the standard deviation of ln(figure f).
  RowCovariance(ArrayRef<const MeasuredRow *> rows,
                std::vector<std::vector<double>> derivatives,
                std::vector<double> deviations);

  double between(size_t one, size_t other) const;

  /// The standard deviation of a measurement: what two labs differ by on one
  /// shape (docs/accuracy.md).
  static constexpr double measurementError = 0.06;

private:
  std::vector<std::vector<double>> derivatives;
  std::vector<double> deviations;
  std::vector<std::string> kinds;          ///< kind of op and type, by row
  std::vector<std::vector<double>> places; ///< base-2 logarithms of sizes
};

} // namespace mlir::llm

#endif // LLM_LIB_PROFILE_ROWCOVARIANCE_H
