//===- HfGemmaFamilies.cpp - Gemma ----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"
#include "llm/Support/Units.h"

#include <cmath>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Gemma 2 and 3
//===----------------------------------------------------------------------===//

/// Reads what Gemma 2 and 3 share, with the defaults of Hugging Face's classes.
static LayerConfig readGemma(HfFields &fields, ModelConfig &model,
                             double scoreCap, double logitCap) {
  LayerConfig layer = model.layers.front();
  AttentionConfig &attention = layer.attention;
  attention.kvHeads = fields.positive("num_key_value_heads");
  attention.headDim = fields.positive("head_dim", 256);
  attention.softCap = fields.numberOrNone("attn_logit_softcapping", scoreCap);
  double scalar = fields.number("query_pre_attn_scalar", 256);
  if (!(scalar > 0))
    fields.refuse("query_pre_attn_scalar") << "must be positive";
  attention.scale = 1 / std::sqrt(scalar);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  layer.feedForward.unit = FeedForwardUnit::GeGlu;
  layer.hasOutputNorms = true;
  model.normsAddOne = true;
  model.hasTiedHead = fields.boolean("tie_word_embeddings", true);
  model.embeddingScale = std::sqrt(static_cast<double>(model.hidden));
  model.logitSoftCap = fields.numberOrNone("final_logit_softcapping", logitCap);
  return layer;
}

/// Reads windows. Every `period`-th layer sees all keys, and the others see a
/// window.
static void readAlternatingWindows(HfFields &fields, ModelConfig &model,
                                   int64_t period) {
  readWindows(fields, model, /*absentWindow=*/4096,
              [&](size_t layer) { return (layer + 1) % period != 0; });
}

void readGemma2(HfFields &fields, ModelConfig &model) {
  setAll(model, readGemma(fields, model, /*scoreCap=*/50, /*logitCap=*/30));
  readAlternatingWindows(fields, model, /*period=*/2);
}

/// Reads Gemma 3, whose layers with a window have a rotary embedding of their
/// own.
void readGemma3(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = readGemma(fields, model, /*scoreCap=*/0, /*logitCap=*/0);
  layer.attention.qkNorm = true;
  setAll(model, layer);
  int64_t period = fields.positive(
      "sliding_window_pattern", fields.positive("_sliding_window_pattern", 6));
  readAlternatingWindows(fields, model, period);
  double theta = fields.number("rope_local_base_freq", 10000);
  if (!(theta > 0))
    fields.refuse("rope_local_base_freq") << "must be positive";
  RopeConfig local;
  local.theta = theta;
  for (LayerConfig &each : model.layers)
    if (each.attention.window)
      each.attention.rope = local;
}

//===----------------------------------------------------------------------===//
// Gemma 4
//===----------------------------------------------------------------------===//

/// Checks that text sees what is before it only.
static void checkGemma4(HfFields &fields) {
  std::string sides = fields.string("use_bidirectional_attention", "vision");
  if (sides != "vision")
    fields.refuse("use_bidirectional_attention")
        << "must be null or \"vision\", as text sees what is before it only, "
           "got \""
        << sides << "\"";
}

/// Reads experts beside a dense network, which all tokens go through.
static FeedForwardConfig readGemma4Experts(HfFields &fields,
                                           const FeedForwardConfig &dense) {
  FeedForwardConfig sparse;
  sparse.path = "";
  sparse.unit = FeedForwardUnit::GeGlu;
  sparse.intermediate = fields.positive("moe_intermediate_size");
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "num_experts", experts, "top_k_experts");
  experts.router = "router.proj";
  experts.routerNorm = "router.scale";
  experts.expertScales = "router.per_expert_scale";
  experts.normalizes = true;
  experts.isFused = true;
  experts.sharedWidth = dense.intermediate;
  experts.sharedPath = dense.path;
  return sparse;
}

