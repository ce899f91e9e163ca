//===- HfRecurrentFamilies.cpp - Families with recurrent layers -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"
#include "llm/Support/Units.h"

#include <cmath>
#include <set>

namespace mlir::llm {

/// Tokens of a chunk in the kernels of flash-linear-attention.
static constexpr int64_t deltaChunk = 64;

static constexpr llvm::StringLiteral stateType = "float32";

int64_t readTaps(HfFields &fields, StringRef key, int64_t absent) {
  int64_t taps = readFeatures(fields, key, absent);
  if (taps >= 2)
    return taps;
  fields.refuse(key) << "must be 2 or more: one tap is no convolution";
  return 2;
}

void checkSharing(HfFields &fields, const RecurrentConfig &config,
                  StringRef headsKey, StringRef keyHeadsKey) {
  if (!fields.hasFailed() && config.heads % config.keyHeads)
    fields.refuse(keyHeadsKey) << config.keyHeads << " does not divide '"
                               << headsKey << "' " << config.heads;
}

//===----------------------------------------------------------------------===//
// Qwen3-Next and Qwen3.5
//===----------------------------------------------------------------------===//

static RecurrentConfig readGatedDelta(HfFields &fields, bool isFused) {
  RecurrentConfig config;
  config.kind = RecurrentKind::GatedDelta;
  config.path = "linear_attn";
  config.outName = "out_proj";
  config.heads = readFeatures(fields, "linear_num_value_heads", 32);
  config.keyHeads = readFeatures(fields, "linear_num_key_heads", 16);
  config.keyDim = readFeatures(fields, "linear_key_head_dim", 128);
  config.valueDim = readFeatures(fields, "linear_value_head_dim", 128);
  config.taps = readTaps(fields, "linear_conv_kernel_dim", 4);
  config.chunk = deltaChunk;
  config.isFused = isFused;
  checkSharing(fields, config, "linear_num_value_heads",
               "linear_num_key_heads");
  fields.mustBe("mamba_ssm_dtype", stateType);
  return config;
}

/// Reads the layers of `layer_types`, or all but every
/// `full_attention_interval`-th.
static std::vector<bool> readRecurrentLayers(HfFields &fields, size_t layers) {
  int64_t interval = fields.positive("full_attention_interval", 4);
  if (fields.find("layer_types"))
    return readLayerTypes(fields, layers, "linear_attention");
  std::vector<bool> areRecurrent(layers);
  for (size_t layer = 0; layer < layers; ++layer)
    areRecurrent[layer] = (static_cast<int64_t>(layer) + 1) % interval != 0;
  return areRecurrent;
}

static FeedForwardConfig readHybridExperts(HfFields &fields, bool isFused) {
  FeedForwardConfig sparse = readQwenExperts(fields, /*absentNormalizes=*/true);
  ExpertsConfig &experts = sparse.experts;
  experts.isFused = isFused;
  experts.sharedWidth = fields.positive("shared_expert_intermediate_size");
  experts.sharedPath = "shared_expert";
  experts.sharedGate = "shared_expert_gate";
  return sparse;
}

static void readHybridFeedForward(HfFields &fields, ModelConfig &model,
                                  bool isFused) {
  std::vector<bool> areSparse =
      readQwenSparseLayers(fields, model.layers.size());
  if (fields.nonNegative("num_experts", 0) > 0) {
    FeedForwardConfig sparse = readHybridExperts(fields, isFused);
    for (auto [isSparse, layer] : llvm::zip(areSparse, model.layers))
      if (isSparse)
        layer.feedForward = sparse;
  }
  bool anyDense = llvm::any_of(model.layers, [](const LayerConfig &layer) {
    return !layer.feedForward.experts.count;
  });
  // Some configs give the width of a network that no layer has.
  int64_t width = anyDense ? fields.positive("intermediate_size")
                           : fields.positive("intermediate_size", 1);
  for (LayerConfig &layer : model.layers)
    if (!layer.feedForward.experts.count)
      layer.feedForward.intermediate = width;
}

static void readQwenHybrid(HfFields &fields, ModelConfig &model, bool isFused) {
  LayerConfig layer = model.layers.front();
  AttentionConfig &attention = layer.attention;
  attention.kvHeads = fields.positive("num_key_value_heads", 2);
  attention.headDim = readFeatures(fields, "head_dim", 256);
  attention.qkNorm = true;
  attention.hasOutputGate = fields.boolean("attn_output_gate", true);
  attention.qkvBias = attention.outBias =
      fields.boolean("attention_bias", false);
  attention.rope.features = readRotatedFeatures(fields, attention.headDim);
  fields.find("mtp_use_dedicated_embeddings"); // for a part that is left out
  model.normsAddOne = true;
  setAll(model, layer);
  RecurrentConfig recurrent = readGatedDelta(fields, isFused);
  std::vector<bool> areRecurrent =
      readRecurrentLayers(fields, model.layers.size());
  for (auto [isRecurrent, each] : llvm::zip(areRecurrent, model.layers))
    if (isRecurrent)
      each.recurrent = recurrent;
  readHybridFeedForward(fields, model, /*isFused=*/!isFused);
}

void readQwen3Next(HfFields &fields, ModelConfig &model) {
  readQwenHybrid(fields, model, /*isFused=*/true);
}

void readQwen35(HfFields &fields, ModelConfig &model) {
  readQwenHybrid(fields, model, /*isFused=*/false);
}

//===----------------------------------------------------------------------===//
// Nemotron-H
//===----------------------------------------------------------------------===//

namespace {
/// The block of a layer, which has one block and one norm. It is a letter or a
/// word.
struct NemotronBlock {
  char letter;
  llvm::StringLiteral word;
};
} // namespace

static constexpr NemotronBlock nemotronBlocks[] = {
    {'M', "mamba"}, {'*', "attention"}, {'-', "mlp"}, {'E', "moe"}};
static constexpr llvm::StringLiteral patternKey = "hybrid_override_pattern",
                                     blocksKey = "layers_block_type";

/// Reads the letters of layers, from either field.
static std::string readPattern(HfFields &fields, StringRef lettersKey,
                               StringRef wordsKey) {
  const LocatedJson *listed = fields.find(wordsKey);
  if (!listed) {
    std::string pattern = fields.string(lettersKey, "");
    if (pattern.empty())
      fields.refuse(lettersKey) << "is missing: it says what each layer is, as "
                                   "in \"MEM*E\"";
    return pattern;
  }
  fields.find(lettersKey);
  std::string pattern;
  if (failed(listed->expectArray())) {
    fields.markFailed();
    return pattern;
  }
  for (const LocatedJson &entry : listed->elements())
    for (const NemotronBlock &block : nemotronBlocks)
      if (entry.describe() == ("\"" + block.word + "\"").str())
        pattern += block.letter;
  if (pattern.size() != listed->elements().size())
    fields.refuse(wordsKey)
        << "must be a list of \"mamba\", \"attention\", \"mlp\" or \"moe\"";
  return pattern;
}

/// A module that predicts further tokens has a pattern of its own, whose layers
/// are of the model's kinds.
void readNemotronFurther(HfFields &fields, ModelConfig &model) {
  constexpr llvm::StringLiteral ofModules = "mtp_hybrid_override_pattern";
  std::string kinds = readPattern(fields, patternKey, blocksKey),
              pattern = readPattern(fields, ofModules, "mtp_layers_block_type");
  FurtherConfig &further = model.further;
  for (char letter : pattern) {
    size_t known = kinds.find(letter);
    if (known == std::string::npos) {
      fields.refuse(ofModules)
          << "has the letter '" << letter
          << "', and no layer of the model is of this kind";
      return;
    }
    further.layers.push_back(model.layers[known]);
  }
  further.stem = "mtp.layers.";
  further.lastNorm = "final_layernorm";
}

int64_t countNemotronLayers(HfFields &fields) {
  // Errors in either field are reported when it is read.
  if (const LocatedJson *listed = fields.find(blocksKey))
    return listed->isArray() ? listed->elements().size() : 0;
  const LocatedJson *pattern = fields.find(patternKey);
  return pattern && pattern->kind() == LocatedJson::Kind::String
             ? fields.string(patternKey, "").size()
             : 0;
}

static RecurrentConfig readNemotronMamba(HfFields &fields) {
  RecurrentConfig config = readMamba2(fields, MambaFields());
  fields.mustBeFalse("mamba_proj_bias", "'use_bias' says it of both matrices");
  fields.mustBe("mamba_ssm_cache_dtype", stateType);
  fields.mustBe("mamba_hidden_act", "silu");
  fields.find("expand"); // a factor that the heads and their dims replace
  return config;
}

static FeedForwardConfig readNemotronExperts(HfFields &fields) {
  FeedForwardConfig sparse;
  sparse.path = "mixer";
  sparse.unit = FeedForwardUnit::Relu2;
  sparse.intermediate = fields.positive("moe_intermediate_size");
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "n_routed_experts", experts);
  experts.router = "gate";
  experts.scoring = ExpertScoring::Sigmoid;
  experts.selectionBias = "gate.e_score_correction_bias";
  experts.normalizes = fields.boolean("norm_topk_prob", true);
  experts.scale = readShareScale(fields, 1);
  readExpertGroups(fields, /*absentGroups=*/1, /*absentTopGroups=*/1, experts);
  if (fields.nonNegative("n_shared_experts", 1) > 0)
    experts.sharedWidth =
        fields.positive("moe_shared_expert_intermediate_size");
  experts.sharedPath = "shared_experts";
  if (fields.find("moe_latent_size")) {
    experts.latentWidth = fields.positive("moe_latent_size");
    experts.latentDown = "fc1_latent_proj";
    experts.latentUp = "fc2_latent_proj";
  }
  return sparse;
}

