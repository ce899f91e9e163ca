//===- Staleness.h - Whether a schedule is for its target -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_STALENESS_H
#define LLM_RESULTS_STALENESS_H

#include "llm/Planning/Timeline.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// Fails with a diagnostic on a slot whose engine or memory the target does not
/// have. Such a schedule was made for another machine. Warns at the first op
/// whose cost is stale; its times are shown all the same.
LogicalResult checkTarget(const Timeline &timeline, const Target &target,
                          Warnings &warnings);

/// Says whether the cost of some op is stale. A warning at the first one says
/// so, and adds `consequence`.
FailureOr<bool> warnOfStaleCosts(const Program &program, const Target &target,
                                 StringRef consequence, Warnings &warnings);

} // namespace mlir::llm

#endif // LLM_RESULTS_STALENESS_H
