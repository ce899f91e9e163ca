//===- HfMambaFamilies.cpp - Families with layers of Mamba-2 --------------===//
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
// Mamba-2
//===----------------------------------------------------------------------===//

/// Checks the limit of steps, which must be [0, Infinity], and so no limit.
static void checkStepLimit(HfFields &fields) {
  const LocatedJson *limit = fields.find("time_step_limit");
  if (!limit)
    return;
  bool isNone = limit->isArray() && limit->elements().size() == 2;
  if (isNone) {
    FailureOr<double> least = limit->elements()[0].asNumber();
    isNone = succeeded(least) && *least == 0 &&
             limit->elements()[1].describe() == "Infinity";
  }
  if (!isNone)
    fields.refuse("time_step_limit")
        << "other than [0.0, Infinity] is not supported";
}

/// Reads the features of a head. Some configs have "auto" there, and then the
/// heads share `inner` features.
static int64_t readMambaHeadDim(HfFields &fields, const MambaFields &names,
                                int64_t heads, int64_t inner) {
  const LocatedJson *size = fields.find(names.headDim);
  bool isDerived =
      inner && (!size || size->kind() == LocatedJson::Kind::String);
  if (!isDerived)
    return readFeatures(fields, names.headDim, names.absentHeadDim);
  if (inner % heads == 0)
    return inner / heads;
  fields.refuse(names.heads)
      << heads << " does not divide the " << inner << " features of Mamba-2";
  return 1;
}

RecurrentConfig readMamba2(HfFields &fields, const MambaFields &names,
                           int64_t inner) {
  RecurrentConfig config;
  config.kind = RecurrentKind::Mamba2;
  config.path = names.path;
  config.outName = "out_proj";
  config.heads = readFeatures(fields, names.heads, 128);
  config.keyHeads = readFeatures(fields, names.groups, names.absentGroups);
  config.keyDim = readFeatures(fields, names.stateSize, names.absentStateSize);
  config.valueDim = readMambaHeadDim(fields, names, config.heads, inner);
  config.taps = readTaps(fields, names.taps, 4);
  config.chunk = fields.positive(names.chunk, names.absentChunk);
  config.hasConvBias = fields.boolean(names.convBias, true);
  config.hasBias = fields.boolean(names.bias, false);
  config.normGroups = config.keyHeads;
  if (inner && config.heads * config.valueDim != inner && !fields.hasFailed())
    fields.refuse(names.headDim)
        << config.valueDim << " times '" << names.heads << "' " << config.heads
        << " must be the " << inner << " features of Mamba-2";
  checkSharing(fields, config, names.heads, names.groups);
  checkStepLimit(fields);
  // These are initial values.
  for (StringRef key :
       {"time_step_min", "time_step_max", "time_step_floor", "time_step_rank"})
    fields.find(key);
  return config;
}

/// The names that transformers gave the fields behind the first models.
static MambaFields laterMambaFields(StringRef path) {
  MambaFields names;
  names.path = path;
  names.heads = "mamba_n_heads";
  names.headDim = "mamba_d_head";
  names.groups = "mamba_n_groups";
  names.stateSize = "mamba_d_state";
  names.taps = "mamba_d_conv";
  names.chunk = "mamba_chunk_size";
  names.convBias = "mamba_conv_bias";
  names.bias = "mamba_proj_bias";
  names.absentGroups = 1;
  names.absentStateSize = names.absentChunk = 256;
  return names;
}

/// Reads `mamba_expand` times the hidden size.
static int64_t readExpanded(HfFields &fields, const ModelConfig &model,
                            StringRef key) {
  std::optional<int64_t> inner =
      checkedMul(readFeatures(fields, key, 2), model.hidden);
  if (!inner)
    fields.refuse(key) << "is too large";
  return inner.value_or(1);
}

/// Reads a factor that multiplies activations, or divides them.
static double readFactor(HfFields &fields, StringRef key) {
  double factor = fields.number(key, 1);
  if (factor > 0 && std::isfinite(factor) && std::isfinite(1 / factor))
    return factor;
  fields.refuse(key) << "must be finite and positive, and so must its inverse";
  return 1;
}

/// Reads a list of so many factors, which are 1 if the field is absent.
static SmallVector<double> readFactors(HfFields &fields, StringRef key,
                                       size_t count) {
  if (!fields.find(key))
    return SmallVector<double>(count, 1.0);
  std::vector<double> factors = fields.positiveNumbers(key);
  if (factors.size() == count)
    return SmallVector<double>(factors.begin(), factors.end());
  fields.refuse(key) << "must be a list of " << count << " positive numbers";
  return SmallVector<double>(count, 1.0);
}