/// Checks fields of all layers that no block of the pattern reads.
static void checkNemotron(HfFields &fields, ModelConfig &model) {
  fields.mustBe("mlp_hidden_act", "relu2");
  fields.mustBeFalse("residual_in_fp32", "residuals have the model's type");
  fields.mustBeAbsent("sliding_window", "every query sees all keys");
  model.epsilon =
      fields.number("layer_norm_epsilon", fields.number("norm_eps", 1e-5));
  if (fields.number("norm_eps", model.epsilon) != model.epsilon)
    fields.refuse("norm_eps") << "contradicts 'layer_norm_epsilon'";
  // These say how kernels and their streams run, or concern initial values and
  // layers that are left out.
  for (StringRef key : {"rescale_prenorm_residual", "num_logits_to_keep",
                        "use_mamba_kernels", "moe_shared_expert_overlap",
                        "mtp_hybrid_override_pattern", "mtp_layers_block_type"})
    fields.find(key);
}

void readNemotronH(HfFields &fields, ModelConfig &model) {
  checkNemotron(fields, model);
  LayerConfig common = model.layers.front();
  common.names = {{"self_attn", "mixer"}};
  common.inputNorm = common.feedForwardNorm = "norm";
  common.feedForward.path = "mixer";
  common.feedForward.unit = FeedForwardUnit::Relu2;
  AttentionConfig &attention = common.attention;
  attention.kvHeads = fields.positive("num_key_value_heads", 8);
  attention.headDim =
      fields.positive("head_dim", fields.positive("attention_head_dim", 128));
  attention.rope = RopeConfig(); // these models have none, whatever fields say
  fields.find("partial_rotary_factor");
  bool bias = fields.boolean("attention_bias", false);
  attention.qkvBias = attention.outBias = bias;
  common.feedForward.hasBias = fields.boolean("mlp_bias", false);

  std::string pattern = readPattern(fields, patternKey, blocksKey);
  auto has = [&](char letter) { return StringRef(pattern).contains(letter); };
  RecurrentConfig mamba = readNemotronMamba(fields);
  FeedForwardConfig experts;
  if (has('E')) {
    experts = readNemotronExperts(fields);
    fields.mustBeFalse("mlp_bias", "no released model has experts with one");
  }
  common.feedForward.intermediate =
      has('-') ? fields.positive("intermediate_size")
               : fields.positive("intermediate_size", 1);
  if (pattern.size() != model.layers.size() && !fields.hasFailed())
    fields.refuse(patternKey)
        << "must have a letter for each of the " << model.layers.size()
        << " layers, got " << pattern.size();
  for (auto [letter, layer] : llvm::zip(pattern, model.layers)) {
    layer = common;
    (letter == 'M' || letter == '*' ? layer.feedForwardKind
                                    : layer.attentionKind) = BlockKind::Absent;
    if (letter == 'M')
      layer.recurrent = mamba;
    else if (letter == 'E')
      layer.feedForward = experts;
    else if (letter != '*' && letter != '-' && !fields.hasFailed())
      fields.refuse(patternKey) << "has the letter '" << letter
                                << "'; expected M (Mamba-2), * (attention), - "
                                   "(MLP) or E (experts)";
  }
}

