//===- WhatBinds.h - What the time of a program is spent on -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cost says what binds one part of an op that has the machine for itself.
// Eight parts side by side share one DRAM, so that another thing may bind the
// whole machine. This is the one place that judges the whole.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_WHATBINDS_H
#define LLM_RESULTS_WHATBINDS_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Target/Target.h"

#include <optional>
#include <vector>

namespace mlir::llm {

struct Report;

/// The bound of the parts that take most of the time, and the first one if
/// several are equal. The time of all parts together is not above `maxCount`.
CostBound boundOfParts(CostAttr cost);

/// Returns the bound of an op with its parts side by side on all engines that
/// there are. It is memory if it is that of the parts, if the bytes of all
/// parts take longer than their arithmetic and their launches on these engines,
/// or if the slots share the bandwidth with others, and so take longer than
/// alone. Otherwise it is that of the parts. `scheduledCycles` is the sum of
/// the slots of one run; 0 if there is no schedule, or one that was measured.
CostBound boundOf(CostAttr cost, const Target &target, int64_t scheduledCycles);

/// A share of a time, under the name that it has in every format.
struct TimeShare {
  StringRef name;
  double percent = 0;
};

/// What binds the machine over the makespan.
struct WhatBinds {
  /// The group of engines that has work for longest; links do not count. It is
  /// null if nothing takes time.
  const Engine *engine = nullptr;
  /// What the makespan goes to: what those of these engines do that have work
  /// at a time, whether or not others of them are idle. Together 100 %.
  ///   compute   slots of ops with this bound, without their launches
  ///   memory    the same, and fetches ahead while none of them has work
  ///   overhead  launches
  ///   exchange  chips exchange something, and none has work
  ///   waiting   all else: none has work, as another group is busy
  std::vector<TimeShare> shares;
  /// By how much of the makespan it would be shorter with twice the
  /// `bandwidth`, twice the `arithmetic`, and half the `launches`, and, of one
  /// of several chips, with twice the rates of its `links`: an estimate. Empty
  /// for a measured run, which follows no cost.
  std::vector<TimeShare> savings;
  /// The share of the makespan in which chips exchange something. There is none
  /// for one chip.
  std::optional<double> exchangePercent;

  /// The name of the largest share, and the first one if several are equal.
  StringRef largest() const;
  /// The share of that name, or 0.
  double percentOf(StringRef share) const;

  /// The ops of the report have their bounds already.
  static WhatBinds of(const Report &report);
};

} // namespace mlir::llm

#endif // LLM_RESULTS_WHATBINDS_H
