//===- Deployments.cpp - All ways to use some chips -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Serving/Deployments.h"
#include "llm/Sharding/Sharding.h"
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

/// How many chips of a worker have the same KV head and can share its keys: all
/// that have it, or one if a layer selects keys or hides some.
static int64_t countSharingKeys(const ModelConfig &model,
                                const WorkerCut &cut) {
  Degrees degrees;
  degrees.tp = cut.tp;
  degrees.ep = cut.ep;
  degrees.dp = cut.dp;
  bool withExperts = cut.ep > 1;
  int64_t chips = degrees.countForProducts(withExperts);
  SmallVector<int64_t> kvHeads;
  for (const LayerConfig &layer : model.layers) {
    const AttentionConfig &attention = layer.attention;
    if (attention.heads == 0)
      continue;
    if (attention.indexer.heads > 0 || attention.chunk > 0 ||
        attention.compressed.queryRank > 0)
      return 1;
    kvHeads.push_back(attention.latent.rank > 0 ? 1 : attention.kvHeads);
  }
  int64_t copies =
      chipsWithCopies(degrees, withExperts,
                      chipsOfKvHeads(kvHeads, chips, /*cp=*/chips));
  bool isShared = llvm::all_of(model.layers, [&](const LayerConfig &layer) {
    return layer.attention.heads % chips == 0 &&
           layer.attention.window % copies == 0;
  });
  return isShared ? copies : 1;
}

/// Adds the cuts of a worker that has so many chips in a stage.
static void addCuts(std::vector<WorkerCut> &cuts, const ModelConfig &model,
                    int64_t chips, int64_t stages, int64_t batch) {
  for (int64_t ep : divisorsOf(chips)) {
    if (ep > 1 && !divideExperts(model, ep))
      continue;
    for (int64_t dp : divisorsOf(ep))
      if (batch % dp == 0) {
        WorkerCut cut{chips / ep, ep, dp, stages};
        cuts.push_back(cut);
        cut.cp = countSharingKeys(model, cut);
        if (cut.cp > 1)
          cuts.push_back(cut);
      }
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