//===----------------------------------------------------------------------===//
// Kimi Linear
//===----------------------------------------------------------------------===//

/// Reads numbers of layers, which begin at 1.
static std::set<int64_t> readLayerNumbers(HfFields &fields, StringRef key,
                                          size_t layers) {
  std::vector<int64_t> numbers = fields.wholeNumbers(key);
  for (int64_t number : numbers)
    if (number < 1 || number > static_cast<int64_t>(layers)) {
      fields.refuse(key) << "must have numbers of layers, 1 to " << layers
                         << ", got " << number;
      break;
    }
  return {numbers.begin(), numbers.end()};
}

static RecurrentConfig readKimiDelta(HfFields &linear) {
  RecurrentConfig config;
  config.kind = RecurrentKind::KimiDelta;
  config.path = "self_attn";
  config.outName = "o_proj";
  config.heads = config.keyHeads = readFeatures(linear, "num_heads");
  config.keyDim = config.valueDim = readFeatures(linear, "head_dim");
  config.taps = readTaps(linear, "short_conv_kernel_size", 4);
  config.chunk = deltaChunk;
  config.hasFullGate = linear.boolean("use_full_rank_gate", false);
  if (linear.find("gate_lower_bound")) {
    config.decayLimit = linear.number("gate_lower_bound", -1);
    if (!(config.decayLimit < 0 && std::isfinite(config.decayLimit)))
      linear.refuse("gate_lower_bound") << "must be finite and below 0";
  }
  return config;
}

