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

/// What the whole machine does in a second, all its engines together, as in the
/// roofline.
class MachinePeaks {
public:
  explicit MachinePeaks(const Target &target);

  const Target &machine() const { return target; }
  /// Of multiply-accumulates of this type; 0: no engine does any.
  double macsPerSecond(Type type);
  /// Of other work.
  double operationsPerSecond(WorkKind kind) const;
  /// Of the shared memories, in the order of the target: their full rates.
  ArrayRef<double> bytesPerSecond() const { return memories; }

private:
  const Target &target;
  llvm::DenseMap<Type, double> macs;
  std::array<double, allWorkKinds.size()> operations;
  std::vector<double> memories;
};

/// What an op achieves, beside what the machine could do in the same time. The
/// time of arithmetic is from the start of its first slot to the end of its
/// last one; that of bytes begins with the first fetch ahead of them, so that
/// neither is ever above the peak.
struct Utilization {
  /// Two operations for each multiply-accumulate; other work does not count.
  double teraflopPerSecond = 0;
  /// Through the last shared memory, DRAM.
  double gigabytesPerSecond = 0;
  /// Of the kind of work, and of the shared memory, that is nearest to its
  /// peak.
  double computePercent = 0, memoryPercent = 0;
  /// Of the slots, and with the fetches ahead of them.
  double seconds = 0, secondsWithFetches = 0;
  double engineCycles = 0; ///< the sum of the lengths of the slots

  /// Of the limit that is nearest, as in a roofline.
  double percentOfLimit() const {
    return std::max(computePercent, memoryPercent);
  }
};

/// Of an op that has a cost, in the first of its runs: all runs are alike.
/// `macType`: null where it multiplies nothing.
Utilization utilizationOf(const Timeline &timeline, unsigned op, Type macType,
                          MachinePeaks &peaks);

} // namespace mlir::llm

#endif // LLM_RESULTS_UTILIZATION_H
