//===- OpMatching.h - Which ops of two runs are the same work ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_OPMATCHING_H
#define LLM_RESULTS_OPMATCHING_H

#include "llm/Results/Report.h"

namespace mlir::llm {

/// What an op is known by in another run.
struct NamedOp {
  std::string name;
  /// The names of the ops that run in it, of `llm.fused`. Of other ops that run
  /// as one, the name says them: "mlp.gate_proj+up_proj".
  std::vector<std::string> parts = {};
};

/// The ops of a report.
std::vector<NamedOp> namedOps(const Report &report);

/// The ops inside a kernel of several ops, in their order; none of other ops.
SmallVector<WorkloadOpInterface> opsInside(Operation *op);

/// Ops that do the same work in two runs: one on each side, or all that one
/// side runs apart and the other one together. Positions are in the order of
/// each program.
struct MatchedOps {
  std::vector<unsigned> first, second;
};

/// Matches ops by the names of what they run. What one side has alone is in no
/// match, nor is an op that was fused with something that the other side lacks.
/// Sorted by the first op of the first side; linear in the number of names.
std::vector<MatchedOps> matchOps(ArrayRef<NamedOp> first,
                                 ArrayRef<NamedOp> second);

} // namespace mlir::llm

#endif // LLM_RESULTS_OPMATCHING_H
