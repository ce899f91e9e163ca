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

#include <algorithm>
#include <utility>

using namespace mlir;
using namespace mlir::llm;

ServingPredictor::ServingPredictor(MLIRContext *context, ModelConfig model,
                                   Target target, ImportOptions formats,
                                   std::string pipeline)
    : context(context), model(std::move(model)), target(std::move(target)),
      formats(std::move(formats)), pipeline(std::move(pipeline)) {
  // A server never rests, so that the power limit acts all the time.
  this->target.burstPercent.reset();
  loadDecoderDialects(context);
}

std::string WorkerCut::toOptions() const {
  std::string options;
  for (auto [name, chips] :
       {std::pair("tp", tp), {"cp", cp}, {"ep", ep}, {"dp", dp}, {"pp", pp}})
    if (chips > 1)
      options += (options.empty() ? "" : " ") + std::string(name) + "=" +
                 std::to_string(chips);
  return options;
}

/// Returns the time of a stage's program by its own roofline.
static double rooflineSecondsOf(const Report &report) {
  return cyclesToMicroseconds(report.timeline.schedule().getRooflineCycles(),
                              report.target->clockHz) *
         1e-6;
}

/// Predicts a step of `batch` sequences that see `tokens` keys each, or of
/// prompts of so many tokens. In a pipeline, a step is that of all groups of
/// sequences, and prompts go through it alone.
FailureOr<ServingPredictor::Program>
ServingPredictor::run(Phase phase, const WorkerCut &cut, int64_t batch,
                      int64_t tokens) {
  std::vector<int64_t> key = {int64_t(phase), cut.tp, cut.ep, cut.dp,
                              cut.pp,         cut.cp, batch,  tokens};
  if (auto same = known.find(key); same != known.end())
    return same->second;
  ImportOptions options = formats;
  options.phase = phase;
  options.layers.reset();
  int64_t groups =
      phase == Phase::Prefill
          ? 1
          : std::clamp<int64_t>(batch / cut.dp, 1, cut.pp);
  options.batch =
      ::llvm::divideCeilSigned(batch, groups * cut.dp) * cut.dp;
  options.kvLen = {tokens};
  options.seq = {phase == Phase::Prefill ? tokens : 1};
  FailureOr<OwningOpRef<ModuleOp>> module = buildDecoder(model, options);
  if (failed(module))
    return failure();
  writeTarget(**module, target);
  std::string microbatches =
      cut.pp > 1 ? " microbatches=" + std::to_string(groups) : "";
  FailureOr<Evaluation> evaluation = evaluate(
      **module, cut.toOptions() + microbatches + " " + pipeline);
  if (failed(evaluation))
    return failure();
  Program found;
  double longest = 0; // of the rooflines of stages
  for (const Report &report : evaluation->reports()) {
    double roofline = rooflineSecondsOf(report);
    longest = std::max(longest, roofline);
    found.seconds += report.makespanMicroseconds() * 1e-6;
    found.rooflineSeconds += roofline;
    found.cacheBytes =
        std::max(found.cacheBytes, double(report.capacity.cacheBytes));
    found.neededBytes =
        std::max(found.neededBytes, double(report.capacity.neededBytes()));
    found.fits &= report.capacity.fits();
  }
  const Report &first = evaluation->reports().front();
  found.capacityBytes = double(first.capacity.memory().capacityBytes);
  if (first.pipeline) {
    PipelineAttr times = first.pipeline->pipeline;
    int64_t cycles = phase == Phase::Prefill ? times.getMakespanCycles()
                                             : times.getPeriodCycles();
    found.seconds = cyclesToMicroseconds(cycles, first.target->clockHz) * 1e-6;
    found.rooflineSeconds =
        std::max(found.rooflineSeconds, double(groups) * longest);
  }
  if (GridAttr grid = GridAttr::ofModule(**module))
    found.chips = grid.countChips();
  return known.emplace(std::move(key), found).first->second;
}

FailureOr<ServedTimes>
ServingPredictor::predict(const Deployment &deployment, const ServedLoad &load,
                          const ServingAssumptions &assumptions) {
  int64_t batch = ::llvm::divideCeil(load.requests, deployment.workers);
  const WorkerCut &cut = deployment.cut;
  // Of keys that chips share, the one with most has so many.
  auto ofMost = [&](int64_t keys) {
    return ::llvm::divideCeilSigned(keys, cut.cp) * cut.cp;
  };
  FailureOr<Program> step =
      run(Phase::Decode, cut, batch,
          ofMost(load.inputTokens + load.outputTokens / 2));
  if (failed(step))
    return failure();
  FailureOr<Program> prompt =
      run(Phase::Prefill, cut, /*batch=*/cut.dp, ofMost(load.inputTokens));
  if (failed(prompt))
    return failure();
  ServedTimes times;
  times.stepSeconds = step->seconds;
  times.promptSeconds = prompt->seconds;
  times.chips = step->chips * (deployment.workers + deployment.promptWorkers);
  times.fits = step->fits && prompt->fits;
  times.neededBytes = std::max(step->neededBytes, prompt->neededBytes);
  times.capacityBytes = step->capacityBytes;
  double steps = double(load.outputTokens - 1);
  double host = assumptions.hostSecondsPerStep +
                double(batch) * assumptions.hostSecondsPerSequence;
  times.firstTokenSeconds = prompt->seconds + assumptions.hostSecondsPerStep +
                            assumptions.hostSecondsPerSequence;
  times.tokenSeconds = step->seconds + host;
  times.rooflineTokenSeconds = step->rooflineSeconds;
  // So many prompts are read at a time.
  double prompts = double(cut.dp),
         promptsPerStep = double(batch - 1) / steps / prompts;
  if (deployment.promptWorkers == 0) {
    times.tokenSeconds += promptsPerStep * prompt->seconds;
    times.rooflineTokenSeconds += promptsPerStep * prompt->rooflineSeconds;
  } else if (assumptions.cacheBytesPerSecond > 0) {
    times.firstTokenSeconds += prompt->cacheBytes * double(prompt->chips) /
                               prompts / assumptions.cacheBytesPerSecond;
  }
  double requestsPerSecond =
      double(load.requests) /
      (times.firstTokenSeconds + steps * times.tokenSeconds);
  double mostPerSecond =
      double(deployment.promptWorkers) * prompts / prompt->seconds;
  if (deployment.promptWorkers > 0 && requestsPerSecond > mostPerSecond) {
    times.promptsQueue = true;
    requestsPerSecond = mostPerSecond;
  }
  times.tokensPerSecondOfUser = 1 / times.tokenSeconds;
  times.tokensPerSecondOfChip =
      requestsPerSecond * double(load.outputTokens) / double(times.chips);
  return times;
}
