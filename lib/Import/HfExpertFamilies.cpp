//===- HfExpertFamilies.cpp - Families with experts -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"
#include "llm/Support/Units.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Mixtral, MiniMax and Qwen3
//===----------------------------------------------------------------------===//

void readMixtral(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention, /*absentKvHeads=*/8);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  ExpertsConfig &experts = layer.feedForward.experts;
  readExperts(fields, "num_local_experts", experts);
  layer.feedForward.path = "block_sparse_moe";
  experts.router = "gate";
  experts.normalizes = true;
  setAll(model, layer);
  readWindowOfAll(fields, model);
}

/// Checks fields for layers of another kind, which MiniMax-M2 does not have.
static void checkMinimaxM2(HfFields &fields) {
  for (int64_t kind : fields.wholeNumbers("attn_type_list"))
    if (kind != 1) {
      fields.refuse("attn_type_list")
          << "must be 1 for every layer: linear attention is not supported";
      break;
    }
  for (StringRef key :
       {"layernorm_full_attention_beta", "layernorm_linear_attention_beta",
        "layernorm_mlp_beta"})
    if (fields.number(key, 1) != 1)
      fields.refuse(key) << "other than 1 is not supported";
  if (fields.nonNegative("shared_intermediate_size", 0))
    fields.refuse("shared_intermediate_size")
        << "other than 0 is not supported: there is no expert of all tokens";
  fields.mustBe("scoring_func", "sigmoid");
  // These are for a feed-forward network and an expert that no layer has.
  for (StringRef key : {"mlp_intermediate_size", "shared_moe_mode"})
    fields.find(key);
}

/// Reads `rotary_dim`, or a part of a head.
static int64_t readRotaryDim(HfFields &fields, int64_t headDim) {
  int64_t ofFactor = readRotatedFeatures(fields, headDim);
  int64_t features = fields.positive("rotary_dim", ofFactor);
  if (features > headDim || features % 2)
    fields.refuse("rotary_dim") << features << " must be even, and at most the "
                                << headDim << " features of a head";
  else if (ofFactor != headDim && ofFactor != features)
    fields.refuse("rotary_dim")
        << features << " contradicts 'partial_rotary_factor', by which "
        << ofFactor << " features turn";
  return features;
}

/// Reads heads, with a norm of each or of all, of which a part turns.
static void readMinimaxHeads(HfFields &fields, StringRef absentNorm,
                             AttentionConfig &attention) {
  attention.kvHeads = fields.positive("num_key_value_heads", 8);
  attention.headDim = fields.positive("head_dim", 128);
  attention.qkNorm = fields.boolean("use_qk_norm", true);
  std::string normType = fields.string("qk_norm_type", absentNorm);
  if (normType != "per_layer" && normType != "per_head")
    fields.refuse("qk_norm_type")
        << "must be \"per_layer\" or \"per_head\", got \"" << normType << "\"";
  attention.normsAllHeads = normType == "per_layer";
  attention.rope.features = readRotaryDim(fields, attention.headDim);
}

/// Reads experts that are scored by sigmoids. The shares of a token have sum 1.
static void readMinimaxExperts(HfFields &fields, FeedForwardConfig &sparse) {
  sparse.path = "block_sparse_moe";
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "num_local_experts", experts);
  experts.router = "gate";
  experts.scoring = ExpertScoring::Sigmoid;
  experts.normalizes = true;
  if (fields.boolean("use_routing_bias", true))
    experts.selectionBias = "e_score_correction_bias";
}

void readMinimaxM2(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readMinimaxHeads(fields, "per_layer", layer.attention);
  readMinimaxExperts(fields, layer.feedForward);
  checkMinimaxM2(fields);
  setAll(model, layer);
}

/// Reads the limit at which gpt-oss clamps its SwiGLU.
static double readSwiGluLimit(HfFields &fields) {
  double limit = fields.number("swiglu_limit", 7);
  if (!(limit > 0))
    fields.refuse("swiglu_limit") << "must be positive";
  return limit;
}

