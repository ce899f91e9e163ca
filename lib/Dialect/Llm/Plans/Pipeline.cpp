//===- Pipeline.cpp - Stages of a pipeline --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/Plans/PlansDialect.h"

using namespace mlir;
using namespace mlir::llm;

LogicalResult StageAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t number, int64_t count, int64_t rounds,
                                int64_t microbatches, bool isBackward) {
  if (number < 0 || number >= count) // stage-C1
    return emitError() << "a stage must have a number from 0 to one less than "
                          "there are stages, got "
                       << number << " of " << count;
  if (microbatches < 1 || microbatches > maxMicrobatches) // stage-C2
    return emitError() << "a pipeline must have 1 to " << maxMicrobatches
                       << " microbatches, got " << microbatches;
  if (rounds < 1 || count % rounds != 0) // stage-C4
    return emitError() << "the " << count << " stages of a pipeline cannot be "
                       << "shared in " << rounds << " rounds";
  if (isBackward && rounds > 1) // stage-C4
    return emitError() << "a pipeline with gradients has one round, got "
                       << rounds;
  return success();
}

LogicalResult
StageSlotAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      FlatSymbolRefAttr function, FlatSymbolRefAttr,
                      int64_t microbatch, int64_t startCycle,
                      int64_t endCycle) {
  if (microbatch >= 0 && startCycle >= 0 && endCycle >= startCycle)
    return success();
  return emitError() // stage_slot-C1
         << "the slot of " << function
         << " must have a microbatch and a start of 0 or more, and end no "
            "earlier than it starts; got microbatch "
         << microbatch << ", cycles " << startCycle << " to " << endCycle;
}

LogicalResult PipelineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t makespanCycles,
                                   int64_t lowerBoundCycles,
                                   int64_t periodCycles,
                                   ArrayRef<StageSlotAttr> slots) {
  if (makespanCycles >= 0 && lowerBoundCycles >= 0 && periodCycles >= 0)
    return success();
  return emitError() // pipeline-C1
         << "a pipeline must take 0 cycles or more, got makespan_cycles = "
         << makespanCycles << ", lower_bound_cycles = " << lowerBoundCycles
         << ", period_cycles = " << periodCycles;
}
