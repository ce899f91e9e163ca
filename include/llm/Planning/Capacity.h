//===- Capacity.h - Whether a program fits into memory ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_CAPACITY_H
#define LLM_PLANNING_CAPACITY_H

#include "llm/Planning/LiveValues.h"
#include "llm/Program/Totals.h"

namespace mlir::llm {

/// The bytes that a program holds in the last shared memory of a target, where
/// weights, caches and the values between ops live.
struct Capacity {
  const Target *target = nullptr;
  /// Of all stages of a pipeline that are on the chip.
  int64_t weightBytes = 0;
  int64_t cacheBytes = 0; ///< room of all caches, filled or not
  int64_t stateBytes = 0; ///< states of recurrent layers
  /// Groups of sequences whose caches and states a stage of a pipeline holds.
  /// The two figures above count all of them.
  int64_t microbatches = 1;
  /// The values between ops, and the partial results of cut reductions, at the
  /// moment when their sum is largest.
  int64_t valueBytes = 0, workspaceBytes = 0;
  /// For a program of some layers of a model, the bytes of all layers if they
  /// are like these. There is no number for other programs.
  std::optional<int64_t> allLayersBytes;
  /// The number of sequences that fit with as many keys as now, and the number
  /// of keys that fit with as many sequences. They are 0 if not even one
  /// sequence or key fits. There is no number if the function was not imported,
  /// has several groups of sequences, or has other caches than its description
  /// says.
  std::optional<int64_t> largestBatch, largestContext;

  int64_t chips = 1; ///< over which the program is cut already

  const Memory &memory() const { return target->dram(); }
  int64_t neededBytes() const {
    return weightBytes + cacheBytes + stateBytes + valueBytes + workspaceBytes;
  }
  /// A memory without a given capacity is not checked.
  bool isChecked() const { return memory().capacityBytes > 0; }
  bool fits() const {
    return !isChecked() || neededBytes() <= memory().capacityBytes;
  }
  /// Says that the program does not fit, by how much, and what would fit. It is
  /// a sentence without a subject.
  std::string describeExcess() const;

  /// Computes what the program holds. Ops run as their slots say, or one after
  /// the other if they have no slots yet. Fails with a diagnostic if a sum does
  /// not fit into 64 bits.
  static FailureOr<Capacity>
  compute(const Program &program, const Totals &totals, const Target &target);
};

/// Emits a warning at the function if the program does not fit.
LogicalResult warnOfExcess(const Program &program, const Target &target);
/// Checks rule S10 of dialects/llm/Spec.md. Emits an error at the function if
/// it is broken.
LogicalResult checkCapacity(const Program &program, const Target &target);

} // namespace mlir::llm

#endif // LLM_PLANNING_CAPACITY_H
