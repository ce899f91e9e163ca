//===- LinearParts.cpp - The linear layers of a decoder layer -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearParts.h"

namespace mlir::llm {

static std::vector<std::string> projectionsOf(const AttentionConfig &config) {
  if (config.latent.rank) {
    std::vector<std::string> names = {"kv_a_proj_with_mqa", "kv_b_proj",
                                      "o_proj"};
    if (!config.latent.queryRank)
      names.push_back("q_proj");
    else
      names.insert(names.end(), {"q_a_proj", "q_b_proj"});
    return names;
  }
  if (config.isFused)
    return {"qkv_proj", "o_proj"};
  return {"q_proj", "k_proj", "v_proj", "o_proj"};
}

static void addGated(std::vector<std::string> &parts, const std::string &path,
                     bool isFused) {
  if (isFused)
    parts.push_back(path + ".gate_up_proj");
  else
    parts.insert(parts.end(), {path + ".gate_proj", path + ".up_proj"});
  parts.push_back(path + ".down_proj");
}

std::vector<std::string> linearPartsOf(const LayerConfig &layer) {
  std::vector<std::string> parts;
  for (const std::string &name : projectionsOf(layer.attention))
    parts.push_back("self_attn." + name);
  const FeedForwardConfig &feedForward = layer.feedForward;
  const ExpertsConfig &experts = feedForward.experts;
  if (experts.count == 0) {
    addGated(parts, feedForward.path, feedForward.isFused);
    return parts;
  }
  addGated(parts, feedForward.path + ".experts", experts.isFused);
  if (experts.sharedWidth)
    addGated(parts, feedForward.path + "." + experts.sharedPath,
             /*isFused=*/false);
  return parts;
}

} // namespace mlir::llm
