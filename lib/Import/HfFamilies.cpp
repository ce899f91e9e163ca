//===- HfFamilies.cpp - What families of models differ in -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfFamilies.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <set>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// The size of a head where the config does not say it.
static int64_t deriveHeadDim(HfFields &fields, int64_t hidden, int64_t heads) {
  if (hidden % heads == 0 || fields.hasFailed())
    return hidden / heads;
  fields.refuse("num_attention_heads")
      << heads << " does not divide 'hidden_size' " << hidden
      << ", and 'head_dim' is missing";
  return 1;
}

/// As many KV heads as heads, and heads that share the hidden size, where the
/// config does not say it.
static void readDerivedHeads(HfFields &fields, const ModelConfig &model,
                             AttentionConfig &attention) {
  int64_t heads = attention.heads;
  attention.kvHeads = fields.positive("num_key_value_heads", heads);
  attention.headDim = fields.find("head_dim")
                          ? fields.positive("head_dim")
                          : deriveHeadDim(fields, model.hidden, heads);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// `layer_types`, one for each layer: which of them slide. Nothing where the
/// field is absent.
static std::vector<bool> readSlidingLayers(HfFields &fields, size_t layers,
                                           bool canSlide = true) {
  const LocatedJson *types = fields.find("layer_types");
  std::vector<bool> sliding;
  if (!types)
    return sliding;
  if (failed(types->expectArray())) {
    fields.markFailed();
    return sliding;
  }
  for (const LocatedJson &type : types->elements()) {
    std::string text = type.describe();
    sliding.push_back(text == "\"sliding_attention\"");
    if ((canSlide && sliding.back()) || text == "\"full_attention\"")
      continue;
    type.emitError() << "'" << type.path() << "' must be \"full_attention\""
                     << (canSlide ? " or \"sliding_attention\"" : "")
                     << ", got " << text;
    fields.markFailed();
    return {};
  }
  if (sliding.size() == layers)
    return sliding;
  fields.refuse("layer_types") << "must have one entry for each of the "
                               << layers << " layers, got " << sliding.size();
  return {};
}

/// Layers of `layer_types`, or those that `slides` names where it is absent,
/// see a window of `sliding_window` keys.
static void readWindows(HfFields &fields, ModelConfig &model,
                        int64_t absentWindow,
                        llvm::function_ref<bool(size_t layer)> slides) {
  int64_t window = fields.positive("sliding_window", absentWindow);
  std::vector<bool> sliding = readSlidingLayers(fields, model.layers.size());
  for (auto [index, layer] : llvm::enumerate(model.layers))
    if (sliding.empty() ? slides(index) : sliding[index])
      layer.attention.window = window;
  if (!window && llvm::is_contained(sliding, true))
    fields.refuse("layer_types")
        << "has sliding attention, but 'sliding_window' is missing";
}

/// Every layer has the window, if there is one.
static void readWindowOfAll(HfFields &fields, ModelConfig &model) {
  readWindows(fields, model, /*absentWindow=*/0, [](size_t) { return true; });
}

/// A window must be switched on, and then begins at a layer (Qwen).
static void readOptionalWindows(HfFields &fields, ModelConfig &model) {
  bool isUsed = fields.boolean("use_sliding_window", false);
  size_t firstSliding = model.layers.size();
  if (isUsed && !fields.find("layer_types"))
    firstSliding = fields.positive("max_window_layers", 0);
  if (fields.find("sliding_window") && !fields.find("use_sliding_window"))
    fields.refuse("sliding_window")
        << "needs 'use_sliding_window', true or false, beside it";
  readWindows(fields, model, /*absentWindow=*/0,
              [&](size_t layer) { return layer >= firstSliding; });
}

/// Every layer sees all keys before it.
static void checkFullAttention(HfFields &fields, ModelConfig &model) {
  fields.mustBeFalse("use_sliding_window", "every layer sees all keys");
  if (fields.find("sliding_window") && !fields.find("use_sliding_window"))
    fields.refuse("sliding_window")
        << "is not supported: every layer sees all keys; a window that is not "
           "in use needs 'use_sliding_window': false";
  readSlidingLayers(fields, model.layers.size(), /*canSlide=*/false);
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

static void setAll(ModelConfig &model, const LayerConfig &layer) {
  llvm::fill(model.layers, layer);
}

static void readLlama(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  bool bias = fields.boolean("attention_bias", false);
  layer.attention.qkvBias = layer.attention.outBias = bias;
  layer.feedForward.hasBias = fields.boolean("mlp_bias", false);
  setAll(model, layer);
  checkFullAttention(fields, model);
}

static void readMistral(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  setAll(model, layer);
  readWindowOfAll(fields, model);
}

static void readQwen2(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  if (!fields.boolean("attention_bias", true))
    fields.refuse("attention_bias")
        << "false is not supported: q, k and v of this architecture have one";
  layer.attention.qkvBias = true;
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  setAll(model, layer);
  readOptionalWindows(fields, model);
}

static void readQwen3(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  layer.attention.kvHeads = fields.positive("num_key_value_heads");
  layer.attention.headDim = fields.positive("head_dim");
  layer.attention.qkNorm = true;
  bool bias = fields.boolean("attention_bias", false);
  layer.attention.qkvBias = layer.attention.outBias = bias;
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  setAll(model, layer);
  readOptionalWindows(fields, model);
}

/// The fields of experts that have one name in all families.
static void readExperts(HfFields &fields, StringRef countKey,
                        ExpertsConfig &experts) {
  constexpr int64_t most = 65536; // each has a number on each of its ops
  experts.count = fields.positive(countKey);
  experts.topK = fields.positive("num_experts_per_tok");
  if (experts.count > most)
    fields.refuse(countKey)
        << "must be at most " << most << ", got " << experts.count;
  else if (experts.topK > experts.count)
    fields.refuse("num_experts_per_tok") << experts.topK << " is more than '"
                                         << countKey << "' " << experts.count;
}

static void readMixtral(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  ExpertsConfig &experts = layer.feedForward.experts;
  readExperts(fields, "num_local_experts", experts);
  experts.path = "block_sparse_moe";
  experts.normalizes = true;
  setAll(model, layer);
  readWindowOfAll(fields, model);
}

/// Layers of `mlp_only_layers`, and those between every `decoder_sparse_step`,
/// have no experts.
static bool hasExperts(const std::set<int64_t> &denseLayers, int64_t step,
                       int64_t layer) {
  return (layer + 1) % step == 0 && !denseLayers.count(layer);
}

static void readQwen3Moe(HfFields &fields, ModelConfig &model) {
  readQwen3(fields, model);
  FeedForwardConfig sparse;
  sparse.intermediate = fields.positive("moe_intermediate_size");
  readExperts(fields, "num_experts", sparse.experts);
  sparse.experts.path = "mlp";
  sparse.experts.normalizes = fields.boolean("norm_topk_prob", false);
  std::vector<int64_t> listed = fields.wholeNumbers("mlp_only_layers");
  std::set<int64_t> denseLayers(listed.begin(), listed.end());
  int64_t step = fields.positive("decoder_sparse_step", 1);
  for (auto [index, layer] : llvm::enumerate(model.layers))
    if (hasExperts(denseLayers, step, index))
      layer.feedForward = sparse;
}

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

static void readGemma2(HfFields &fields, ModelConfig &model) {
  setAll(model, readGemma(fields, model, /*scoreCap=*/50, /*logitCap=*/30));
  readAlternatingWindows(fields, model, /*period=*/2);
}

/// Layers with a window turn by angles of their own.
static void readGemma3(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = readGemma(fields, model, /*scoreCap=*/0, /*logitCap=*/0);
  layer.attention.qkNorm = true;
  if (!fields.find("rope_theta"))
    layer.attention.theta = 1e6;
  setAll(model, layer);
  int64_t period = fields.positive(
      "sliding_window_pattern", fields.positive("_sliding_window_pattern", 6));
  readAlternatingWindows(fields, model, period);
  double theta = fields.number("rope_local_base_freq", 10000);
  if (!(theta > 0))
    fields.refuse("rope_local_base_freq") << "must be positive";
  for (LayerConfig &each : model.layers)
    if (each.attention.window)
      each.attention.theta = theta;
}

static void readPhi3(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  layer.attention.isFused = layer.feedForward.isFused = true;
  setAll(model, layer);
  readWindowOfAll(fields, model);
}

static constexpr llvm::StringLiteral silu = "silu", gelu = "gelu_pytorch_tanh";

static constexpr HfFamily families[] = {
    {"gemma2", gelu, readGemma2},     {"gemma3_text", gelu, readGemma3},
    {"llama", silu, readLlama},       {"mistral", silu, readMistral},
    {"mixtral", silu, readMixtral},   {"phi3", silu, readPhi3},
    {"qwen2", silu, readQwen2},       {"qwen3", silu, readQwen3},
    {"qwen3_moe", silu, readQwen3Moe}};

const HfFamily *findHfFamily(const LocatedJson &config) {
  FailureOr<const LocatedJson *> field = config.require("model_type");
  if (failed(field))
    return nullptr;
  FailureOr<std::string> modelType = (*field)->asString();
  if (failed(modelType))
    return nullptr;
  for (const HfFamily &family : families)
    if (family.modelType == *modelType)
      return &family;
  InFlightDiagnostic diagnostic = (*field)->emitError();
  diagnostic << "'model_type' " << (*field)->describe()
             << " is not supported; supported: ";
  llvm::interleaveComma(families, diagnostic, [&](const HfFamily &family) {
    diagnostic << family.modelType;
  });
  return nullptr;
}

} // namespace mlir::llm
