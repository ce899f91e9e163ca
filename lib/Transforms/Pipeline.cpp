//===- Pipeline.cpp - From a program to its schedule ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Transforms/Pipeline.h"
#include "OptionValues.h"
#include "llm/Diagnostics/PassOptions.h"
#include "llm/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::llm;

namespace cl = llvm::cl;

PipelineOptions::PipelineOptions()
    : target(
          *this, "target",
          cl::desc("Preset, or a file, which has a dot in its name (empty: the "
                   "module's own)")),
      changes(*this, "set",
              cl::desc("Of llm-target: fields of the target by their paths, "
                       "such as memories.dram.bytes_per_second=4e12")),
      measured(*this, "measured",
               cl::desc("Of llm-target: tables of measured times, which "
                        "correct costs")),
      measuredDevices(*this, "measured-device",
                      cl::desc("Of llm-target: only their rows of this "
                               "device")),
      measuredBackends(*this, "measured-backend",
                       cl::desc("Of llm-target: only their rows of these "
                                "libraries")),
      engines(*this, "engines",
              cl::desc("Number of compute engines, or of named ones: 4, or "
                       "mxu:4,vpu:2,dma:2")),
      tensorParallel(*this, "tp", cl::init(1), cl::value_desc("N"),
                     cl::desc("Chips over which llm-shard and llm-partition "
                              "cut the program by tensor parallelism "
                              "(1: it is not cut)")),
      contextParallel(*this, "cp", cl::init(1), cl::value_desc("N"),
                      cl::desc("Chips, of those of tp and ep, that share the "
                               "keys of a KV head (1: they have copies)")),
      expertParallel(*this, "ep", cl::init(1), cl::value_desc("N"),
                     cl::desc("Chips over which they spread the experts (1: "
                              "no expert is on another chip)")),
      dataParallel(*this, "dp", cl::init(1), cl::value_desc("N"),
                   cl::desc("Chips over which they spread the sequences of a "
                            "batch (1: each has all)")),
      pipelineParallel(*this, "pp", cl::init(1), cl::value_desc("N"),
                       cl::desc("Stages of a pipeline, each with a run of "
                                "layers (1: one stage)")),
      microbatches(*this, "microbatches", cl::init(0), cl::value_desc("N"),
                   cl::desc("Groups of sequences in the pipeline (0: as many "
                            "as stages)")),
      pipelineRounds(*this, "pp-rounds", cl::init(1), cl::value_desc("N"),
                     cl::desc("Stages on each of the chips of pp, which a "
                              "microbatch goes through in turns")),
      interleave(*this, "interleave", cl::init(1), cl::value_desc("N"),
                 cl::desc("Parts of a batch side by side on each chip, of "
                          "which one computes while another exchanges")),
      overlapChunks(*this, "overlap-chunks", cl::init(1), cl::value_desc("N"),
                    cl::desc("Of llm-partition: chunks of each product, of "
                             "which one computes while chips add up "
                             "another")),
      sequenceParallel(*this, "sp", cl::init(false),
                       cl::desc("Cut what lies between products along the "
                                "rows of tokens over the chips of tp")),
      decomposeAttention(*this, "decompose-attention", cl::init(false),
                         cl::desc("Run llm-decompose-attention")),
      fuseProjections(*this, "fuse-projections", cl::init(false),
                      cl::desc("Run llm-fuse-projections")),
      fuse(*this, "fuse", cl::init(false), cl::desc("Run llm-fuse")),
      strategy(*this, "strategy", cl::init(TilingStrategy::Search),
               cl::desc("Of llm-tile: search or theoretical"),
               strategyValues()),
      chunks(*this, "chunks", cl::init(ChunkChoice::Given),
             cl::desc("Of llm-tile: given or search"), chunkValues()),
      policy(*this, "policy", cl::init(SchedulePolicy::List),
             cl::desc("Of llm-schedule: list, earliest or exact"),
             policyValues()),
      granularity(*this, "granularity", cl::init(ScheduleGranularity::Tile),
                  cl::desc("Of llm-schedule: tile or op"), granularityValues()),
      verify(*this, "verify", cl::init(false),
             cl::desc("Run llm-verify-cost and llm-verify-schedule")) {}

/// The names of presets have no dot.
static LlmTargetPassOptions targetOptions(const PipelineOptions &options) {
  LlmTargetPassOptions target;
  if (StringRef(options.target).contains('.'))
    target.file = options.target;
  else
    target.name = options.target;
  target.changes.assign(options.changes.begin(), options.changes.end());
  target.measured.assign(options.measured.begin(), options.measured.end());
  target.measuredDevices.assign(options.measuredDevices.begin(),
                                options.measuredDevices.end());
  target.measuredBackends.assign(options.measuredBackends.begin(),
                                 options.measuredBackends.end());
  target.engines = options.engines;
  return target;
}

void mlir::llm::buildPipeline(OpPassManager &manager,
                              const PipelineOptions &options) {
  manager.addPass(createLlmTargetPass(targetOptions(options)));
  if (options.tensorParallel != 1 || options.expertParallel != 1 ||
      options.dataParallel != 1 || options.pipelineParallel != 1 ||
      options.contextParallel != 1 ||
      options.interleave != 1 || options.sequenceParallel ||
      options.overlapChunks != 1) {
    LlmShardPassOptions shard;
    shard.tp = options.tensorParallel;
    shard.cp = options.contextParallel;
    shard.ep = options.expertParallel;
    shard.dp = options.dataParallel;
    shard.sp = options.sequenceParallel;
    shard.pp = options.pipelineParallel;
    shard.microbatches = options.microbatches;
    shard.ppRounds = options.pipelineRounds;
    shard.interleave = options.interleave;
    manager.addPass(createLlmShardPass(shard));
    LlmPartitionPassOptions partition;
    partition.overlapChunks = options.overlapChunks;
    manager.addPass(createLlmPartitionPass(partition));
  }
  if (options.decomposeAttention)
    manager.addNestedPass<func::FuncOp>(createLlmDecomposeAttentionPass());
  if (options.fuseProjections)
    manager.addNestedPass<func::FuncOp>(createLlmFuseProjectionsPass());
  if (options.fuse)
    manager.addPass(createLlmFusePass());
  manager.addPass(createLlmTilePass({options.strategy, options.chunks}));
  LlmSchedulePassOptions schedule;
  schedule.policy = options.policy;
  schedule.granularity = options.granularity;
  manager.addPass(createLlmSchedulePass(schedule));
  if (!options.verify)
    return;
  manager.addPass(createLlmVerifyCostPass());
  manager.addPass(createLlmVerifySchedulePass());
}

void mlir::llm::registerLlmPipelines() {
  static constexpr llvm::StringLiteral name = "llm-pipeline";
  registerPassPipeline(
      name,
      "llm-target, llm-tile, llm-schedule, and others that are asked for, as "
      "one",
      [](OpPassManager &manager, StringRef text,
         function_ref<LogicalResult(const Twine &)> emitError) {
        PipelineOptions options;
        auto set = [&](StringRef one) {
          return options.parseFromString(one, llvm::nulls());
        };
        KnownNames names;
        for (const std::string &preset : presetNames())
          names.emplace_back("target", preset);
        if (failed(readPassOptions({name, &options.target, set, names}, text,
                                   emitError)))
          return failure();
        buildPipeline(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> show) {
        show(PipelineOptions());
      });
}