/// Checks the gain of that SwiGLU, which the op fixes.
static void checkSwiGluGain(HfFields &fields) {
  constexpr double gain = 1.702;
  if (fields.number("swiglu_alpha", gain) != gain)
    fields.refuse("swiglu_alpha") << "other than 1.702 is not supported";
}

/// Reads experts that all tokens share. They are one expert, side by side.
static void readSharedExperts(HfFields &fields, ExpertsConfig &experts) {
  int64_t count = fields.positive("n_shared_experts", 1),
          width = readFeatures(fields, "shared_intermediate_size");
  if (count > 1)
    fields.refuse("n_shared_experts") << "other than 1 is not supported";
  experts.sharedWidth = width;
  experts.sharedPath = "shared_experts";
}

static void readMinimaxM3Layers(HfFields &fields, ModelConfig &model,
                                const FeedForwardConfig &dense,
                                const FeedForwardConfig &sparse) {
  std::vector<bool> isSparse =
      readMarks(fields, "moe_layer_freq", model.layers.size());
  size_t firstSparse = llvm::find(isSparse, true) - isSparse.begin();
  for (auto [index, layer] : llvm::enumerate(model.layers))
    layer.feedForward = isSparse[index] ? sparse : dense;
  if (fields.find("first_k_dense_replace") &&
      fields.nonNegative("first_k_dense_replace", 0) !=
          static_cast<int64_t>(firstSparse))
    fields.refuse("first_k_dense_replace")
        << "contradicts 'moe_layer_freq', by which " << firstSparse
        << " layers come before the first with experts";
}

void readMinimaxM3(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readMinimaxHeads(fields, "per_head", layer.attention);
  fields.mustBeFalse("attention_output_gate", "attention with an output gate");
  model.normsAddOne = fields.boolean("use_gemma_norm", true);
  FeedForwardConfig dense, sparse;
  checkSwiGluGain(fields);
  sparse.limit = dense.limit = readSwiGluLimit(fields);
  dense.intermediate = readFeatures(fields, "dense_intermediate_size");
  sparse.intermediate = layer.feedForward.intermediate;
  if (fields.positive("moe_intermediate_size", sparse.intermediate) !=
      sparse.intermediate)
    fields.refuse("moe_intermediate_size")
        << "contradicts 'intermediate_size' " << sparse.intermediate;
  readMinimaxExperts(fields, sparse);
  fields.mustBe("scoring_func", "sigmoid");
  readSharedExperts(fields, sparse.experts);
  sparse.experts.scale = readShareScale(fields, 2);
  setAll(model, layer);
  readMinimaxM3Layers(fields, model, dense, sparse);
  readBlockIndexers(fields, model);
}

void readQwen3Moe(HfFields &fields, ModelConfig &model) {
  readQwen3Heads(fields, model);
  // Unlike the families without experts, it does not read 'max_window_layers'.
  readOptionalWindows(fields, model, /*firstKey=*/"");
  FeedForwardConfig sparse =
      readQwenExperts(fields, /*absentNormalizes=*/false);
  std::vector<bool> areSparse =
      readQwenSparseLayers(fields, model.layers.size());
  for (auto [isSparse, layer] : llvm::zip(areSparse, model.layers))
    if (isSparse)
      layer.feedForward = sparse;
}

//===----------------------------------------------------------------------===//
// ERNIE 4.5
//===----------------------------------------------------------------------===//

void readErnie45(HfFields &fields, ModelConfig &model) {
  model.hasTiedHead = fields.boolean("tie_word_embeddings", true);
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  layer.attention.rope.isInterleaved = true;
  layer.attention.qkvBias = layer.attention.outBias =
      layer.feedForward.hasBias = fields.boolean("use_bias", false);
  setAll(model, layer);
}

