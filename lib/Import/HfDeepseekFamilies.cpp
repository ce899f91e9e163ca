//===- HfDeepseekFamilies.cpp - Experts selected as DeepSeek does ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"

#include <cmath>

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// DeepSeek and Kimi
//===----------------------------------------------------------------------===//

/// Reads the factor by which scaled rotary embeddings multiply the scores
/// (YaRN, 2023).
static double readScoreFactor(HfFields &fields) {
  const LocatedJson *scaling = fields.find("rope_scaling");
  if (!scaling)
    scaling = fields.find("rope_parameters");
  if (!scaling || !scaling->isObject())
    return 1;
  HfFields rope(*scaling);
  double factor = rope.number("factor", 1),
         ofAllDims = rope.number("mscale_all_dim", 0);
  if (rope.hasFailed())
    fields.markFailed();
  if (!(factor > 1) || ofAllDims == 0)
    return 1;
  double scale = 0.1 * ofAllDims * std::log(factor) + 1;
  double squared = scale * scale;
  if (std::isfinite(squared) && squared > 0)
    return squared;
  fields.refuse("rope_scaling")
      << "scales the scores by a number that is not finite and positive";
  return 1;
}

void readLatent(HfFields &fields, AttentionConfig &attention) {
  LatentConfig &latent = attention.latent;
  latent.rank = readFeatures(fields, "kv_lora_rank");
  if (fields.find("q_lora_rank"))
    latent.queryRank = readFeatures(fields, "q_lora_rank");
  latent.nopeDim = readFeatures(fields, "qk_nope_head_dim");
  latent.ropeDim = readFeatures(fields, "qk_rope_head_dim");
  latent.valueDim = readFeatures(fields, "v_head_dim");
  if (latent.ropeDim % 2)
    fields.refuse("qk_rope_head_dim")
        << latent.ropeDim << " must be even: rotary embedding turns pairs";
  // Every head has keys and values of its own, made of the same latents, so
  // this field does not matter.
  fields.find("num_key_value_heads");
  attention.rope.isInterleaved = fields.boolean("rope_interleave", true);
  attention.kvHeads = attention.heads;
  attention.headDim = latent.nopeDim + latent.ropeDim;
  bool bias = fields.boolean("attention_bias", false);
  attention.qkvBias = attention.outBias = bias;
  attention.scale = readScoreFactor(fields) /
                    std::sqrt(static_cast<double>(attention.headDim));
}

void readExpertGroups(HfFields &fields, int64_t absentGroups,
                      int64_t absentTopGroups, ExpertsConfig &experts,
                      StringRef groupsKey) {
  experts.groups = fields.positive(groupsKey, absentGroups);
  experts.topGroups = fields.positive("topk_group", absentTopGroups);
  if (fields.hasFailed())
    return;
  if (experts.count % experts.groups)
    fields.refuse(groupsKey) << experts.groups << " does not divide the "
                             << experts.count << " experts";
  else if (experts.topGroups > experts.groups ||
           experts.topK > experts.count / experts.groups * experts.topGroups)
    fields.refuse("topk_group")
        << experts.topGroups << " of " << experts.groups
        << " groups do not have the " << experts.topK << " experts of a token";
}

void setSparseLayers(HfFields &fields, ModelConfig &model,
                     const FeedForwardConfig &sparse) {
  int64_t frequency = fields.positive("moe_layer_freq", 1),
          first = fields.nonNegative("first_k_dense_replace", 0);
  for (auto [index, layer] : llvm::enumerate(model.layers))
    if (static_cast<int64_t>(index) >= first && index % frequency == 0)
      layer.feedForward = sparse;
}

/// The defaults of a version of the model, if the config does not give a field.
namespace {
struct DeepseekDefaults {
  llvm::StringLiteral method, scoring;
  int64_t groups, topGroups;
  bool normalizes;
  double scale;
  bool scalesNormalized; ///< whether shares with sum 1 are scaled, too
};
} // namespace

