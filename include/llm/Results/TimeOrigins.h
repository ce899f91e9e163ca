//===- TimeOrigins.h - What predicted times rest on -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_TIMEORIGINS_H
#define LLM_RESULTS_TIMEORIGINS_H

#include "llm/Cost/MeasuredTimes.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

/// What the time of an op rests on: on the formula, on the formula corrected by
/// measured times of ops like it (which count more than the formula), or on its
/// own measured time.
enum class TimeSource { Formula, Corrected, Measured };
/// "formula", "corrected", "measured".
StringRef stringify(TimeSource source);

struct TimeOrigin {
  TimeSource source = TimeSource::Formula;
  /// The time as a share of the formula's.
  double perFormula = 1;
  /// Of ten ops like this one, eight take from `p10` to `p90` of the predicted
  /// time. It is absent if the target does not say.
  std::optional<TimeSpread> spread;
  /// Ops whose errors go together: the class of kernels, or the link; and among
  /// these the ops that are alike in everything.
  std::string group, likeness;
};

/// Finds it for the ops of a program.
class TimeOrigins {
public:
  /// `target` must outlive this.
  explicit TimeOrigins(const Target &target);
  TimeOrigin of(WorkloadOpInterface op);

private:
  void correct(const OpOnTarget &context, TileAttr tile, TimeOrigin &origin);
  std::optional<TimeSpread> spreadOf(const MeasuredForm &form);

  const Target &target;
  Target formula; ///< without measured times
  llvm::StringMap<std::optional<TimeSpread>> spreads;
};

/// An op's time in a sum, and what it rests on.
struct SummedTime {
  double microseconds; ///< of all runs
  TimeOrigin origin;
};

/// Returns the range of a sum, as shares of it. Ops that are alike have one
/// error. Of the errors of one group, half of the variance is common to all of
/// them. Errors of different groups are independent. Times without a spread
/// count as exact. Returns nothing if less than half of the sum has a spread.
std::optional<TimeSpread> spreadOfSum(ArrayRef<SummedTime> times);

} // namespace mlir::llm

#endif // LLM_RESULTS_TIMEORIGINS_H
