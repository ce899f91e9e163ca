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

/// What a program holds in the last shared memory of a target, where weights,
/// caches and the values between ops live.
struct Capacity {
  const Target *target = nullptr;
  int64_t weightBytes = 0;
  int64_t cacheBytes = 0; ///< room of all caches, filled or not
  /// At the moment when these two together are most.
  int64_t valueBytes = 0, workspaceBytes = 0;
  /// For a program of some layers of a model: what all layers hold, if they are
  /// like these. Nothing for another program.
  std::optional<int64_t> allLayersBytes;
  /// How many sequences fit, with as many keys as now, and how many keys with
  /// as many sequences; nothing where the program does not say what it is, or
  /// is of several groups of sequences, or its caches are not as it says. 0:
  /// not even the least.
  std::optional<int64_t> largestBatch, largestContext;

  const Memory &memory() const { return target->dram(); }
  int64_t neededBytes() const {
    return weightBytes + cacheBytes + valueBytes + workspaceBytes;
  }
  /// A memory without a capacity holds anything: nothing is checked.
  bool isChecked() const { return memory().capacityBytes > 0; }
  bool fits() const {
    return !isChecked() || neededBytes() <= memory().capacityBytes;
  }
  /// Says by how much the program does not fit, in what, and what would fit, as
  /// a sentence without a subject.
  std::string describeExcess() const;

  /// By the slots of the program's ops, or, before it has any, one op after the
  /// other. Fails with a diagnostic where a sum leaves 64 bits.
  static FailureOr<Capacity>
  compute(const Program &program, const Totals &totals, const Target &target);
};

/// A warning at the function where the program does not fit.
LogicalResult warnOfExcess(const Program &program, const Target &target);
/// S10: an error there.
LogicalResult checkCapacity(const Program &program, const Target &target);

} // namespace mlir::llm

#endif // LLM_PLANNING_CAPACITY_H