static void readSelection(HfFields &fields, const DeepseekDefaults &defaults,
                          ExpertsConfig &experts) {
  std::string method = fields.string("topk_method", defaults.method);
  if (method != "greedy" && method != "group_limited_greedy" &&
      method != "noaux_tc")
    fields.refuse("topk_method")
        << "must be \"greedy\", \"group_limited_greedy\" or \"noaux_tc\", got "
           "\""
        << method << "\"";
  experts.scoring = readScoring(fields, "scoring_func", defaults.scoring);
  if (method == "noaux_tc")
    experts.selectionBias = "gate.e_score_correction_bias";
  experts.normalizes = fields.boolean("norm_topk_prob", defaults.normalizes);
  experts.scale = readShareScale(fields, defaults.scale);
  // DeepSeek's code of V2 divides by the sum if there are several shares, and
  // otherwise scales. It never does both.
  if (!defaults.scalesNormalized) {
    experts.normalizes &= experts.topK > 1;
    if (experts.normalizes)
      experts.scale = 1;
  }
  readExpertGroups(fields, defaults.groups, defaults.topGroups, experts);
  if (method == "greedy")
    experts.groups = experts.topGroups = 1;
}

/// Reads routed and shared experts.
static FeedForwardConfig readSparse(HfFields &fields,
                                    const DeepseekDefaults &defaults) {
  FeedForwardConfig sparse;
  sparse.intermediate = fields.positive("moe_intermediate_size");
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "n_routed_experts", experts);
  experts.router = "gate";
  readSelection(fields, defaults, experts);
  readSharedByCount(fields, /*absent=*/0, sparse);
  return sparse;
}

static void readDeepseek(HfFields &fields, ModelConfig &model,
                         const DeepseekDefaults &defaults) {
  LayerConfig layer = model.layers.front();
  readLatent(fields, layer.attention);
  setAll(model, layer);
  if (fields.find("n_routed_experts"))
    setSparseLayers(fields, model, readSparse(fields, defaults));
}

void readDeepseekV2(HfFields &fields, ModelConfig &model) {
  readDeepseek(fields, model, {"greedy", "softmax", 1, 1, false, 1.0, false});
}

void readDeepseekV3(HfFields &fields, ModelConfig &model) {
  readDeepseek(fields, model, {"noaux_tc", "sigmoid", 8, 4, true, 2.5, true});
}

void readDeepseekV32(HfFields &fields, ModelConfig &model) {
  readDeepseekV3(fields, model);
  readLightningIndexers(fields, model, /*absentHeads=*/64,
                        /*isInterleaved=*/false);
}

/// Checks the list of "dense" or "sparse" for each layer, if there is one.
static void checkMlpTypes(HfFields &fields, const ModelConfig &model) {
  const LocatedJson *types = fields.find("mlp_layer_types");
  if (!types)
    return;
  if (failed(types->expectArray()))
    return fields.markFailed();
  ArrayRef<LocatedJson> listed = types->elements();
  bool agrees = listed.size() == model.layers.size();
  for (size_t index = 0; agrees && index < listed.size(); ++index)
    agrees = listed[index].describe() ==
             (model.layers[index].feedForward.experts.count ? "\"sparse\""
                                                            : "\"dense\"");
  if (!agrees)
    fields.refuse("mlp_layer_types")
        << "must be \"dense\" for the first 'first_k_dense_replace' of the "
        << model.layers.size() << " layers, and \"sparse\" for the others";
}

void readGlmMoeDsa(HfFields &fields, ModelConfig &model) {
  readDeepseek(fields, model, {"noaux_tc", "sigmoid", 1, 1, true, 2.5, true});
  const LatentConfig &latent = model.layers.front().attention.latent;
  int64_t features = latent.nopeDim + latent.ropeDim;
  if (fields.positive("qk_head_dim", features) != features)
    fields.refuse("qk_head_dim")
        << "must be the sum of 'qk_nope_head_dim' and 'qk_rope_head_dim', "
        << features;
  fields.find("head_dim"); // number of the rotated features
  checkMlpTypes(fields, model);
  readLightningIndexers(fields, model, /*absentHeads=*/32,
                        fields.boolean("indexer_rope_interleave", true));
  readSharedIndexers(fields, model);
}

