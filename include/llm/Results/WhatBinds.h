//===- WhatBinds.h - What the time of a program is spent on -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cost says what binds one part of an op if it has the machine for itself. If
// eight parts run side by side, they share one DRAM, so that something else may
// bind the whole machine. This is the one place that decides what does.
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

/// Returns the bound of the parts that take most of the time, or of the first
/// ones if several are equal. Times above `maxCount` count as `maxCount`.
CostBound boundOfParts(CostAttr cost);

/// Returns the bound of an op whose parts run side by side on all engines. It
/// is memory in three cases: memory is the bound of the parts; the bytes of all
/// parts take longer than their arithmetic and their launches on these engines;
/// or the slots share the bandwidth with others, and so take longer than alone.
/// Otherwise it is the bound of the parts. `scheduledCycles` is the sum of the
/// slots of one run. It is 0 if there is no schedule, or a measured one.
CostBound boundOf(CostAttr cost, const Target &target, int64_t scheduledCycles);

/// A share of a time, with the name that it has in every format.
struct TimeShare {
  StringRef name;
  double percent = 0;
};

/// What binds the machine over the makespan.
struct WhatBinds {
  /// The group of engines that has work for the longest time. Links do not
  /// count. It is null if nothing takes time.
  const Engine *engine = nullptr;
  /// The shares of the makespan, which sum up to 100 %. Each cycle counts for
  /// what those engines of the group do that have work then.
  ///   compute   slots of ops with this bound, without their launches
  ///   memory    the same, and fetches while no engine of the group has work
  ///   overhead  launches
  ///   exchange  chips exchange something, and no engine of the group has work
  ///   waiting   the rest: no engine of the group has work
  std::vector<TimeShare> shares;
  /// Estimates of the share of the makespan that would be saved by twice the
  /// `bandwidth`, twice the `arithmetic`, half the `launches`, with a power
  /// limit twice the `power` above idle, and if there are several chips, twice
  /// the rates of the `links`. Empty for a measured run, because costs say
  /// nothing about it.
  std::vector<TimeShare> savings;
  /// The share of the makespan in which chips exchange something. It is absent
  /// if there is only one chip.
  std::optional<double> exchangePercent;
  /// For each op, the cycles of all its runs in which it exchanges something
  /// between chips and none of these engines has work. They are 0 for an op
  /// that exchanges nothing.
  std::vector<double> exposedCycles;

  /// Returns the saving of that name, if there is one.
  const TimeShare *findSaving(StringRef name) const;
  /// Returns the name of the largest share, or of the first one if several are
  /// equal.
  StringRef largest() const;
  /// The share of that name, or 0.
  double percentOf(StringRef share) const;

  /// Computes this for a report whose ops have their bounds already.
  static WhatBinds of(const Report &report);
};

} // namespace mlir::llm

#endif // LLM_RESULTS_WHATBINDS_H
