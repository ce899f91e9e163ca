//===- GgufFamilies.cpp - Keys of architectures with states ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys are those of llama.cpp (gguf-py/gguf/constants.py), and what they mean
// is as its converters write them (conversion/*.py).
//
//===----------------------------------------------------------------------===//

#include "GgufConfig.h"
#include "llm/Import/GgmlNames.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// What several share
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral headCountKv = "attention.head_count_kv",
                                     keyLength = "attention.key_length",
                                     networkWidth = "feed_forward_length",
                                     inner = "ssm.inner_size",
                                     stateHeads = "ssm.time_step_rank";

/// Keys of all of these architectures.
static constexpr llvm::StringLiteral commonKeys[] = {
    "block_count",
    "context_length",
    "embedding_length",
    "vocab_size",
    "feed_forward_length",
    "nextn_predict_layers",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.layer_norm_rms_epsilon",
    "rope.freq_base",
    "rope.dimension_count",
    "expert_count",
    "expert_used_count",
    "expert_feed_forward_length",
    "expert_shared_feed_forward_length",
    "ssm.conv_kernel",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.time_step_rank",
    "ssm.group_count"};

static std::string quoted(ArrayRef<std::string> words) {
  std::string text = "[";
  for (auto [index, word] : llvm::enumerate(words))
    text += (index ? ", \"" : "\"") + word + "\"";
  return text + "]";
}

/// Heads of keys, and how many features they have.
static void putAttention(GgufConfig &config, StringRef headDim = "head_dim") {
  config.putSize("num_attention_heads", "attention.head_count");
  config.putSize("num_key_value_heads", headCountKv);
  config.putSize(headDim, keyLength);
  if (config.has("attention.value_length") &&
      config.largest("attention.value_length") != config.largest(keyLength))
    config.reject("attention.value_length",
                  "other than 'attention.key_length' is not supported");
}

/// The features of each head with a state.
static int64_t headSizeOf(GgufConfig &config) {
  int64_t all = config.divisor(inner), heads = config.divisor(stateHeads);
  if (all % heads)
    config.reject(inner, Twine(all) + " is no multiple of '" + stateHeads +
                             "' " + Twine(heads));
  return all / heads;
}

/// Layers with `own` where there are no heads of keys, and `other` where there
/// are.
static void putLayerTypes(GgufConfig &config, StringRef field, StringRef own,
                          StringRef other) {
  std::vector<std::string> types;
  for (int64_t heads : config.ofLayers(headCountKv))
    types.push_back((heads ? other : own).str());
  config.put(field, quoted(types), headCountKv);
}

namespace {
/// What a family calls the fields of Mamba-2 in its config.
struct MambaNames {
  StringRef heads, headDim, groups, stateSize, taps, convBias, projBias,
      expansion;
};
} // namespace

static constexpr MambaNames
    prefixedNames = {"mamba_n_heads",   "mamba_d_head", "mamba_n_groups",
                     "mamba_d_state",   "mamba_d_conv", "mamba_conv_bias",
                     "mamba_proj_bias", "mamba_expand"},
    nemotronNames = {"mamba_num_heads", "mamba_head_dim",
                     "n_groups",        "ssm_state_size",
                     "conv_kernel",     "use_conv_bias",
                     "use_bias",        ""},
    ownNames = {"num_heads",   "head_dim",      "n_groups", "state_size",
                "conv_kernel", "use_conv_bias", "use_bias", "expand"};

static void putMamba(GgufConfig &config, const MambaNames &names) {
  config.putSize(names.heads, stateHeads);
  config.put(names.headDim, Twine(headSizeOf(config)), inner);
  config.putSize(names.groups, "ssm.group_count");
  config.putSize(names.stateSize, "ssm.state_size");
  config.putSize(names.taps, "ssm.conv_kernel");
  config.put(names.convBias,
             config.hasLayerTensor("ssm_conv1d.bias") ? "true" : "false");
  config.put(names.projBias,
             config.hasLayerTensor("ssm_in.bias") ? "true" : "false");
  int64_t hidden = config.divisor("embedding_length");
  if (!names.expansion.empty() && config.largest(inner) % hidden == 0)
    config.put(names.expansion, Twine(config.largest(inner) / hidden), inner);
}

