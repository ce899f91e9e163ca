//===- HfNormFamilies.cpp - Dense families that norm or turn otherwise ----===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"

#include <cmath>

namespace mlir::llm {

static void readBiases(HfFields &fields, LayerConfig &layer) {
  layer.attention.qkvBias = layer.attention.outBias =
      fields.boolean("attention_bias", false);
  layer.feedForward.hasBias = fields.boolean("mlp_bias", false);
}

//===----------------------------------------------------------------------===//
// Seed-OSS and SmolLM3
//===----------------------------------------------------------------------===//

void readSeedOss(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  layer.attention.kvHeads = fields.positive("num_key_value_heads", 8);
  layer.attention.headDim = fields.positive("head_dim", 128);
  layer.attention.qkvBias = fields.boolean("attention_bias", true);
  layer.attention.outBias = fields.boolean("attention_out_bias", false);
  layer.feedForward.hasBias = fields.boolean("mlp_bias", false);
  fields.find("residual_dropout"); // for training
  setAll(model, layer);
}

void readSmolLm3(HfFields &fields, ModelConfig &model) {
  model.hasTiedHead = fields.boolean("tie_word_embeddings", true);
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention, /*absentKvHeads=*/4);
  readBiases(fields, layer);
  setAll(model, layer);
  fields.mustBeFalse("use_sliding_window", "every layer sees all keys");
  readLayerTypes(fields, model.layers.size(), /*kind=*/"");
  std::vector<bool> turns = readTurningLayers(fields, model.layers.size());
  for (auto [isTurned, each] : llvm::zip(turns, model.layers))
    if (!isTurned)
      each.attention.rope = RopeConfig();
}

//===----------------------------------------------------------------------===//
// OLMo 2 and 3, EXAONE 4
//===----------------------------------------------------------------------===//

/// Has norms behind attention and network instead of before them.
static void setNormsBehind(LayerConfig &layer) {
  layer.hasInputNorms = false;
  layer.hasOutputNorms = true;
}

static LayerConfig readOlmoLayer(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  layer.attention.qkvBias = layer.attention.outBias =
      fields.boolean("attention_bias", false);
  layer.attention.qkNorm = layer.attention.normsAllHeads = true;
  setNormsBehind(layer);
  return layer;
}

void readOlmo2(HfFields &fields, ModelConfig &model) {
  setAll(model, readOlmoLayer(fields, model));
}

/// Reads OLMo 3. Only layers that see all keys have scaled angles.
void readOlmo3(HfFields &fields, ModelConfig &model) {
  setAll(model, readOlmoLayer(fields, model));
  readWindows(fields, model, /*absentWindow=*/4096,
              [](size_t layer) { return (layer + 1) % 4 != 0; });
  RopesOfKinds ropes;
  const LocatedJson *byKind = fields.find("rope_parameters");
  if (byKind && byKind->isObject() && byKind->find("full_attention")) {
    ropes = readRopesOfKinds(fields);
  } else {
    ropes.full = readRope(fields, 500000, /*canBePartial=*/false);
    ropes.sliding.theta = ropes.full.theta;
  }
  for (LayerConfig &each : model.layers)
    each.attention.rope = each.attention.window ? ropes.sliding : ropes.full;
}

/// Reads EXAONE's period of layers, or its pattern of L (window) and G (all).
static std::string readExaonePattern(HfFields &fields) {
  const LocatedJson *pattern = fields.find("sliding_window_pattern");
  if (pattern && pattern->kind() == LocatedJson::Kind::String) {
    std::string letters = fields.string("sliding_window_pattern", "");
    if (!letters.empty() &&
        StringRef(letters).find_first_not_of("LG") == StringRef::npos)
      return letters;
    fields.refuse("sliding_window_pattern")
        << "must be a number of layers, or letters L (a window) and G (none)";
    return "G";
  }
  constexpr int64_t most = ModelConfig::maxLayers;
  int64_t period = fields.positive("sliding_window_pattern", 4);
  return std::string(std::min(period, most) - 1, 'L') + "G";
}

/// Reads EXAONE 4. Beside layers with windows, others do not turn.
void readExaone4(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention, /*absentKvHeads=*/32);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  layer.attention.qkNorm = true;
  setNormsBehind(layer);
  setAll(model, layer);
  std::string pattern = readExaonePattern(fields);
  if (fields.isNull("sliding_window")) {
    readLayerTypes(fields, model.layers.size(), /*kind=*/"");
    return;
  }
  readWindows(fields, model, /*absentWindow=*/4096, [&](size_t index) {
    return pattern[index % pattern.size()] == 'L';
  });
  for (LayerConfig &each : model.layers)
    if (!each.attention.window)
      each.attention.rope = RopeConfig();
}

//===----------------------------------------------------------------------===//
// Cohere's Command
//===----------------------------------------------------------------------===//

