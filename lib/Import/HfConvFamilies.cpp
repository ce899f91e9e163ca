//===- HfConvFamilies.cpp - Families with short convolutions --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// LFM2
//===----------------------------------------------------------------------===//

/// Returns two thirds of the width, times a factor, in steps. Without
/// `block_auto_adjust_ff_dim` returns the width itself.
static int64_t readAdjustedWidth(HfFields &fields) {
  int64_t width = readFeatures(
      fields,
      fields.find("block_ff_dim") ? "block_ff_dim" : "intermediate_size",
      12288);
  fields.find("intermediate_size");
  int64_t step = readFeatures(fields, "block_multiple_of", 256);
  double factor = fields.number("block_ffn_dim_multiplier", 1);
  if (!(factor > 0 && factor <= 1024)) {
    fields.refuse("block_ffn_dim_multiplier")
        << "must be positive, and at most 1024";
    factor = 1;
  }
  if (!fields.boolean("block_auto_adjust_ff_dim", true))
    return width;
  auto adjusted =
      static_cast<int64_t>(factor * static_cast<double>(2 * width / 3));
  return llvm::alignTo(std::max<int64_t>(1, adjusted), step);
}

/// Layers that attend; the others convolve.
static std::vector<bool> readAttendingLayers(HfFields &fields, size_t layers) {
  if (fields.find("layer_types")) {
    std::vector<bool> convolve = readLayerTypes(fields, layers, "conv");
    fields.find("full_attn_idxs");
    convolve.flip();
    convolve.resize(layers);
    return convolve;
  }
  std::vector<bool> attend(layers, !fields.find("full_attn_idxs"));
  for (int64_t index : fields.wholeNumbers("full_attn_idxs"))
    if (index < static_cast<int64_t>(layers))
      attend[index] = true;
    else
      fields.refuse("full_attn_idxs")
          << "names layer " << index << " of " << layers;
  return attend;
}

/// Reads what both kinds of LFM2 share. Networks are left to the caller.
static LayerConfig readLfm2Layer(HfFields &fields, ModelConfig &model) {
  model.epsilon =
      fields.number("norm_eps", fields.number("block_norm_eps", 1e-5));
  model.hasTiedHead = fields.boolean("tie_word_embeddings",
                                     fields.boolean("tie_embedding", true));
  model.lastNorm = "embedding_norm";
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  layer.attention.qkNorm = true;
  layer.inputNorm = "operator_norm";
  layer.feedForwardNorm = "ffn_norm";
  layer.feedForward.path = "feed_forward";
  layer.names = {{"self_attn.o_proj", "self_attn.out_proj"},
                 {"self_attn.q_norm", "self_attn.q_layernorm"},
                 {"self_attn.k_norm", "self_attn.k_layernorm"},
                 {"feed_forward.gate_proj", "feed_forward.w1"},
                 {"feed_forward.up_proj", "feed_forward.w3"},
                 {"feed_forward.down_proj", "feed_forward.w2"}};
  for (StringRef key : {"conv_dim", "conv_dim_out", "block_dim"})
    if (fields.positive(key, model.hidden) != model.hidden)
      fields.refuse(key) << "other than 'hidden_size' " << model.hidden
                         << " is not supported";
  for (StringRef key : {"use_pos_enc", "block_use_swiglu"})
    if (!fields.boolean(key, true))
      fields.refuse(key) << "false is not supported: no released model says it";
  if (fields.positive("num_heads", layer.attention.heads) !=
      layer.attention.heads)
    fields.refuse("num_heads")
        << "contradicts 'num_attention_heads' " << layer.attention.heads;
  if (fields.number("theta", layer.attention.rope.theta) !=
      layer.attention.rope.theta)
    fields.refuse("theta") << "contradicts 'rope_theta'";
  for (StringRef key : {"block_mlp_init_scale", "block_out_init_scale",
                        "block_use_xavier_init", "conv_use_xavier_init"})
    fields.find(key); // initial values
  return layer;
}

/// Gives layers what they are: attention, or a convolution between two gates.
static void setLfm2Layers(HfFields &fields, ModelConfig &model,
                          const LayerConfig &layer) {
  RecurrentConfig conv;
  conv.kind = RecurrentKind::ShortConv;
  conv.path = "conv";
  conv.outName = "out_proj";
  conv.valueDim = model.hidden;
  conv.taps = readTaps(fields, "conv_L_cache", 3);
  conv.hasConvBias = conv.hasBias = fields.boolean("conv_bias", false);
  std::vector<bool> attend = readAttendingLayers(fields, model.layers.size());
  for (auto [attends, each] : llvm::zip(attend, model.layers)) {
    each = layer;
    if (!attends)
      each.recurrent = conv;
  }
}

void readLfm2(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = readLfm2Layer(fields, model);
  layer.feedForward.intermediate = readAdjustedWidth(fields);
  setLfm2Layers(fields, model, layer);
}

void readLfm2Moe(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = readLfm2Layer(fields, model);
  layer.feedForward.intermediate = readFeatures(fields, "intermediate_size");
  setLfm2Layers(fields, model, layer);
  FeedForwardConfig sparse = layer.feedForward;
  sparse.intermediate = readFeatures(fields, "moe_intermediate_size");
  ExpertsConfig &experts = sparse.experts;
  readExperts(fields, "num_experts", experts);
  experts.router = "gate";
  experts.scoring = ExpertScoring::Sigmoid;
  if (fields.boolean("use_expert_bias", true))
    experts.selectionBias = "expert_bias";
  experts.normalizes = fields.boolean("norm_topk_prob", true);
  experts.scale = readShareScale(fields, 1);
  int64_t dense = fields.nonNegative("num_dense_layers", 2);
  for (auto [index, each] : llvm::enumerate(model.layers))
    if (static_cast<int64_t>(index) >= dense)
      each.feedForward = sparse;
}

} // namespace mlir::llm
