//===- PipelineSchedule.h - Microbatches in stages --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stages of a pipeline are functions with schedules of their own. Which
// microbatch is in which stage when is a second problem for the same scheduler:
// its engines are the chips of stages and the links between them, and its parts
// take as long as a function's makespan, or as the results of one take over the
// link.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_PIPELINESCHEDULE_H
#define LLM_PLANNING_PIPELINESCHEDULE_H

#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::llm {

/// If functions of the module are stages (`llm.stage`), schedules the
/// microbatches and writes `llm.pipeline`. Removes the attribute if there are
/// no stages. All stages must have schedules. Fails with a diagnostic if the
/// stages do not form a pipeline.
LogicalResult schedulePipeline(ModuleOp module, const Target &target);

/// Checks `llm.pipeline` against the schedules of the stages (S12, S13). There
/// must be one if there are stages, and none otherwise.
LogicalResult verifyPipeline(ModuleOp module, const Target &target);

/// A stage of a pipeline, and its times in it.
struct StageTimes {
  PipelineAttr pipeline;
  StageAttr stage;
  /// Of the stages on these chips, forward and backward, and the most of any
  /// chips.
  int64_t placeCycles = 0, longestCycles = 0;
  int64_t transferCycles = 0; ///< to send its results on; 0 if none are sent
};
/// Returns nothing if the function is no stage, or the module has no
/// `llm.pipeline`.
std::optional<StageTimes> stageTimesOf(FunctionOpInterface function);

} // namespace mlir::llm

#endif // LLM_PLANNING_PIPELINESCHEDULE_H