//===----------------------------------------------------------------------===//
// Qwen3-Next and Qwen3.5
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral qwenKeys[] = {"full_attention_interval",
                                                   "attention.recurrent_layers",
                                                   "rope.dimension_sections"};

static void writeQwenHybrid(GgufConfig &config) {
  putAttention(config);
  config.putNumber("rms_norm_eps", "attention.layer_norm_rms_epsilon");
  config.put("linear_value_head_dim", Twine(headSizeOf(config)), inner);
  config.putSize("linear_num_value_heads", stateHeads);
  config.putSize("linear_num_key_heads", "ssm.group_count");
  config.putSize("linear_key_head_dim", "ssm.state_size");
  config.putSize("linear_conv_kernel_dim", "ssm.conv_kernel");
  config.putNumber("rope_theta", "rope.freq_base");
  config.putShare("partial_rotary_factor", "rope.dimension_count", keyLength);
  config.putSize("full_attention_interval", "full_attention_interval");
  if (config.has("attention.recurrent_layers"))
    config.reject("attention.recurrent_layers",
                  "is not supported: 'full_attention_interval' says which "
                  "layers attend");
  // 0 where all layers have experts.
  if (config.largest(networkWidth))
    config.putSize("intermediate_size", networkWidth);
  if (!config.largest("expert_count"))
    return;
  config.putSize("num_experts", "expert_count");
  config.putSize("num_experts_per_tok", "expert_used_count");
  config.putSize("moe_intermediate_size", "expert_feed_forward_length");
  config.putSize("shared_expert_intermediate_size",
                 "expert_shared_feed_forward_length");
}

//===----------------------------------------------------------------------===//
// Nemotron-H
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral nemotronKeys[] = {
    "expert_shared_count",    "expert_weights_norm",     "expert_weights_scale",
    "expert_group_count",     "expert_group_used_count", "expert_gating_func",
    "rope.scaling.finetuned", "moe_latent_size"};

/// A layer with heads of keys attends, one with a width is a network, and the
/// others have a state.
static std::string patternOf(GgufConfig &config) {
  std::vector<int64_t> heads = config.ofLayers(headCountKv),
                       widths = config.ofLayers(networkWidth);
  char network = config.largest("expert_count") ? 'E' : '-';
  std::string pattern;
  for (auto [ofKeys, width] : llvm::zip(heads, widths))
    pattern += width ? network : ofKeys ? '*' : 'M';
  return pattern;
}

static void writeNemotronH(GgufConfig &config) {
  putAttention(config);
  config.putNumber("layer_norm_epsilon", "attention.layer_norm_rms_epsilon");
  config.put("hybrid_override_pattern", "\"" + patternOf(config) + "\"",
             headCountKv);
  putMamba(config, nemotronNames);
  for (auto [field, tensor] :
       {std::pair<StringRef, StringRef>{"attention_bias", "attn_q.bias"},
        {"mlp_bias", "ffn_up.bias"}})
    config.put(field, config.hasLayerTensor(tensor) ? "true" : "false");
  config.put("intermediate_size", Twine(config.largest(networkWidth)),
             networkWidth);
  if (!config.largest("expert_count"))
    return;
  config.putSize("n_routed_experts", "expert_count");
  config.putSize("num_experts_per_tok", "expert_used_count");
  config.putSize("moe_intermediate_size", "expert_feed_forward_length");
  config.putSize("n_shared_experts", "expert_shared_count");
  config.putSize("moe_shared_expert_intermediate_size",
                 "expert_shared_feed_forward_length");
  config.putBoolean("norm_topk_prob", "expert_weights_norm");
  config.putNumber("routed_scaling_factor", "expert_weights_scale");
  config.putSize("n_group", "expert_group_count");
  config.putSize("topk_group", "expert_group_used_count");
  config.putSize("moe_latent_size", "moe_latent_size");
}

