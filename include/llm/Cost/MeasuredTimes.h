//===- MeasuredTimes.h - Measured times beside the formula ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target may hold measured times of ops (`Target::measured`). An op of a
// measured size takes the measured time. Other ops take the time of the formula
// times a factor: the mean of measured / predicted of ops of the same form,
// where near ones count more (Shepard, 1968), and the formula itself counts as
// a row that is two doublings of a size away. Only sums, products and quotients
// are used, so that every machine computes the same.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_MEASUREDTIMES_H
#define LLM_COST_MEASUREDTIMES_H

#include "llm/Cost/OpOnTarget.h"

namespace mlir::llm {

/// What ops have in common that are measured together, and the sizes in which
/// they differ.
struct OpForm {
  /// The op's name, the element types of its buffers, and the names of its
  /// sizes: "my.product bf16,bf16,bf16 m,n,k".
  std::string name;
  /// The extents of its loops, and of each stage the share of iterations that a
  /// mask leaves, in millionths ("qk_ppm").
  std::vector<int64_t> sizes;
};
OpForm formOf(const OpOnTarget &context);

/// What measured times say of the time of one op.
struct MeasuredCorrection {
  double factor = 1; ///< of the formula's time
  /// How much measured times count in the factor, and not the formula: from 0
  /// to 1, which is an op of a measured size.
  double share = 0;
  /// Whether the op itself was measured, and not only ops like it.
  bool isMeasured = false;
};

/// Whether measured times correct the op: it is no collective, and its engine's
/// units share it as one kernel.
bool canBeMeasured(const OpOnTarget &context);

/// Returns the factor of an op that takes `formulaSeconds` by the formula, with
/// the best tile. A kernel of several ops has the factor of the one op in it
/// that multiplies, if there is just one.
///
/// No op takes less time than a measured one of the same form, none of whose
/// sizes is larger, or more than one none of whose sizes is smaller, unless
/// measured times contradict each other there.
MeasuredCorrection correctionOf(const OpOnTarget &context,
                                double formulaSeconds);
/// Does the same for an op of this form that is a kernel of its own.
MeasuredCorrection correctionOf(const OpForm &form, const Target &target,
                                double formulaSeconds);

/// Measured times as shares of predicted ones: a tenth of ops stay below `p10`,
/// and nine tenths below `p90`.
struct TimeSpread {
  double p10 = 1, p90 = 1;
};

/// Returns what all times together say of each one, if the corrections follow
/// from the others alone. It looks at no more than 500 of the times. Returns
/// nothing if there are fewer than 20.
std::optional<TimeSpread> spreadLeftOut(const MeasuredForm &form);

/// Returns the times of the op's form, or null.
const MeasuredForm *findForm(const Target &target, const OpForm &form);

} // namespace mlir::llm

#endif // LLM_COST_MEASUREDTIMES_H
