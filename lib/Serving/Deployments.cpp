//===- Deployments.cpp - All ways to use some chips -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Serving/Deployments.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::llm;

static std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 1; divisor <= number; ++divisor)
    if (number % divisor == 0)
      divisors.push_back(divisor);
  return divisors;
}

/// Whether so many chips divide the experts of each layer that has some.
static bool divideExperts(const ModelConfig &model, int64_t chips) {
  bool hasExperts = false;
  for (const LayerConfig &layer : model.layers) {
    int64_t experts = layer.feedForward.experts.count;
    hasExperts |= experts > 0;
    if (experts % chips != 0)
      return false;
  }
  return hasExperts;
}

/// Adds the cuts of a worker that has so many chips in a stage.
static void addCuts(std::vector<WorkerCut> &cuts, const ModelConfig &model,
                    int64_t chips, int64_t stages, int64_t batch) {
  for (int64_t ep : divisorsOf(chips)) {
    if (ep > 1 && !divideExperts(model, ep))
      continue;
    for (int64_t dp : divisorsOf(ep))
      if (batch % dp == 0)
        cuts.push_back({chips / ep, ep, dp, stages});
  }
}

std::vector<Deployment> mlir::llm::listDeployments(const ModelConfig &model,
                                                   int64_t chips,
                                                   int64_t requests) {
  std::vector<Deployment> deployments;
  for (int64_t workers : divisorsOf(chips)) {
    if (workers > requests)
      continue;
    std::vector<WorkerCut> cuts;
    int64_t batch = ::llvm::divideCeilSigned(requests, workers);
    for (int64_t stages : divisorsOf(chips / workers))
      if (stages <= int64_t(model.layers.size()))
        addCuts(cuts, model, chips / workers / stages, stages, batch);
    for (const WorkerCut &cut : cuts)
      deployments.push_back({cut, workers, /*promptWorkers=*/0});
  }
  return deployments;
}