//===----------------------------------------------------------------------===//
// LFM2
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral lfmKeys[] = {
    "shortconv.l_cache", "leading_dense_block_count", "expert_gating_func",
    "expert_weights_scale", "expert_weights_norm"};

static void writeLfm2(GgufConfig &config) {
  putAttention(config);
  config.putNumber("norm_eps", "attention.layer_norm_rms_epsilon");
  config.putNumber("rope_theta", "rope.freq_base");
  config.putSize("intermediate_size", networkWidth);
  putLayerTypes(config, "layer_types", "conv", "full_attention");
  config.putSize("conv_L_cache", "shortconv.l_cache");
  config.put("conv_bias",
             config.hasLayerTensor("shortconv.conv.bias") ? "true" : "false");
  if (!config.largest("expert_count")) {
    // The width in the file is the one that the rule of the config gives.
    config.put("block_auto_adjust_ff_dim", "false");
    return;
  }
  constexpr int64_t sigmoid = 2;
  if (config.has("expert_gating_func") &&
      config.largest("expert_gating_func") != sigmoid)
    config.reject("expert_gating_func", "must be 2: scores are sigmoids");
  config.putSize("num_experts", "expert_count");
  config.putSize("num_experts_per_tok", "expert_used_count");
  config.putSize("moe_intermediate_size", "expert_feed_forward_length");
  config.putSize("num_dense_layers", "leading_dense_block_count");
  config.putNumber("routed_scaling_factor", "expert_weights_scale");
  config.putBoolean("norm_topk_prob", "expert_weights_norm");
  config.put("use_expert_bias",
             config.hasLayerTensor("exp_probs_b.bias") ? "true" : "false");
}

//===----------------------------------------------------------------------===//
// Granite 4, Falcon-H1 and Mamba-2 alone
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral graniteKeys[] = {
    "attention.scale", "embedding_scale", "residual_scale", "logit_scale",
    "rope.scaling.finetuned"};

static void writeGraniteHybrid(GgufConfig &config) {
  putAttention(config);
  config.putNumber("rms_norm_eps", "attention.layer_norm_rms_epsilon");
  putMamba(config, prefixedNames);
  putLayerTypes(config, "layer_types", "mamba", "attention");
  config.putNumber("attention_multiplier", "attention.scale");
  config.putNumber("embedding_multiplier", "embedding_scale");
  config.putNumber("residual_multiplier", "residual_scale");
  config.putNumber("logits_scaling", "logit_scale");
  // Of two models that have this architecture, only Bamba turns.
  auto turns =
      config.header.findBoolean(config.keyOf("rope.scaling.finetuned"));
  if (succeeded(turns) && turns->value_or(false))
    config.reject("rope.scaling.finetuned",
                  "true is not supported: it does not say which part of a head "
                  "turns");
  config.put("position_embedding_type", "\"nope\"");
  config.putSize("intermediate_size", networkWidth);
  config.putSize("shared_intermediate_size",
                 config.has("expert_shared_feed_forward_length")
                     ? "expert_shared_feed_forward_length"
                     : networkWidth);
  config.put("num_local_experts", Twine(config.largest("expert_count")),
             "expert_count");
  if (config.largest("expert_count"))
    config.putSize("num_experts_per_tok", "expert_used_count");
}

/// Factors of what goes into a part and comes out of it are in the weights.
static void writeFalconH1(GgufConfig &config) {
  putAttention(config);
  config.putNumber("rms_norm_eps", "attention.layer_norm_rms_epsilon");
  config.putNumber("rope_theta", "rope.freq_base");
  putMamba(config, prefixedNames);
  config.putSize("mamba_d_ssm", inner);
  config.put("mamba_rms_norm",
             config.hasLayerTensor("ssm_norm.weight") ? "true" : "false");
  config.put("mamba_norm_before_gate", "false");
  config.putSize("intermediate_size", networkWidth);
}

