//===- HfStepFamily.cpp - Step 3.5 ----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"

#include <set>

namespace mlir::llm {

/// Some lists go on for the layers that predict further tokens.
template <typename T>
static void keepLayers(HfFields &fields, StringRef key, size_t layers,
                       std::vector<T> &list) {
  if (list.size() >= layers)
    return list.resize(layers);
  if (!list.empty())
    fields.refuse(key) << "must have an entry for each of the " << layers
                       << " layers, got " << list.size();
  list.clear();
}

/// Says for each layer whether it sees a window.
static std::vector<bool> readSlidingLayers(HfFields &fields, size_t layers) {
  const LocatedJson *types = fields.find("layer_types");
  std::vector<bool> slide;
  for (size_t index = 0; !types && index < layers; ++index)
    slide.push_back(index % 2 == 0);
  if (types && types->isArray())
    for (const LocatedJson &type : types->elements())
      if (std::string text = type.describe();
          text == "\"sliding_attention\"" || text == "\"full_attention\"")
        slide.push_back(text == "\"sliding_attention\"");
  if (types && slide.size() != types->elements().size())
    fields.refuse("layer_types")
        << "must be a list of \"full_attention\" or \"sliding_attention\"";
  keepLayers(fields, "layer_types", layers, slide);
  slide.resize(layers);
  return slide;
}

/// Reads the layers with experts: "3,4,5" or a list.
static std::set<int64_t> readMoeLayers(HfFields &fields, size_t layers) {
  std::set<int64_t> sparse;
  const LocatedJson *listed = fields.find("moe_layers_enum");
  int64_t first = fields.nonNegative("first_k_dense_replace", 1);
  if (!listed) {
    for (int64_t index = first; index < static_cast<int64_t>(layers); ++index)
      sparse.insert(index);
    return sparse;
  }
  if (listed->isArray()) {
    std::vector<int64_t> numbers = fields.wholeNumbers("moe_layers_enum");
    sparse.insert(numbers.begin(), numbers.end());
  } else {
    std::string text = fields.string("moe_layers_enum", "");
    SmallVector<StringRef> pieces;
    StringRef(text).split(pieces, ',');
    for (StringRef piece : pieces)
      if (int64_t index; !piece.trim().getAsInteger(10, index))
        sparse.insert(index);
      else
        fields.refuse("moe_layers_enum")
            << "must be numbers of layers with commas between them, got \""
            << text << "\"";
  }
  if (!sparse.empty() && *sparse.rbegin() >= static_cast<int64_t>(layers))
    fields.refuse("moe_layers_enum")
        << "names layer " << *sparse.rbegin() << " of " << layers;
  return sparse;
}

/// Reads the attention of layers that see all keys.
static AttentionConfig readStepAttention(HfFields &fields,
                                         AttentionConfig attention) {
  attention.kvHeads = fields.positive("num_attention_groups");
  attention.headDim = readFeatures(fields, "head_dim", 128);
  attention.qkNorm = fields.boolean("use_qk_norm", true);
  attention.hasHeadGates = fields.boolean("use_head_wise_attn_gate", false);
  fields.mustBe("att_impl_type", "GQA");
  fields.mustBeFalse("qkv_bias", "no released model has one");
  checkHeads(fields, attention,
             {"num_attention_heads", "num_attention_groups", "head_dim"});
  return attention;
}

/// Reads the heads of layers with a window, if they are others.
static AttentionConfig readStepSliding(HfFields &fields,
                                       AttentionConfig attention) {
  attention.window = fields.positive("sliding_window", 512);
  const LocatedJson *other = fields.find("attention_other_setting");
  if (!other)
    return attention;
  if (failed(other->expectObject())) {
    fields.markFailed();
    return attention;
  }
  HfFields heads(*other);
  heads.mustBe("attention_type", "sliding_attention");
  attention.heads = heads.positive("num_attention_heads", attention.heads);
  attention.kvHeads = heads.positive("num_attention_groups", attention.kvHeads);
  attention.headDim = readFeatures(heads, "head_dim", attention.headDim);
  heads.find("true_head_dim"); // without the padding of another format
  checkHeads(heads, attention,
             {"num_attention_heads", "num_attention_groups", "head_dim"});
  if (failed(heads.finish("'attention_other_setting'")))
    fields.markFailed();
  return attention;
}

static FeedForwardConfig readStepExperts(HfFields &fields) {
  FeedForwardConfig sparse;
  sparse.path = "moe";
  sparse.intermediate = readFeatures(fields, "moe_intermediate_size");
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "moe_num_experts", experts, "moe_top_k");
  experts.router = "gate";
  experts.scoring = readScoring(fields, "moe_router_activation", "sigmoid");
  if (fields.boolean("use_moe_router_bias", true))
    experts.selectionBias = "router_bias";
  experts.normalizes = fields.boolean("norm_expert_weight", true);
  experts.scale = fields.number("moe_router_scaling_factor", 1);
  if (!(experts.scale > 0))
    fields.refuse("moe_router_scaling_factor") << "must be positive";
  experts.sharedWidth = readFeatures(fields, "share_expert_dim");
  experts.sharedPath = "share_expert";
  fields.boolean("need_fp32_gate", true); // as all routers here
  return sparse;
}

