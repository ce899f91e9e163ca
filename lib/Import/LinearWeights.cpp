//===- LinearWeights.cpp - Linear layers of a decoder layer ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearWeights.h"

namespace mlir::llm {

static std::vector<std::string> projectionsOf(const AttentionConfig &config) {
  if (config.compressed.queryRank)
    return {"wq_a", "wq_b", "wkv", "wo_a", "wo_b"};
  if (config.latent.rank) {
    std::vector<std::string> names = {"kv_a_proj_with_mqa", "kv_b_proj",
                                      "o_proj"};
    if (!config.latent.queryRank)
      names.push_back("q_proj");
    else
      names.insert(names.end(), {"q_a_proj", "q_b_proj"});
    return names;
  }
  if (config.cacheLayer)
    return {"q_proj", "o_proj"};
  if (config.isFused)
    return {"qkv_proj", "o_proj"};
  if (config.hasOneProjection)
    return {"q_proj", "k_proj", "o_proj"};
  if (config.hasHeadGates)
    return {"q_proj", "k_proj", "v_proj", "g_proj", "o_proj"};
  return {"q_proj", "k_proj", "v_proj", "o_proj"};
}

static std::vector<std::string>
indexProjectionsOf(const AttentionConfig &config) {
  const IndexerConfig &indexer = config.indexer;
  if (!indexer.heads || indexer.isShared)
    return {};
  if (config.compressed.queryRank)
    return {"indexer.wq_b"};
  if (indexer.weighsHeads)
    return {"indexer.wq_b", "indexer.wk"};
  return {"index_q_proj", "index_k_proj"};
}

static void addGated(std::vector<std::string> &weights, const std::string &path,
                     bool isFused, const std::string &suffix) {
  if (isFused)
    weights.push_back(path + ".gate_up_proj" + suffix);
  else
    for (const char *name : {".gate_proj", ".up_proj"})
      weights.push_back(path + name + suffix);
  weights.push_back(path + ".down_proj" + suffix);
}

std::vector<std::string> linearWeightsOf(const LayerConfig &layer) {
  std::vector<std::string> weights;
  if (layer.attentionKind == BlockKind::Linear)
    weights.emplace_back("self_attn.linear_attn.weight");
  if (layer.attentionKind == BlockKind::Usual)
    for (const auto &names :
         {projectionsOf(layer.attention), indexProjectionsOf(layer.attention)})
      for (const std::string &name : names)
        weights.push_back("self_attn." + name + ".weight");
  if (layer.hasOwnInput)
    weights.insert(weights.end(), {"per_layer_input_gate.weight",
                                   "per_layer_projection.weight"});
  const FeedForwardConfig &feedForward = layer.feedForward;
  const ExpertsConfig &experts = feedForward.experts;
  if (layer.feedForwardKind == BlockKind::Linear)
    weights.push_back(feedForward.nameOf("linear_mlp.weight"));
  if (layer.feedForwardKind != BlockKind::Usual)
    return weights;
  if (experts.count == 0) {
    addGated(weights, feedForward.path, feedForward.isFused, ".weight");
    return weights;
  }
  // The weights of all experts in one are parameters and no linear layers, so
  // their names have no ".weight".
  addGated(weights, feedForward.nameOf("experts"), experts.isFused,
           experts.isFused ? "" : ".weight");
  if (experts.sharedWidth)
    addGated(weights, feedForward.nameOf(experts.sharedPath),
             experts.sharedIsFused, ".weight");
  return weights;
}

} // namespace mlir::llm
