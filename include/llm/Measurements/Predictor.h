//===- Predictor.h - The time of a measured row's op ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_PREDICTOR_H
#define LLM_MEASUREMENTS_PREDICTOR_H

#include "llm/Measurements/RowOps.h"
#include "llm/Measurements/SelectedTargets.h"

namespace mlir::llm {

/// Predicts the times of rows as the compiler does: by the cost of the cheapest
/// tile.
class Predictor {
public:
  Predictor(const Target &target, MLIRContext *context)
      : targets(target), ops(context) {}

  /// Returns the microseconds of the op if it has the machine for itself, or
  /// nothing for an unknown kind of op. Errors are those of `RowOps` and of the
  /// cost model.
  FailureOr<std::optional<double>> microseconds(const MeasuredRow &row,
                                                Reasons reasons = {});

private:
  SelectedTargets targets;
  RowOps ops;
};

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_PREDICTOR_H
