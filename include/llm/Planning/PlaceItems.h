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

/// The end of the items of a program, which follow each other, and the records
/// of its loops, in the order of the program, outer before inner.
struct PlacedItems {
  int64_t endCycle = 0;
  SmallVector<LoopPeriodAttr> loops;
};

/// Places a stretch of ops from a cycle of its iteration on, and returns its
/// end. `times` says how often the stretch runs.
using PlaceStretch = function_ref<FailureOr<int64_t>(
    ArrayRef<unsigned> stretch, int64_t startCycle, int64_t times)>;

/// Places all items of the program from cycle 0 on. A stretch or a loop starts
/// at the end of what is before it, and an iteration starts at the end of the
/// one before it. Fails if `place` does. Also fails if a cycle is beyond 2^61 -
/// 1, with a diagnostic that the function `takes` more than that.
FailureOr<PlacedItems> placeItems(const Program &program, StringRef takes,
                                  PlaceStretch place);
/// Emits that diagnostic.
InFlightDiagnostic emitTooManyCycles(const Program &program, StringRef takes);

} // namespace mlir::llm

#endif // LLM_PLANNING_PLACEITEMS_H
