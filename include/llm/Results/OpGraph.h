//===- OpGraph.h - Ops that take time, and what they wait for ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_OPGRAPH_H
#define LLM_RESULTS_OPGRAPH_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Results/OpUses.h"
#include "llm/Target/Target.h"

#include <memory>

namespace mlir::llm {

/// The data flow of one function, at any step between import and schedule.
struct OpGraph {
  struct Op {
    /// The cycles of all runs, from its slots, or from its cost if there is no
    /// schedule. There is no number without a cost or a target.
    std::optional<int64_t> cycles;
    std::optional<CostBound> bound;
  };
  std::unique_ptr<Program> program;
  std::vector<Op> ops;     ///< one for each op of the program
  std::vector<OpUse> uses; ///< sorted by consumer
  int64_t cycles = 0;      ///< the sum over all ops
  std::optional<Target> target;

  FunctionOpInterface function() const { return program->function(); }
  ArrayRef<ProgramOp> programOps() const { return program->ops(); }
  double microseconds(int64_t cycles) const;

  /// `target` is null for a module without one. Fails with a diagnostic as
  /// `Program::analyze` does, and on a schedule that does not belong to the
  /// program or is not for the target.
  static FailureOr<OpGraph> create(FunctionOpInterface function,
                                   const Target *target);
};

/// Returns the graphs of the functions with a body, in the order of the module.
FailureOr<std::vector<OpGraph>> createOpGraphs(ModuleOp module);

/// Returns the color of a bound, which is the same in all graphs.
StringRef colorOf(CostBound bound);

} // namespace mlir::llm

#endif // LLM_RESULTS_OPGRAPH_H