static void writeMamba2(GgufConfig &config) {
  int64_t hidden = config.divisor("embedding_length");
  config.putNumber("layer_norm_epsilon", "attention.layer_norm_rms_epsilon");
  if (config.largest(inner) % hidden)
    config.reject(inner,
                  "must be a multiple of 'embedding_length' " + Twine(hidden));
  putMamba(config, ownNames);
  config.put("rms_norm",
             config.hasLayerTensor("ssm_norm.weight") ? "true" : "false");
}

//===----------------------------------------------------------------------===//
// DeepSeek with latent attention
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral deepseekKeys[] = {
    "attention.q_lora_rank",
    "attention.kv_lora_rank",
    "attention.key_length_mla",
    "attention.value_length_mla",
    "attention.indexer.head_count",
    "attention.indexer.key_length",
    "attention.indexer.top_k",
    "leading_dense_block_count",
    "expert_shared_count",
    "expert_weights_scale",
    "expert_weights_norm",
    "expert_gating_func",
    "expert_group_count",
    "expert_group_used_count",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scaling.original_context_length",
    "rope.scaling.yarn_log_multiplier",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow"};

/// Writes scaled angles. Files hold a tenth of what the scores are scaled by.
static void putYarn(GgufConfig &config) {
  auto type = config.header.findString(config.keyOf("rope.scaling.type"));
  if (failed(type) || !*type || **type == "none")
    return;
  if (**type != "yarn")
    return config.reject("rope.scaling.type",
                         "must be one of none, yarn; got \"" + **type + "\"");
  std::string scaling = "{\"type\": \"yarn\"";
  for (auto [field, key, factor] :
       {std::tuple<StringRef, StringRef, double>{"factor",
                                                 "rope.scaling.factor", 1},
        {"original_max_position_embeddings",
         "rope.scaling.original_context_length", 1},
        {"mscale", "rope.scaling.yarn_log_multiplier", 10},
        {"mscale_all_dim", "rope.scaling.yarn_log_multiplier", 10},
        {"beta_fast", "rope.scaling.yarn_beta_fast", 1},
        {"beta_slow", "rope.scaling.yarn_beta_slow", 1}}) {
    auto number = config.header.findNumber(config.keyOf(key));
    if (succeeded(number) && *number)
      scaling +=
          (", \"" + field + "\": " + GgufConfig::spell(**number * factor))
              .str();
  }
  config.put("rope_scaling", scaling + "}", "rope.scaling.type");
}

static void putSharedExperts(GgufConfig &config) {
  config.putSize("n_routed_experts", "expert_count");
  config.putSize("num_experts_per_tok", "expert_used_count");
  config.putSize("moe_intermediate_size", "expert_feed_forward_length");
  config.putSize("n_shared_experts", "expert_shared_count");
  config.putNumber("routed_scaling_factor", "expert_weights_scale");
  if (config.has("expert_weights_norm"))
    config.putBoolean("norm_topk_prob", "expert_weights_norm");
  else // written only where it is true
    config.put("norm_topk_prob", "false");
  config.putSize("first_k_dense_replace", "leading_dense_block_count");
  config.put("n_group",
             Twine(std::max<int64_t>(1, config.largest("expert_group_count"))),
             "expert_group_count");
  config.put(
      "topk_group",
      Twine(std::max<int64_t>(1, config.largest("expert_group_used_count"))),
      "expert_group_used_count");
  constexpr int64_t softmax = 1, sigmoid = 2;
  int64_t scoring = config.largest("expert_gating_func");
  if (scoring > sigmoid)
    config.reject("expert_gating_func",
                  "must be 1 (softmax) or 2 (sigmoid), got " + Twine(scoring));
  // Files of before the key have one of two kinds of models.
  bool hasBias = config.hasLayerTensor("exp_probs_b.bias");
  bool isSoftmax = scoring == softmax || (scoring == 0 && !hasBias);
  config.put("scoring_func", isSoftmax ? "\"softmax\"" : "\"sigmoid\"",
             "expert_gating_func");
  config.put("topk_method", hasBias ? "\"noaux_tc\""
                            : config.largest("expert_group_count") > 1
                                ? "\"group_limited_greedy\""
                                : "\"greedy\"");
}

/// The heads that the file counts are those of latents; `_mla` says what they
/// are made into.
static void writeDeepseek(GgufConfig &config) {
  config.putSize("num_attention_heads", "attention.head_count");
  config.putSize("q_lora_rank", "attention.q_lora_rank");
  config.putSize("kv_lora_rank", "attention.kv_lora_rank");
  int64_t turned = config.divisor("rope.dimension_count"),
          all = config.divisor("attention.key_length_mla");
  config.put("qk_nope_head_dim", Twine(all - turned),
             "attention.key_length_mla");
  config.putSize("qk_rope_head_dim", "rope.dimension_count");
  config.putSize("v_head_dim", "attention.value_length_mla");
  config.putNumber("rms_norm_eps", "attention.layer_norm_rms_epsilon");
  config.putNumber("rope_theta", "rope.freq_base");
  putYarn(config);
  if (config.largest(networkWidth))
    config.putSize("intermediate_size", networkWidth);
  config.putSize("index_n_heads", "attention.indexer.head_count");
  config.putSize("index_head_dim", "attention.indexer.key_length");
  config.putSize("index_topk", "attention.indexer.top_k");
  if (config.largest("expert_count"))
    putSharedExperts(config);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static constexpr GgufFamily families[] = {
    {"deepseek2", "deepseek_v3", deepseekKeys, writeDeepseek},
    {"deepseek32", "deepseek_v32", deepseekKeys, writeDeepseek},
    {"falcon-h1", "falcon_h1", {}, writeFalconH1},
    {"granitehybrid", "granitemoehybrid", graniteKeys, writeGraniteHybrid},
    {"lfm2", "lfm2", lfmKeys, writeLfm2},
    {"lfm2moe", "lfm2_moe", lfmKeys, writeLfm2},
    {"mamba2", "mamba2", {}, writeMamba2},
    {"nemotron_h", "nemotron_h", nemotronKeys, writeNemotronH},
    {"nemotron_h_moe", "nemotron_h", nemotronKeys, writeNemotronH},
    {"qwen35", "qwen3_5_text", qwenKeys, writeQwenHybrid},
    {"qwen35moe", "qwen3_5_moe_text", qwenKeys, writeQwenHybrid},
    {"qwen3next", "qwen3_next", qwenKeys, writeQwenHybrid}};

ArrayRef<GgufFamily> ggufFamilies() { return families; }

const GgufFamily *findGgufFamily(StringRef architecture) {
  for (const GgufFamily &family : families)
    if (family.architecture == architecture)
      return &family;
  return nullptr;
}

bool isGgufFamilyKey(const GgufFamily &family, StringRef key) {
  return llvm::is_contained(commonKeys, key) ||
         llvm::is_contained(family.keys, key);
}

bool isImportedOnly(StringRef architecture) {
  return findGgufFamily(architecture);
}

/// Architectures that users will try, and why they are not read.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    refusals[] = {
        {"deepseek4", "its keys have no reader"},
        {"gemma4", "its keys have no reader"},
        {"glm-dsa", "it does not say which layers share what others select"},
        {"kimi-linear", "its keys have no reader"}};

StringRef refusalOfGguf(StringRef architecture) {
  for (auto [refused, why] : refusals)
    if (refused == architecture)
      return why;
  return "";
}

FailureOr<ModelConfig> readGgufFamily(const GgufFields &fields,
                                      const GgufFamily &family) {
  GgufConfig config(fields, family.modelType);
  family.write(config);
  FailureOr<ModelConfig> model = config.read();
  if (failed(model))
    return failure();
  // Converters take gates and up projections apart.
  for (LayerConfig &layer : model->layers) {
    layer.feedForward.isFused = false;
    layer.feedForward.experts.isFused = false;
    layer.feedForward.experts.sharedIsFused = false;
    // A network that stands alone has the names of one, also in Granite.
    if (layer.feedForward.path == "shared_mlp")
      layer.feedForward.path = "mlp";
  }
  return model;
}

} // namespace mlir::llm