/// Reads whether the output of Mamba-2 is normed, and how.
static void readMambaNorm(HfFields &fields, RecurrentConfig &mamba) {
  if (!fields.boolean("mamba_rms_norm", false))
    mamba.normGroups = 0;
  mamba.normsBeforeGate = fields.boolean("mamba_norm_before_gate", true);
}

static void checkNoBias(HfFields &fields) {
  for (StringRef key : {"attention_bias", "mlp_bias", "projectors_bias"})
    fields.mustBeFalse(key, "no released model has one");
}

//===----------------------------------------------------------------------===//
// Falcon-H1
//===----------------------------------------------------------------------===//

static LayerFactors readFalconFactors(HfFields &fields) {
  LayerFactors factors;
  factors.attentionIn = readFactor(fields, "attention_in_multiplier");
  factors.attentionOut = readFactor(fields, "attention_out_multiplier");
  factors.keys = readFactor(fields, "key_multiplier");
  factors.stateIn = readFactor(fields, "ssm_in_multiplier");
  factors.stateOut = readFactor(fields, "ssm_out_multiplier");
  llvm::copy(readFactors(fields, "ssm_multipliers", factors.stateParts.size()),
             factors.stateParts.begin());
  SmallVector<double> ofNetwork = readFactors(fields, "mlp_multipliers", 2);
  factors.gate = ofNetwork[0];
  factors.down = ofNetwork[1];
  return factors;
}

void readFalconH1(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  checkNoBias(fields);
  int64_t inner = fields.find("mamba_d_ssm")
                      ? readFeatures(fields, "mamba_d_ssm")
                      : readExpanded(fields, model, "mamba_expand");
  layer.recurrent = readMamba2(fields, laterMambaFields("mamba"), inner);
  readMambaNorm(fields, layer.recurrent);
  layer.attendsBesideState = true;
  layer.factors = readFalconFactors(fields);
  layer.feedForward.path = "feed_forward";
  layer.feedForwardNorm = "pre_ff_layernorm";
  model.lastNorm = "final_layernorm";
  model.embeddingScale = readFactor(fields, "embedding_multiplier");
  model.logitScale = readFactor(fields, "lm_head_multiplier");
  fields.mustBeAbsent("attn_layer_indices", "every layer attends");
  if (!fields.boolean("mamba_use_mlp", true))
    fields.refuse("mamba_use_mlp")
        << "false is not supported: every layer has a network";
  // These are replaced by sizes, or say what a prompt's logits are kept for.
  for (StringRef key :
       {"mamba_expand", "mlp_expansion_factor", "num_logits_to_keep"})
    fields.find(key);
  setAll(model, layer);
}

//===----------------------------------------------------------------------===//
// Granite 4 and Bamba
//===----------------------------------------------------------------------===//

/// Reads a list of "mamba" and "attention"; true stands for the latter.
static std::vector<bool> readGraniteLayers(HfFields &fields, size_t layers) {
  StringRef key =
      fields.find("layers_block_type") ? "layers_block_type" : "layer_types";
  const LocatedJson *types = fields.find(key);
  std::vector<bool> attend;
  if (!types)
    return std::vector<bool>(layers);
  if (types->isArray())
    for (const LocatedJson &type : types->elements())
      if (std::string text = type.describe();
          text == "\"attention\"" || text == "\"mamba\"")
        attend.push_back(text == "\"attention\"");
  if (attend.size() == layers && types->elements().size() == layers)
    return attend;
  fields.refuse(key) << "must be \"mamba\" or \"attention\" for each of the "
                     << layers << " layers";
  return std::vector<bool>(layers);
}

/// Reads experts, beside a network of all tokens, which may stand alone.
static FeedForwardConfig readGraniteNetwork(HfFields &fields, int64_t width) {
  FeedForwardConfig network;
  int64_t shared = readFeatures(fields, "shared_intermediate_size", 1024);
  if (!fields.nonNegative("num_local_experts", 8)) {
    fields.find("num_experts_per_tok");
    network.path = "shared_mlp";
    network.intermediate = shared;
    network.isFused = true;
    return network;
  }
  network.path = "";
  network.intermediate = width;
  ExpertsConfig &experts = network.experts;
  readExperts(fields, "num_local_experts", experts);
  experts.router = "block_sparse_moe.router.layer";
  experts.scoring = ExpertScoring::TopkSoftmax;
  experts.isFused = experts.sharedIsFused = true;
  experts.sharedWidth = shared;
  experts.sharedPath = "shared_mlp";
  return network;
}

