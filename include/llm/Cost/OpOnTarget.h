//===- OpOnTarget.h - An op and the engine that runs it ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_OPONTARGET_H
#define LLM_COST_OPONTARGET_H

#include "llm/Target/Target.h"
#include "llm/Workload/Workload.h"

namespace mlir::llm {

struct ComposedPart;

/// An op, what it does, and the engine group of the target that runs it.
struct OpOnTarget {
  WorkloadOpInterface op;
  Workload workload;
  const Target *target = nullptr;
  const Engine *engine = nullptr;
  Reasons reasons = {}; ///< who is told why a function refuses the op
  /// Other groups of which the op holds an engine all the time. Their engines
  /// do the stages of kinds that `engine` lacks, in the private memory of
  /// `engine`.
  SmallVector<const Engine *, 1> with = {};

  /// Fails if the op has no workload (dynamic shapes) or the target has no
  /// engines with every kind that its stages need.
  static FailureOr<OpOnTarget> get(WorkloadOpInterface op, const Target &target,
                                   Reasons reasons = {});

  Refusal refuse() const { return reasons.refuse(op); }
  /// Refuses an op whose figures do not fit into 64 bits.
  Refusal refuseOverflow() const;

  /// Returns a part of the op, which has this workload, on the same engines.
  OpOnTarget partWith(Workload workload) const;
  /// Returns an op inside a kernel, on the engine that runs all of the kernel.
  OpOnTarget inside(const ComposedPart &part) const;

  /// Returns the kinds of all of the op's engines together.
  EngineKindSet kinds() const;
  /// Returns the engine of the op that does stages of this kind.
  const Engine &engineFor(EngineKind kind) const;
  /// Returns how many parts of the op run at once.
  int64_t countTeams() const;
  /// Says whether the given cut of the op is the only one to consider, if its
  /// tile and cost are not written by hand. That is so if its engine has units
  /// that share ops as tiles, is the only one of its group, and nothing can be
  /// fetched ahead: then parts would only run one after the other.
  bool hasOneWay() const;
  /// Returns the cycles until all of its engines have started.
  int64_t overheadCycles() const;

  /// Returns the private memory of the engine, which holds the tiles; null if
  /// it has none, or its cost model ignores it.
  const Memory *tileMemory() const;
  int64_t tileCapacityBytes() const;
};

} // namespace mlir::llm

#endif // LLM_COST_OPONTARGET_H
