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

/// The peak rates of the whole machine, with all its engines together, as in
/// the roofline.
class MachinePeaks {
public:
  explicit MachinePeaks(const Target &target);

  const Target &machine() const { return target; }
  /// Returns the rate of multiply-accumulates of this type. It is 0 if no
  /// engine does any.
  double macsPerSecond(Type type) { return macRatesOf(type).fastest; }
  /// Returns the same rate at the clock of the datasheet's peaks, which an
  /// engine may exceed. MFU is a share of it by custom.
  double datasheetMacsPerSecond(Type type) {
    return macRatesOf(type).datasheet;
  }
  /// Returns the rate of operations of another kind of work.
  double operationsPerSecond(WorkKind kind) const;
  /// Returns the full rates of the shared memories, in the order of the target.
  ArrayRef<double> bytesPerSecond() const { return memories; }

private:
  const Target &target;
  struct MacRates {
    double fastest = 0, datasheet = 0;
  };
  MacRates macRatesOf(Type type);

  llvm::DenseMap<Type, MacRates> macs;
  std::array<double, allWorkKinds.size()> operations;
  std::vector<double> memories;
};

/// What an op achieves, compared with the peaks of the machine. For arithmetic,
/// its time is from the start of its first slot to the end of its last one. For
/// bytes, its time begins with the first fetch for these slots. So neither rate
/// is ever above the peak.
struct Utilization {
  /// The rate of arithmetic, in 10^12 operations per second. A
  /// multiply-accumulate is two operations, and other work does not count.
  double teraflopPerSecond = 0;
  /// The rate of bytes through the last shared memory, DRAM; of an exchange
  /// between chips, over its link.
  double gigabytesPerSecond = 0;
  /// The shares of the peak, for the kind of work and for the shared memory
  /// that come nearest to their peaks.
  double computePercent = 0, memoryPercent = 0;
  /// The time of the slots, and the time with the fetches ahead of them.
  double seconds = 0, secondsWithFetches = 0;
  double engineCycles = 0; ///< the sum of the lengths of the slots

  /// Returns the share of the nearest limit, as in a roofline.
  double percentOfLimit() const {
    return std::max(computePercent, memoryPercent);
  }
};

/// Computes the utilization of an op that has a cost, in its first run, because
/// all runs are alike. `macType` is null if the op multiplies nothing.
Utilization utilizationOf(const Timeline &timeline, unsigned op, Type macType,
                          MachinePeaks &peaks);

/// A figure of an op, with the name that it has in every format.
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