void readGraniteHybrid(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  checkNoBias(fields);
  layer.attention.scale = readFactor(fields, "attention_multiplier");
  std::string positions = fields.string("position_embedding_type", "nope");
  if (positions == "nope")
    layer.attention.rope = RopeConfig();
  else if (positions != "rope")
    fields.refuse("position_embedding_type")
        << "must be \"rope\" or \"nope\", got \"" << positions << "\"";
  layer.factors.residual = readFactor(fields, "residual_multiplier");
  layer.feedForward =
      readGraniteNetwork(fields, layer.feedForward.intermediate);
  layer.names = {{"shared_mlp.gate_up_proj", "shared_mlp.input_linear"},
                 {"shared_mlp.down_proj", "shared_mlp.output_linear"},
                 {"experts.gate_up_proj", "block_sparse_moe.input_linear"},
                 {"experts.down_proj", "block_sparse_moe.output_linear"}};
  model.embeddingScale = readFactor(fields, "embedding_multiplier");
  model.logitScale = 1 / readFactor(fields, "logits_scaling");
  fields.mustBe("normalization_function", "rmsnorm");
  fields.find("init_method"); // of weights before training
  RecurrentConfig mamba =
      readMamba2(fields, laterMambaFields("mamba"),
                 readExpanded(fields, model, "mamba_expand"));
  mamba.normGroups = 1;
  std::vector<bool> attend = readGraniteLayers(fields, model.layers.size());
  for (auto [attends, each] : llvm::zip(attend, model.layers)) {
    each = layer;
    if (!attends)
      each.recurrent = mamba;
  }
}

void readBamba(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention, /*absentKvHeads=*/8);
  checkNoBias(fields);
  constexpr int64_t half = 2; // of a head turns, whatever the config says
  int64_t features = layer.attention.headDim / half;
  layer.attention.rope.features = features - features % 2;
  if (fields.positive("attn_rotary_emb", features) != features)
    fields.refuse("attn_rotary_emb")
        << "other than half of a head, " << features << ", is not supported";
  layer.feedForward.path = "feed_forward";
  layer.feedForwardNorm = "pre_ff_layernorm";
  model.lastNorm = "final_layernorm";
  RecurrentConfig mamba =
      readMamba2(fields, laterMambaFields("mamba"),
                 readExpanded(fields, model, "mamba_expand"));
  mamba.normGroups = 1;
  for (StringRef key :
       {"num_logits_to_keep", "z_loss_coefficient", "partial_rotary_factor"})
    fields.find(key);
  setAll(model, layer);
  int64_t layers = model.layers.size();
  for (LayerConfig &each : model.layers)
    each.recurrent = mamba;
  for (int64_t index : fields.wholeNumbers("attn_layer_indices"))
    if (index < layers)
      model.layers[index].recurrent = RecurrentConfig();
    else
      fields.refuse("attn_layer_indices")
          << "names layer " << index << " of " << layers;
}

//===----------------------------------------------------------------------===//
// Mamba-2 alone
//===----------------------------------------------------------------------===//

void readMamba2Model(HfFields &fields, ModelConfig &model) {
  MambaFields names;
  names.path = "mixer";
  names.heads = "num_heads";
  names.headDim = "head_dim";
  names.groups = "n_groups";
  names.stateSize = "state_size";
  names.taps = "conv_kernel";
  names.chunk = "chunk_size";
  names.convBias = "use_conv_bias";
  names.bias = "use_bias";
  names.absentChunk = 256;
  model.epsilon = fields.number("layer_norm_epsilon", 1e-5);
  LayerConfig layer;
  layer.attention.heads = layer.attention.kvHeads = 1;
  layer.attention.headDim = 2; // of none: no layer attends
  layer.inputNorm = "norm";
  layer.feedForwardKind = BlockKind::Absent;
  layer.recurrent =
      readMamba2(fields, names, readExpanded(fields, model, "expand"));
  layer.recurrent.normGroups = 1;
  if (!fields.boolean("rms_norm", true))
    layer.recurrent.normGroups = 0;
  fields.mustBeFalse("norm_before_gate", "no released model norms first");
  for (StringRef key :
       {"residual_in_fp32", "rescale_prenorm_residual", "time_step_init_scheme",
        "time_step_scale", "intermediate_size"})
    fields.find(key);
  setAll(model, layer);
}

} // namespace mlir::llm