/// Layers with experts come in intervals, between the first and the last.
void readErnie45Moe(HfFields &fields, ModelConfig &model) {
  readErnie45(fields, model);
  fields.mustBeFalse("use_bias", "no released model has one");
  FeedForwardConfig sparse;
  sparse.intermediate = fields.positive("moe_intermediate_size");
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "moe_num_experts", experts, "moe_k");
  experts.router = "gate";
  experts.selectionBias = "moe_statics.e_score_correction_bias";
  experts.normalizes = true;
  setSharedByCount(fields, "moe_num_shared_experts",
                   fields.nonNegative("moe_num_shared_experts", 2), sparse);
  int64_t interval = fields.positive("moe_layer_interval", 1),
          first = fields.nonNegative("moe_layer_start_index", 1),
          last = model.layers.size() - 1;
  // -1 stands for the last layer.
  if (const LocatedJson *end = fields.find("moe_layer_end_index");
      end && end->describe() != "-1")
    last = fields.nonNegative("moe_layer_end_index", last);
  // These are the least sum that shares are divided by, and how tokens are
  // sent in training.
  for (StringRef key :
       {"moe_norm_min", "moe_capacity", "moe_gate", "moe_use_aux_free"})
    fields.find(key);
  for (auto [index, layer] : llvm::enumerate(model.layers)) {
    auto number = static_cast<int64_t>(index);
    if ((number + 1) % interval == 0 && number >= first && number <= last)
      layer.feedForward = sparse;
  }
}

//===----------------------------------------------------------------------===//
// gpt-oss
//===----------------------------------------------------------------------===//

/// Reads experts with a bias, which are stored as one weight each way.
static FeedForwardConfig readGptOssExperts(HfFields &fields, int64_t width) {
  FeedForwardConfig feedForward;
  feedForward.intermediate = width;
  ExpertsConfig &experts = feedForward.experts;
  readExperts(fields, "num_local_experts", experts);
  if (fields.positive("experts_per_token", experts.topK) != experts.topK)
    fields.refuse("experts_per_token")
        << "contradicts 'num_experts_per_tok' " << experts.topK;
  experts.scoring = ExpertScoring::TopkSoftmax;
  experts.router = "router";
  experts.hasRouterBias = experts.hasBias = true;
  experts.isFused = experts.isInterleaved = experts.isTransposed = true;
  feedForward.limit = readSwiGluLimit(fields);
  return feedForward;
}

void readGptOss(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  AttentionConfig &attention = layer.attention;
  attention.kvHeads = fields.positive("num_key_value_heads", 8);
  attention.headDim = fields.positive("head_dim", 64);
  attention.qkvBias = attention.outBias =
      fields.boolean("attention_bias", true);
  attention.sinks = "sinks";
  layer.feedForward = readGptOssExperts(fields, layer.feedForward.intermediate);
  setAll(model, layer);
  readWindows(fields, model, /*absentWindow=*/128,
              [](size_t index) { return index % 2 == 0; });
}

//===----------------------------------------------------------------------===//
// Llama 4
//===----------------------------------------------------------------------===//

std::vector<bool> readTurningLayers(HfFields &fields, size_t layers) {
  std::vector<int64_t> marks = fields.wholeNumbers("no_rope_layers");
  int64_t interval = fields.positive("no_rope_layer_interval", 4);
  std::vector<bool> rotated;
  for (size_t index = 0; index < layers; ++index)
    rotated.push_back(marks.empty() ? (index + 1) % interval != 0
                                    : index < marks.size() && marks[index]);
  if (!marks.empty() && marks.size() != layers)
    fields.refuse("no_rope_layers")
        << "must have one entry for each of the " << layers << " layers, got "
        << marks.size();
  return rotated;
}

