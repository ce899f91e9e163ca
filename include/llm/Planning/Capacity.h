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
  int64_t stateBytes = 0; ///< of recurrent layers
  /// Groups of sequences whose caches and states a stage of a pipeline holds;
  /// both figures count all of them.
  int64_t microbatches = 1;
  /// Both at the moment when their sum is largest.
  int64_t valueBytes = 0, workspaceBytes = 0;
  /// For a program of some layers of a model, what all layers hold if they are
  /// like these. There is none for another program.
  std::optional<int64_t> allLayersBytes;
  /// The number of sequences that fit with as many keys as now, and the number
  /// of keys that fit with as many sequences. They are 0 if not even the least
  /// fits. There is none if the program does not say what it is, has several
  /// groups of sequences, or has other caches than it says.
  std::optional<int64_t> largestBatch, largestContext;

  int64_t chips = 1; ///< over which the program is cut already

  const Memory &memory() const { return target->dram(); }
  int64_t neededBytes() const {
    return weightBytes + cacheBytes + stateBytes + valueBytes + workspaceBytes;
  }
  /// A memory without a capacity holds anything, so that nothing is checked.
  bool isChecked() const { return memory().capacityBytes > 0; }
  bool fits() const {
    return !isChecked() || neededBytes() <= memory().capacityBytes;
  }
  /// Says by how much the program does not fit, in what, and what would fit, as
  /// a sentence without a subject.
  std::string describeExcess() const;

  /// Computes what the program holds if ops run as their slots say, or, before
  /// there are slots, one after the other. Fails with a diagnostic if a sum
  /// does not fit into 64 bits.
  static FailureOr<Capacity>
  compute(const Program &program, const Totals &totals, const Target &target);
};

/// Gives a warning at the function if the program does not fit.
LogicalResult warnOfExcess(const Program &program, const Target &target);
/// Checks S10, and gives an error at the function.
LogicalResult checkCapacity(const Program &program, const Target &target);

} // namespace mlir::llm

#endif // LLM_PLANNING_CAPACITY_H
