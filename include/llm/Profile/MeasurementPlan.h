//===- MeasurementPlan.h - What is worth measuring --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_MEASUREMENTPLAN_H
#define LLM_PROFILE_MEASUREMENTPLAN_H

#include "llm/Measurements/UnpredictedRows.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// An op that may be measured. The row's time is the predicted one.
struct PlanCandidate {
  MeasuredRow row;
  /// How much its time matters: 1, or for an op of a program the number of its
  /// runs.
  double runs = 1;
};

/// A row that was chosen.
struct PlannedRow {
  MeasuredRow row; ///< with the predicted time
  /// The expected error of all candidates when this row and those before it
  /// are measured, in percent: the root of the mean variance of ln(predicted /
  /// measured), weighted by time if candidates are ops of a program.
  double errorPercent = 0;
};

struct MeasurementPlan {
  std::vector<PlannedRow> rows; ///< in the order in which they were chosen
  size_t candidates = 0;        ///< that the target predicts, each once
  double errorPercentBefore = 0;
  std::vector<UnpredictedRows> unpredicted;
};

/// Chooses up to `budget` of the candidates, one after the other. Each is the
/// one whose time, once it is known, leaves the least variance in the times of
/// all candidates. Two times vary together as far as they depend on the same
/// figures of the target, and as far as their ops are alike in kind, type and
/// sizes.
///
/// If `isOfProgram`, a candidate counts with the square of its share of the
/// time, so that the variance is that of the whole program's time, with errors
/// of different ops taken as independent.
///
/// These are errors: the target predicts no candidate, or there are more than
/// 3,000 different ones, since the choice is quadratic in their number.
FailureOr<MeasurementPlan>
planMeasurements(std::vector<PlanCandidate> candidates, bool isOfProgram,
                 size_t budget, const Target &target, MLIRContext *context);

/// Returns shapes of common models, in bf16: products of one to 16,384 tokens
/// by weights of Llama 3.1 8B and 70B and of Qwen3 0.6B to 32B (also cut over
/// two and eight chips), attention of prompts and of decode steps, norms,
/// activations and residual sums. Shapes that take more than half of the
/// target's memory are left out. `kinds` are those to keep; empty: all.
std::vector<PlanCandidate> listCommonShapes(const Target &target,
                                            ArrayRef<std::string> kinds,
                                            MLIRContext *context);

/// Writes a program of PyTorch that measures the rows and writes a table which
/// `readMeasuredTable` reads (MeasureRows.py).
void writeMeasuringScript(ArrayRef<MeasuredRow> rows, raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_PROFILE_MEASUREMENTPLAN_H