static LayerConfig readGemma4Layer(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  AttentionConfig &attention = layer.attention;
  attention.kvHeads = fields.positive("num_key_value_heads", 4);
  attention.headDim = fields.positive("head_dim", 256);
  attention.qkNorm = attention.normsValues = true;
  attention.scale = 1;
  fields.mustBeFalse("attention_bias", "no released model has one");
  layer.feedForward.unit = FeedForwardUnit::GeGlu;
  layer.hasOutputNorms = layer.hasScalar = true;
  if (fields.boolean("enable_moe_block", false))
    layer.feedForward = readGemma4Experts(fields, layer.feedForward);
  else
    for (StringRef key :
         {"num_experts", "top_k_experts", "moe_intermediate_size"})
      fields.find(key);
  return layer;
}

/// Reads the attention of the layers that see all keys.
static AttentionConfig readGemma4Global(HfFields &fields,
                                        AttentionConfig attention) {
  attention.headDim = fields.positive("global_head_dim", 512);
  attention.hasOneProjection = fields.boolean("attention_k_eq_v", false);
  int64_t kvHeads =
      fields.positive("num_global_key_value_heads", attention.kvHeads);
  if (attention.hasOneProjection)
    attention.kvHeads = kvHeads;
  checkHeads(
      fields, attention,
      {"num_attention_heads", "num_global_key_value_heads", "global_head_dim"});
  return attention;
}

/// Reads the embeddings that each layer has beside that of the model.
static void readLayerInputs(HfFields &fields, ModelConfig &model) {
  LayerInputsConfig &inputs = model.layerInputs;
  constexpr int64_t most = 1 << 20;
  inputs.features = fields.nonNegative("hidden_size_per_layer_input", 256);
  inputs.vocabulary = fields.positive("vocab_size_per_layer_input", 262144);
  if (inputs.features > most)
    fields.refuse("hidden_size_per_layer_input")
        << "must be at most " << most << ", got " << inputs.features;
  for (LayerConfig &layer : model.layers)
    layer.hasOwnInput = inputs.features != 0;
}

/// The last layers read the keys and values of the last layer of their kind
/// that has a cache. Their networks may be twice as wide.
static void readSharedCaches(HfFields &fields, ModelConfig &model) {
  auto layers = static_cast<int64_t>(model.layers.size());
  int64_t shared = fields.nonNegative("num_kv_shared_layers", 0);
  bool isWide = fields.boolean("use_double_wide_mlp", false);
  if (shared >= layers) {
    fields.refuse("num_kv_shared_layers")
        << "must be less than the " << layers << " layers, got " << shared;
    return;
  }
  for (int64_t index = layers - shared; index < layers; ++index) {
    LayerConfig &layer = model.layers[index];
    bool slides = layer.attention.window;
    int64_t source = layers - shared;
    while (source && bool(model.layers[source - 1].attention.window) != slides)
      --source;
    if (!source) {
      fields.refuse("num_kv_shared_layers")
          << shared << " leaves no layer with a cache for layer " << index;
      return;
    }
    layer.attention.cacheLayer = source;
    if (!isWide)
      continue;
    std::optional<int64_t> width =
        checkedMul(2, layer.feedForward.intermediate);
    if (!width)
      fields.refuse("use_double_wide_mlp") << "makes networks too wide";
    layer.feedForward.intermediate = width.value_or(1);
  }
}

void readGemma4(HfFields &fields, ModelConfig &model) {
  checkGemma4(fields);
  model.hasTiedHead = fields.boolean("tie_word_embeddings", true);
  model.embeddingScale = std::sqrt(static_cast<double>(model.hidden));
  model.logitSoftCap = fields.numberOrNone("final_logit_softcapping", 0);
  LayerConfig layer = readGemma4Layer(fields, model);
  setAll(model, layer);
  AttentionConfig global = readGemma4Global(fields, layer.attention);
  size_t last = model.layers.size() - 1;
  readWindows(fields, model, /*absentWindow=*/512, [&](size_t index) {
    return (index + 1) % 6 != 0 && index != last;
  });
  if (model.layers[last].attention.window)
    fields.refuse("layer_types") << "must end with \"full_attention\": the "
                                    "last layer sees all keys";
  RopesOfKinds ropes = readRopesOfKinds(fields);
  for (LayerConfig &each : model.layers) {
    bool slides = each.attention.window;
    if (!slides)
      each.attention = global;
    each.attention.rope = slides ? ropes.sliding : ropes.full;
  }
  readLayerInputs(fields, model);
  readSharedCaches(fields, model);
}

} // namespace mlir::llm