/// Reads SwiGLU, or SiTU with its two caps.
static void readKimiActivation(HfFields &fields, FeedForwardConfig &config) {
  std::string activation = fields.string("hidden_act", "silu");
  if (activation == "situ") {
    config.gateCap = fields.number("activation_situ_beta", 1);
    config.upCap = fields.number("activation_situ_linear_beta", 1);
    for (StringRef key :
         {"activation_situ_beta", "activation_situ_linear_beta"})
      if (!(fields.number(key, 1) > 0) || !std::isfinite(fields.number(key, 1)))
        fields.refuse(key) << "must be finite and positive";
  } else if (activation != "silu") {
    fields.refuse("hidden_act")
        << "must be \"silu\" or \"situ\", got \"" << activation << "\"";
  }
}

/// Gives each block of `size` layers a sum of its own.
static void setResidualBlocks(ModelConfig &model, int64_t size) {
  for (auto [index, layer] : llvm::enumerate(model.layers)) {
    layer.residualBlock = static_cast<int64_t>(index) / size + 1;
    layer.beginsBlock = index % size == 0;
  }
}

static FeedForwardConfig readKimiExperts(HfFields &fields,
                                         const FeedForwardConfig &dense) {
  FeedForwardConfig sparse = dense;
  sparse.path = "block_sparse_moe";
  sparse.intermediate = fields.positive("moe_intermediate_size");
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "num_experts", experts, "num_experts_per_token");
  experts.router = "gate";
  experts.scoring =
      readScoring(fields, "moe_router_activation_func", "sigmoid");
  fields.mustBe("topk_method", "noaux_tc");
  experts.selectionBias = "gate.e_score_correction_bias";
  experts.normalizes = fields.boolean("moe_renormalize", true);
  experts.scale = readShareScale(fields, 1);
  readExpertGroups(fields, /*absentGroups=*/1, /*absentTopGroups=*/1, experts,
                   "num_expert_group");
  fields.find("use_grouped_topk"); // a single group changes nothing
  setSharedByCount(fields, "num_shared_experts",
                   fields.nonNegative("num_shared_experts", 0), sparse);
  if (fields.find("routed_expert_hidden_size")) {
    experts.latentWidth = fields.positive("routed_expert_hidden_size");
    experts.latentDown = "routed_expert_down_proj";
    experts.latentUp = "routed_expert_up_proj";
    if (fields.boolean("latent_moe_use_norm", false))
      experts.latentNorm = "routed_expert_norm";
  }
  return sparse;
}

void readKimiLinear(HfFields &fields, ModelConfig &model) {
  LayerConfig common = model.layers.front();
  readLatent(fields, common.attention);
  if (fields.boolean("mla_use_nope", false))
    common.attention.rope = RopeConfig();
  fields.find("head_dim"); // other sizes give that of latent attention
  common.attention.hasOutputGate = fields.boolean("mla_use_output_gate", false);
  readKimiActivation(fields, common.feedForward);
  setAll(model, common);
  if (fields.find("attn_res_block_size"))
    setResidualBlocks(model, fields.positive("attn_res_block_size"));

  size_t layers = model.layers.size();
  const LocatedJson *linear = fields.find("linear_attn_config");
  if (!linear || !linear->isObject()) {
    fields.refuse("linear_attn_config")
        << "is missing: it says which layers have linear attention";
    return;
  }
  HfFields inner(*linear);
  RecurrentConfig recurrent = readKimiDelta(inner);
  std::set<int64_t> own = readLayerNumbers(inner, "kda_layers", layers),
                    full = readLayerNumbers(inner, "full_attn_layers", layers);
  for (int64_t number = 1; number <= static_cast<int64_t>(layers); ++number) {
    if (own.count(number) == full.count(number) && !inner.hasFailed())
      inner.refuse("kda_layers")
          << "and 'full_attn_layers' must have each "
             "layer in one of them, and have "
          << number << " in " << (own.count(number) ? "both" : "neither");
    if (own.count(number))
      model.layers[number - 1].recurrent = recurrent;
  }
  if (failed(inner.finish("'linear_attn_config'")))
    fields.markFailed();
  setSparseLayers(fields, model, readKimiExperts(fields, common.feedForward));
}

} // namespace mlir::llm
