//===- PlaceItems.h - Stretches and loops in the order of time --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_PLACEITEMS_H
#define LLM_PLANNING_PLACEITEMS_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Program/Program.h"

namespace mlir::llm {

/// The end of the last item of a program, and the records of its loops. Loops
/// are in the order of the program, outer before inner.
struct PlacedItems {
  int64_t endCycle = 0;
  SmallVector<LoopPeriodAttr> loops;
};

/// A function that places a stretch of ops and returns its end. The stretch
/// starts at a cycle of its iteration and runs `times` times in all.
using PlaceStretch = function_ref<FailureOr<int64_t>(
    ArrayRef<unsigned> stretch, int64_t startCycle, int64_t times)>;

/// Places all items of the program from cycle 0 on. A stretch or a loop starts
/// at the end of what is before it, and an iteration starts at the end of the
/// one before it. Fails if `place` fails. Also fails if a cycle is beyond 2^61
/// - 1. The diagnostic begins with `takes`, such as "has a schedule that
/// takes".
FailureOr<PlacedItems> placeItems(const Program &program, StringRef takes,
                                  PlaceStretch place);
/// Emits the diagnostic for a cycle beyond 2^61 - 1.
InFlightDiagnostic emitTooManyCycles(const Program &program, StringRef takes);

} // namespace mlir::llm

#endif // LLM_PLANNING_PLACEITEMS_H