//===----------------------------------------------------------------------===//
// GLM-4.5
//===----------------------------------------------------------------------===//

void readGlm4Moe(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  AttentionConfig &attention = layer.attention;
  attention.kvHeads = fields.positive("num_key_value_heads", 8);
  attention.headDim = fields.positive("head_dim", 128);
  attention.qkNorm = fields.boolean("use_qk_norm", false);
  attention.qkvBias = fields.boolean("attention_bias", false);
  attention.rope.features = readRotatedFeatures(fields, attention.headDim);
  // If no field says it, half of a head turns.
  const LocatedJson *rope = fields.find("rope_parameters");
  bool isSaid =
      fields.find("partial_rotary_factor") ||
      (rope && rope->isObject() && rope->find("partial_rotary_factor"));
  if (!isSaid && attention.headDim % 4 == 0)
    attention.rope.features = attention.headDim / 2;
  setAll(model, layer);
  setSparseLayers(
      fields, model,
      readSparse(fields, {"noaux_tc", "sigmoid", 1, 1, true, 1.0, true}));
}

//===----------------------------------------------------------------------===//
// MiMo-V2
//===----------------------------------------------------------------------===//

/// Reads one of the two kinds of attention, whose fields begin with `prefix`.
static AttentionConfig readMimoV2Attention(HfFields &fields, StringRef prefix,
                                           AttentionConfig attention) {
  auto key = [&](StringRef name) { return (prefix + name).str(); };
  std::string heads = key("num_attention_heads"),
              kvHeads = key("num_key_value_heads"), headDim = key("head_dim");
  attention.heads = fields.positive(heads);
  attention.kvHeads = fields.positive(kvHeads);
  attention.headDim = readFeatures(fields, headDim);
  checkHeads(fields, attention, {heads, kvHeads, headDim});
  attention.valueDim = readFeatures(fields, key("v_head_dim"));
  attention.rope.features = readRotatedFeatures(fields, attention.headDim);
  return attention;
}

/// Reads the keys that layers with a window see. The field has three names.
static int64_t readMimoV2Window(HfFields &fields) {
  int64_t window = fields.positive("sliding_window");
  for (StringRef key : {"sliding_window_size", "attention_chunk_size"})
    if (fields.positive(key, window) != window)
      fields.refuse(key) << "contradicts 'sliding_window' " << window;
  return window;
}

/// Reads MiMo-V2. Layers with a window have heads, sizes of heads and sinks of
/// their own.
void readMimoV2(HfFields &fields, ModelConfig &model) {
  model.epsilon = fields.number("layernorm_epsilon", model.epsilon);
  AttentionConfig common = model.layers.front().attention;
  common.qkvBias = fields.boolean("attention_bias", false);
  common.valueScale = fields.number("attention_value_scale", 1);
  if (!(common.valueScale > 0))
    fields.refuse("attention_value_scale") << "must be positive";
  AttentionConfig full = readMimoV2Attention(fields, "", common),
                  sliding = readMimoV2Attention(fields, "swa_", common);
  sliding.window = readMimoV2Window(fields);
  sliding.rope.theta = fields.number("swa_rope_theta", 10000);
  if (!(sliding.rope.theta > 0))
    fields.refuse("swa_rope_theta") << "must be positive";
  if (fields.boolean("add_full_attention_sink_bias", false))
    full.sinks = "attention_sink_bias";
  if (fields.boolean("add_swa_attention_sink_bias", false))
    sliding.sinks = "attention_sink_bias";
  FeedForwardConfig sparse =
      readSparse(fields, {"noaux_tc", "sigmoid", 1, 1, true, 1.0, true});
  std::vector<bool> isSliding = readMarks(fields, "hybrid_layer_pattern",
                                          model.layers.size()),
                    isSparse = readMarks(fields, "moe_layer_freq",
                                         model.layers.size());
  for (auto [index, layer] : llvm::enumerate(model.layers)) {
    layer.attention = isSliding[index] ? sliding : full;
    if (isSparse[index])
      layer.feedForward = sparse;
  }
}

} // namespace mlir::llm