/// Reads a number for all layers, or one for each.
static std::vector<double> readThetas(HfFields &fields, size_t layers) {
  const LocatedJson *theta = fields.find("rope_theta");
  if (!theta || !theta->isArray()) {
    double one = fields.number("rope_theta", 10000);
    if (!(one > 0))
      fields.refuse("rope_theta") << "must be positive";
    return std::vector<double>(layers, one);
  }
  std::vector<double> thetas = fields.positiveNumbers("rope_theta");
  keepLayers(fields, "rope_theta", layers, thetas);
  if (thetas.empty() && !fields.hasFailed())
    fields.refuse("rope_theta") << "must be positive numbers";
  thetas.resize(layers, 10000);
  return thetas;
}

/// Reads the angles of each layer. Those with a window have no scaling where
/// `yarn_only_types` says so.
static void readStepRopes(HfFields &fields, ModelConfig &model) {
  size_t layers = model.layers.size();
  std::vector<double> thetas = readThetas(fields, layers),
                      parts = fields.positiveNumbers("partial_rotary_factors");
  keepLayers(fields, "partial_rotary_factors", layers, parts);
  bool onlyFull = false;
  if (const LocatedJson *types = fields.find("yarn_only_types")) {
    onlyFull = types->isArray() && types->elements().size() == 1 &&
               types->elements().front().describe() == "\"full_attention\"";
    if (!onlyFull)
      fields.refuse("yarn_only_types")
          << "other than [\"full_attention\"] is not supported";
  }
  RopeScalingAttr scaling =
      readRopeScaling(fields, "rope_scaling", thetas.front());
  std::vector<int64_t> turns = fields.wholeNumbers("use_rope_layers");
  if (!turns.empty())
    fields.refuse("use_rope_layers")
        << "other than [] is not supported: every layer turns";
  for (auto [index, layer] : llvm::enumerate(model.layers)) {
    AttentionConfig &attention = layer.attention;
    attention.rope = RopeConfig();
    attention.rope.theta = thetas[index];
    if (!attention.window || !onlyFull)
      attention.rope.scaling = scaling;
    auto features =
        static_cast<int64_t>(static_cast<double>(attention.headDim) *
                             (parts.empty() ? 1 : std::min(1.0, parts[index])));
    attention.rope.features = std::max<int64_t>(2, features - features % 2);
  }
}

/// Checks limits of the units, of which no layer may have one.
static void checkLimits(HfFields &fields) {
  for (StringRef key : {"swiglu_limits", "swiglu_limits_shared"}) {
    const LocatedJson *limits = fields.find(key);
    if (!limits || !limits->isArray())
      continue;
    for (const LocatedJson &limit : limits->elements())
      if (!limit.isNull() && limit.describe() != "0" &&
          limit.describe() != "0.0") {
        fields.refuse(key) << "other than 0 is not supported: SiLU is clamped "
                              "behind the activation then";
        break;
      }
  }
}

/// Reads Step 3.5, whose layers with a window have heads of their own.
void readStep35(HfFields &fields, ModelConfig &model) {
  size_t layers = model.layers.size();
  model.normsAddOne = fields.boolean("zero_centered", true);
  AttentionConfig full =
                      readStepAttention(fields, model.layers.front().attention),
                  sliding = readStepSliding(fields, full);
  FeedForwardConfig sparse = readStepExperts(fields);
  checkLimits(fields);
  std::vector<bool> slide = readSlidingLayers(fields, layers);
  std::set<int64_t> withExperts = readMoeLayers(fields, layers);
  for (auto [index, layer] : llvm::enumerate(model.layers)) {
    layer.attention = slide[index] ? sliding : full;
    if (withExperts.count(static_cast<int64_t>(index))) {
      layer.feedForward = sparse;
      layer.names = {{"moe.share_expert", "share_expert"},
                     {"moe.experts", "moe"}};
    }
  }
  readStepRopes(fields, model);
  for (StringRef key : {"max_seq_len", "sink", "use_moe", "moe_every_n_layer",
                        "use_im_start_end", "vision_select_layer"})
    fields.find(key);
}

} // namespace mlir::llm
