//===- Utilization.h - How much of the machine an op uses -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_UTILIZATION_H
#define LLM_RESULTS_UTILIZATION_H

#include "llm/Planning/Timeline.h"
#include "llm/Target/Target.h"
#include "llvm/ADT/DenseMap.h"

#include <array>

namespace mlir::llm {

/// What the whole machine does in a second, with all its engines together, as
/// in the roofline.
class MachinePeaks {
public:
  explicit MachinePeaks(const Target &target);

  const Target &machine() const { return target; }
  /// Multiply-accumulates of this type; 0 if no engine does any.
  double macsPerSecond(Type type);
  /// Operations of other work.
  double operationsPerSecond(WorkKind kind) const;
  /// Returns the full rates of the shared memories, in the order of the target.
  ArrayRef<double> bytesPerSecond() const { return memories; }

private:
  const Target &target;
  llvm::DenseMap<Type, double> macs;
  std::array<double, allWorkKinds.size()> operations;
  std::vector<double> memories;
};

/// What an op achieves, beside what the machine could do in the same time. The
/// time of arithmetic is from the start of its first slot to the end of its
/// last one. The time of bytes begins with the first fetch ahead of them. So
/// neither is ever above the peak.
struct Utilization {
  /// Counts two operations for each multiply-accumulate, and no other work.
  double teraflopPerSecond = 0;
  /// The rate of bytes through the last shared memory, DRAM; of an exchange
  /// between chips, over its link.
  double gigabytesPerSecond = 0;
  /// The share of the peak, for the kind of work and the shared memory that are
  /// nearest to theirs.
  double computePercent = 0, memoryPercent = 0;
  /// The time of the slots, and the time with the fetches ahead of them.
  double seconds = 0, secondsWithFetches = 0;
  double engineCycles = 0; ///< the sum of the lengths of the slots

  /// Returns the share of the nearest limit, as in a roofline.
  double percentOfLimit() const {
    return std::max(computePercent, memoryPercent);
  }
};

/// Computes this for an op that has a cost, in the first of its runs, because
/// all runs are alike. `macType` is null if the op multiplies nothing.
Utilization utilizationOf(const Timeline &timeline, unsigned op, Type macType,
                          MachinePeaks &peaks);

/// A figure of an op, under the name that it has in every format.
struct NamedFigure {
  StringRef name;
  double value;
};

/// Returns the figures of an op that readers look at first, in order.
/// `microseconds` is the engine time of one run, and `sharePercent` the share
/// that all runs have of the engine time of all ops.
std::array<NamedFigure, 6> namedFigures(const Utilization &used, int64_t count,
                                        double microseconds,
                                        double sharePercent);

} // namespace mlir::llm

#endif // LLM_RESULTS_UTILIZATION_H
