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

/// The names by which an op is found in another run.
struct NamedOp {
  std::string name;
  /// For an `llm.fused`, the names of the ops that run in it. Other ops that
  /// run as one have their names in `name`: "mlp.gate_proj+up_proj".
  std::vector<std::string> parts = {};
};

/// Returns the names of the ops of a report.
std::vector<NamedOp> namedOps(const Report &report);

/// Ops that do the same work in two runs. This is one op on each side, or all
/// ops that one side runs apart and the other side together. Positions are in
/// the order of each program.
struct MatchedOps {
  std::vector<unsigned> first, second;
};

/// Matches ops by the names of what they run. An op that only one side has is
/// in no match. Neither is an op that was fused with something that the other
/// side lacks. Matches are sorted by their first op of the first side. The time
/// is linear in the number of names.
std::vector<MatchedOps> matchOps(ArrayRef<NamedOp> first,
                                 ArrayRef<NamedOp> second);

} // namespace mlir::llm

#endif // LLM_RESULTS_OPMATCHING_H