/// Reads which layers have a rotary embedding. These see a chunk of the
/// positions, and the others see all.
static std::vector<bool> readRotatedLayers(HfFields &fields, size_t layers) {
  std::vector<bool> ofTypes =
      readLayerTypes(fields, layers, "chunked_attention");
  std::vector<bool> rotated = readTurningLayers(fields, layers);
  if (!ofTypes.empty() && ofTypes != rotated && !fields.hasFailed())
    fields.refuse("layer_types")
        << "contradicts the layers without rotary embedding: those, and only "
           "those, have \"full_attention\"";
  return rotated;
}

/// Reads the temperature of layers without a rotary embedding.
static void readTemperature(HfFields &fields, AttentionConfig &attention) {
  int64_t step = fields.positive("floor_scale", 8192);
  double slope = fields.number("attn_scale", 0.1);
  // Some configs have a number here.
  const LocatedJson *tuning = fields.find("attn_temperature_tuning");
  bool isNumber = tuning && tuning->kind() == LocatedJson::Kind::Integer;
  bool isOn = isNumber ? fields.number("attn_temperature_tuning", 1) != 0
                       : fields.boolean("attn_temperature_tuning", true);
  attention.temperatureStep = isOn ? step : 0;
  attention.temperatureSlope = isOn ? slope : 0;
}

/// Reads one shared expert, and one or more whose input is scaled by their
/// share.
static FeedForwardConfig readLlama4Experts(HfFields &fields, int64_t width) {
  FeedForwardConfig sparse;
  sparse.path = "feed_forward";
  sparse.intermediate = width;
  readExperts(fields, "num_local_experts", sparse.experts);
  ExpertsConfig &experts = sparse.experts;
  experts.scoring = ExpertScoring::TopkSigmoid;
  experts.scalesInput = true;
  experts.router = "router";
  experts.isFused = experts.isTransposed = true;
  experts.sharedWidth = width;
  experts.sharedPath = "shared_expert";
  return sparse;
}

/// Reads `moe_layers`, or every `interleave_moe_layer_step`-th layer.
static std::vector<bool> readSparseLayers(HfFields &fields, size_t layers) {
  int64_t step = fields.positive("interleave_moe_layer_step", 1);
  std::vector<bool> sparse;
  for (size_t index = 0; index < layers; ++index)
    sparse.push_back((index + 1) % step == 0);
  if (!fields.find("moe_layers"))
    return sparse;
  sparse.assign(layers, false);
  for (int64_t index : fields.wholeNumbers("moe_layers"))
    if (index < static_cast<int64_t>(layers))
      sparse[index] = true;
    else
      fields.refuse("moe_layers")
          << "names layer " << index << " of " << layers;
  return sparse;
}

void readLlama4(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  AttentionConfig &attention = layer.attention;
  attention.kvHeads = fields.positive("num_key_value_heads", 8);
  attention.headDim = fields.positive("head_dim", 128);
  attention.qkvBias = attention.outBias =
      fields.boolean("attention_bias", false);
  FeedForwardConfig dense;
  dense.path = "feed_forward";
  dense.intermediate = fields.positive("intermediate_size_mlp", 16384);
  FeedForwardConfig sparse =
      readLlama4Experts(fields, layer.feedForward.intermediate);
  AttentionConfig rotated = attention, plain = attention;
  rotated.plainQkNorm = fields.boolean("use_qk_norm", true);
  rotated.chunk = fields.positive("attention_chunk_size", 8192);
  plain.rope.theta = 0;
  readTemperature(fields, plain);
  rotated.rope.isInterleaved = true;
  std::vector<bool> rotatedLayers =
      readRotatedLayers(fields, model.layers.size());
  std::vector<bool> sparseLayers =
      readSparseLayers(fields, model.layers.size());
  for (auto [index, each] : llvm::enumerate(model.layers)) {
    each.attention = rotatedLayers[index] ? rotated : plain;
    each.feedForward = sparseLayers[index] ? sparse : dense;
  }
}

} // namespace mlir::llm
