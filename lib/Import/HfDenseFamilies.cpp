//===- HfDenseFamilies.cpp - Families without experts ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"

#include <cmath>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Every layer sees all keys before it.
static void checkFullAttention(HfFields &fields, ModelConfig &model) {
  fields.mustBeFalse("use_sliding_window", "every layer sees all keys");
  if (fields.find("sliding_window") && !fields.find("use_sliding_window"))
    fields.refuse("sliding_window")
        << "is not supported: every layer sees all keys; a window that is not "
           "in use needs 'use_sliding_window': false";
  readLayerTypes(fields, model.layers.size(), /*kind=*/"");
}

//===----------------------------------------------------------------------===//
// Llama, Mistral and Qwen
//===----------------------------------------------------------------------===//

void readLlama(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  bool bias = fields.boolean("attention_bias", false);
  layer.attention.qkvBias = layer.attention.outBias = bias;
  layer.feedForward.hasBias = fields.boolean("mlp_bias", false);
  setAll(model, layer);
  checkFullAttention(fields, model);
}

void readMistral(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention, /*absentKvHeads=*/8);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  setAll(model, layer);
  readWindowOfAll(fields, model, /*absentWindow=*/4096);
}

void readQwen2(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  for (StringRef key : {"attention_bias", "qkv_bias"})
    if (!fields.boolean(key, true))
      fields.refuse(key)
          << "false is not supported: q, k and v of this architecture have one";
  layer.attention.qkvBias = true;
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  setAll(model, layer);
  readOptionalWindows(fields, model, /*firstKey=*/"max_window_layers");
}

void readQwen3Heads(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  layer.attention.kvHeads = fields.positive("num_key_value_heads");
  layer.attention.headDim = fields.positive("head_dim");
  layer.attention.qkNorm = true;
  bool bias = fields.boolean("attention_bias", false);
  layer.attention.qkvBias = layer.attention.outBias = bias;
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  setAll(model, layer);
}

void readQwen3(HfFields &fields, ModelConfig &model) {
  readQwen3Heads(fields, model);
  readOptionalWindows(fields, model, /*firstKey=*/"max_window_layers");
}

//===----------------------------------------------------------------------===//
// Gemma and Phi
//===----------------------------------------------------------------------===//

/// What all of Gemma has, with the defaults of Hugging Face's classes.
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
  layer.feedForward.isGeGlu = true;
  layer.hasOutputNorms = true;
  model.normsAddOne = true;
  model.hasTiedHead = fields.boolean("tie_word_embeddings", true);
  model.embeddingScale = std::sqrt(static_cast<double>(model.hidden));
  model.logitSoftCap = fields.numberOrNone("final_logit_softcapping", logitCap);
  return layer;
}

/// Every `period`-th layer sees all keys, the others a window.
static void readAlternatingWindows(HfFields &fields, ModelConfig &model,
                                   int64_t period) {
  readWindows(fields, model, /*absentWindow=*/4096,
              [&](size_t layer) { return (layer + 1) % period != 0; });
}

void readGemma2(HfFields &fields, ModelConfig &model) {
  setAll(model, readGemma(fields, model, /*scoreCap=*/50, /*logitCap=*/30));
  readAlternatingWindows(fields, model, /*period=*/2);
}

/// Layers with a window turn by angles of their own.
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

void readPhi3(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  layer.attention.isFused = layer.feedForward.isFused = true;
  setAll(model, layer);
  readWindowOfAll(fields, model);
}

} // namespace mlir::llm