/// Reads Command R7B and A. Both blocks of a layer read one layer norm, and
/// layers without a window do not turn.
void readCohere2(HfFields &fields, ModelConfig &model) {
  model.hasTiedHead = fields.boolean("tie_word_embeddings", true);
  model.hasLayerNorms = true;
  model.epsilon = fields.number("layer_norm_eps", 1e-5);
  model.logitScale = fields.number("logit_scale", 0.0625);
  if (!(model.logitScale > 0) || !std::isfinite(model.logitScale))
    fields.refuse("logit_scale") << "must be finite and positive";
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  layer.attention.rope.isInterleaved = true;
  layer.attention.qkvBias = layer.attention.outBias =
      fields.boolean("attention_bias", false);
  layer.isParallel = true;
  fields.mustBeFalse("use_qk_norm", "no released model has one");
  fields.mustBe("position_embedding_type", "rope_gptj");
  if (fields.number("rotary_pct", 1) != 1)
    fields.refuse("rotary_pct") << "other than 1 is not supported";
  for (StringRef key : {"use_parallel_block", "use_gated_activation",
                        "use_embedding_sharing", "use_parallel_embedding"})
    fields.boolean(key, true);
  for (StringRef key : {"use_parallel_block", "use_gated_activation"})
    if (!fields.boolean(key, true))
      fields.refuse(key) << "false is not supported: no released model says it";
  for (StringRef key :
       {"cache_implementation", "order_of_interleaved_layers", "layer_switch"})
    fields.find(key);
  setAll(model, layer);
  int64_t period = fields.positive("sliding_window_pattern",
                                   fields.positive("layer_switch", 4));
  readWindows(fields, model, /*absentWindow=*/4096,
              [&](size_t index) { return (index + 1) % period != 0; });
  for (LayerConfig &each : model.layers)
    if (!each.attention.window)
      each.attention.rope = RopeConfig();
}

//===----------------------------------------------------------------------===//
// Hunyuan
//===----------------------------------------------------------------------===//

/// Reads the base of the angles. With `alpha` in its scaling it is
/// theta * alpha ^ (d / (d - 2)) for d features of a head.
static RopeConfig readHunyuanRope(HfFields &fields, int64_t headDim) {
  StringRef key =
      fields.find("rope_parameters") ? "rope_parameters" : "rope_scaling";
  const LocatedJson *object = fields.find(key);
  if (!object || !object->isObject() || !object->find("alpha"))
    return readRope(fields, 10000, /*canBePartial=*/false);
  HfFields scaling(*object);
  double alpha = scaling.number("alpha", 1);
  RopeConfig rope;
  rope.theta = fields.number("rope_theta", scaling.number("rope_theta", 10000));
  if (!(alpha > 0) || !(rope.theta > 0) || headDim <= 2)
    scaling.refuse("alpha") << "and 'rope_theta' must be positive";
  else
    rope.theta *= std::pow(alpha, static_cast<double>(headDim) /
                                      static_cast<double>(headDim - 2));
  if (!std::isfinite(rope.theta) || rope.theta == 0)
    scaling.refuse("alpha") << "and 'rope_theta' give a base of the angles "
                               "that is no finite, positive number";
  for (StringRef known : {"type", "rope_type"})
    scaling.mustBe(known, "dynamic");
  if (scaling.number("factor", 1) != 1)
    scaling.refuse("factor") << "other than 1 is not supported beside 'alpha'";
  // Beside 'alpha', these are figures of a kind that is not in use.
  for (StringRef known : {"beta_fast", "beta_slow", "mscale", "mscale_all_dim"})
    scaling.find(known);
  if (failed(scaling.finish("'" + key + "'")))
    fields.markFailed();
  return rope;
}

void readHunyuanDense(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  readBiases(fields, layer);
  AttentionConfig &attention = layer.attention;
  attention.qkNorm = fields.boolean("use_qk_norm", true);
  attention.normsAfterRope = true;
  attention.rope = readHunyuanRope(fields, attention.headDim);
  layer.names = {{"self_attn.q_norm", "self_attn.query_layernorm"},
                 {"self_attn.k_norm", "self_attn.key_layernorm"}};
  if (fields.positive("attention_head_dim", attention.headDim) !=
      attention.headDim)
    fields.refuse("attention_head_dim")
        << "contradicts the head dim " << attention.headDim;
  fields.mustBeFalse("use_cla", "each layer has its own cache");
  for (StringRef key : {"num_experts", "num_shared_expert", "moe_topk"})
    if (fields.positive(key, 1) != 1)
      fields.refuse(key) << "other than 1 is not supported: layers are dense";
  for (StringRef key : {"cla_share_factor", "norm_type", "org_vocab_size",
                        "use_rotary_pos_emb", "eod_token_id"})
    fields.find(key);
  setAll(model, layer);
}

} // namespace mlir::llm
