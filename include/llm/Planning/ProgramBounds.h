//===- ProgramBounds.h - Lower bounds of a whole program --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_PROGRAMBOUNDS_H
#define LLM_PLANNING_PROGRAMBOUNDS_H

#include "llm/Program/Program.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Problem.h"
#include "llm/Target/Target.h"

#include <map>
#include <string>

namespace mlir::llm {

/// The bounds of `llm.schedule`, which follow from tiles and costs alone. Loop
/// boundaries are barriers, so that the bounds of the stretches between them
/// add up.
struct ProgramBounds {
  std::map<std::string, int64_t> byName;
  int64_t lowerBoundCycles = 0; ///< the largest bounds of all stretches, summed
  int64_t rooflineCycles = 0;

  /// The result of `scheduling::lowerBounds`: nothing on overflow.
  using BoundsOfStretch = std::optional<std::vector<scheduling::Bound>>;
  /// Adds the bounds of a stretch of the function (see `makeProblem`), which
  /// runs `times` times. Fails with a diagnostic on overflow.
  LogicalResult add(FunctionOpInterface function, const BoundsOfStretch &found,
                    int64_t times);
};

/// Computes the bounds of a program. Every op needs a fresh cost (see
/// `checkCosts`).
FailureOr<ProgramBounds> computeBounds(const Program &program,
                                       const Target &target);

} // namespace mlir::llm

#endif // LLM_PLANNING_PROGRAMBOUNDS_H
