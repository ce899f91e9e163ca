//===- Serving.cpp - What requests of a served model see ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Serving/Serving.h"
#include "llm/Import/DecoderBuilder.h"
#include "llm/Results/Evaluation.h"
#include "llm/Support/Units.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;
using namespace mlir::llm;

ServingPredictor::ServingPredictor(MLIRContext *context, ModelConfig model,
                                   Target target, ImportOptions formats,
                                   std::string pipeline)
    : context(context), model(std::move(model)), target(std::move(target)),
      formats(std::move(formats)), pipeline(std::move(pipeline)) {
  loadDecoderDialects(context);
}

/// Predicts a step of `batch` sequences that see `tokens` keys each, or of
/// prompts of so many tokens.
FailureOr<ServingPredictor::Program>
ServingPredictor::run(Phase phase, int64_t tensorParallel, int64_t batch,
                      int64_t tokens) {
  std::vector<int64_t> key = {int64_t(phase), tensorParallel, batch, tokens};
  if (auto same = known.find(key); same != known.end())
    return same->second;
  ImportOptions options = formats;
  options.phase = phase;
  options.layers.reset();
  options.batch = batch;
  options.kvLen = {tokens};
  options.seq = {phase == Phase::Prefill ? tokens : 1};
  FailureOr<OwningOpRef<ModuleOp>> module = buildDecoder(model, options);
  if (failed(module))
    return failure();
  writeTarget(**module, target);
  FailureOr<Evaluation> evaluation = evaluate(
      **module, "tp=" + std::to_string(tensorParallel) + " " + pipeline);
  if (failed(evaluation))
    return failure();
  const Report &report = evaluation->reports().front();
  ScheduleAttr schedule = report.timeline.schedule();
  Program found{report.makespanMicroseconds() * 1e-6,
                cyclesToMicroseconds(schedule.getRooflineCycles(),
                                     report.target->clockHz) *
                    1e-6,
                double(report.capacity.cacheBytes), report.capacity.fits()};
  if (GridAttr grid = GridAttr::ofModule(**module))
    found.chips = grid.countChips();
  return known.emplace(std::move(key), found).first->second;
}

FailureOr<ServedTimes>
ServingPredictor::predict(const Deployment &deployment, const ServedLoad &load,
                          const ServingAssumptions &assumptions) {
  int64_t batch = ::llvm::divideCeil(load.requests, deployment.workers);
  FailureOr<Program> step = run(Phase::Decode, deployment.tensorParallel, batch,
                                load.inputTokens + load.outputTokens / 2);
  if (failed(step))
    return failure();
  FailureOr<Program> prompt = run(Phase::Prefill, deployment.tensorParallel,
                                  /*batch=*/1, load.inputTokens);
  if (failed(prompt))
    return failure();
  ServedTimes times;
  times.stepSeconds = step->seconds;
  times.promptSeconds = prompt->seconds;
  times.chips = step->chips * (deployment.workers + deployment.promptWorkers);
  times.fits = step->fits && prompt->fits;
  double steps = double(load.outputTokens - 1);
  double host = assumptions.hostSecondsPerStep +
                double(batch) * assumptions.hostSecondsPerSequence;
  times.firstTokenSeconds = prompt->seconds + assumptions.hostSecondsPerStep +
                            assumptions.hostSecondsPerSequence;
  times.tokenSeconds = step->seconds + host;
  times.rooflineTokenSeconds = step->rooflineSeconds;
  double promptsPerStep = double(batch - 1) / steps;
  if (deployment.promptWorkers == 0) {
    times.tokenSeconds += promptsPerStep * prompt->seconds;
    times.rooflineTokenSeconds += promptsPerStep * prompt->rooflineSeconds;
  } else if (assumptions.cacheBytesPerSecond > 0) {
    times.firstTokenSeconds += prompt->cacheBytes * double(prompt->chips) /
                               assumptions.cacheBytesPerSecond;
  }
  double requestsPerSecond =
      double(load.requests) /
      (times.firstTokenSeconds + steps * times.tokenSeconds);
  double mostPerSecond = double(deployment.promptWorkers) / prompt->seconds;
  if (deployment.promptWorkers > 0 && requestsPerSecond > mostPerSecond) {
    times.promptsQueue = true;
    requestsPerSecond = mostPerSecond;
  }
  times.tokensPerSecondOfUser = 1 / times.tokenSeconds;
  times.tokensPerSecondOfChip =
      requestsPerSecond * double(load.outputTokens) / double(times.chips);
  return times;
}
