//===- PipelineSchedule.h - Microbatches in stages --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of a pipeline are functions with schedules of their own. Which
// microbatch is in which stage when is a second problem for the same scheduler:
// its engines are the stages and the links between them, and its parts take as
// long as a function's makespan, or as the results of one take over the link.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_PIPELINESCHEDULE_H
#define LLM_PLANNING_PIPELINESCHEDULE_H

#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::llm {

/// Schedules the microbatches if functions of the module are stages
/// (`llm.stage`), and writes `llm.pipeline`. Removes it if there are none. All
/// stages have schedules. Fails with a diagnostic if they are no pipeline.
LogicalResult schedulePipeline(ModuleOp module, const Target &target);

/// Checks `llm.pipeline` against the schedules of the stages (S12, S13). There
/// must be one if there are stages, and none otherwise.
LogicalResult verifyPipeline(ModuleOp module, const Target &target);

/// What a stage has to do with the pipeline that it is in.
struct StageTimes {
  PipelineAttr pipeline;
  StageAttr stage;
  int64_t makespanCycles = 0; ///< of this stage, forward and backward
  int64_t longestCycles = 0;  ///< of all stages
  int64_t transferCycles = 0; ///< until its results are where they go to; or 0
};
/// Nothing if the function is no stage, or the module has no `llm.pipeline`.
std::optional<StageTimes> stageTimesOf(FunctionOpInterface function);

} // namespace mlir::llm

#endif // LLM_PLANNING_PIPELINESCHEDULE_H
