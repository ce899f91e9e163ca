//===- Pipeline.h - From a program to its schedule --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRANSFORMS_PIPELINE_H
#define LLM_TRANSFORMS_PIPELINE_H

#include "llm/Transforms/Passes.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::llm {

/// The options of `--llm-pipeline`. Its passes can also be run one by one.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  PipelineOptions();

  Option<std::string> target;
  ListOption<std::string> changes, measured, measuredDevices, measuredBackends;
  Option<std::string> engines;
  Option<int64_t> tensorParallel, contextParallel, expertParallel;
  Option<int64_t> dataParallel;
  Option<int64_t> pipelineParallel, microbatches, pipelineRounds, interleave;
  Option<int64_t> overlapChunks;
  Option<bool> sequenceParallel;
  Option<bool> decomposeAttention, fuseProjections, fuse;
  Option<TilingStrategy> strategy;
  Option<ChunkChoice> chunks;
  Option<SchedulePolicy> policy;
  Option<ScheduleGranularity> granularity;
  Option<bool> verify;
};

/// Adds the passes on a module: they choose a target, cut the program over
/// chips, fuse or decompose ops, choose tiles with costs, and make a schedule.
void buildPipeline(OpPassManager &manager, const PipelineOptions &options);

/// Makes `--llm-pipeline` known to tools.
void registerLlmPipelines();

} // namespace mlir::llm

#endif // LLM_TRANSFORMS_PIPELINE_H
