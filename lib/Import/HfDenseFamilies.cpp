//===- HfDenseFamilies.cpp - Families without experts ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Checks that every layer sees all keys before it.
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
// Phi
//===----------------------------------------------------------------------===//

void readPhi3(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  fields.mustBeFalse("attention_bias", "this architecture has none");
  fields.mustBeFalse("mlp_bias", "this architecture has none");
  layer.attention.isFused = layer.feedForward.isFused = true;
  layer.attention.rope.features =
      readRotatedFeatures(fields, layer.attention.headDim);
  setAll(model, layer);
  readWindowOfAll(fields, model);
}

//===----------------------------------------------------------------------===//
// Nemotron of a search for faster layers
//===----------------------------------------------------------------------===//

/// Reads `no_op` and `replace_with_linear`.
static BlockKind readBlockKind(HfFields &block) {
  bool isAbsent = block.boolean("no_op", false);
  if (!block.boolean("replace_with_linear", false))
    return isAbsent ? BlockKind::Absent : BlockKind::Usual;
  if (isAbsent)
    block.refuse("no_op") << "true contradicts 'replace_with_linear'";
  return BlockKind::Linear;
}

static void readNasAttention(HfFields &block, LayerConfig &layer) {
  layer.attentionKind = readBlockKind(block);
  for (StringRef key : {"sparsify", "num_sink_tokens", "window_length"})
    block.mustBeAbsent(key, "every query sees all keys before it");
  for (StringRef key :
       {"unshifted_sink", "use_prefill_window_in_sink_attention"})
    block.mustBeFalse(key, "every query sees all keys before it");
  AttentionConfig &attention = layer.attention;
  attention.kvHeads = attention.heads;
  if (layer.attentionKind != BlockKind::Usual) {
    block.find("n_heads_in_group");
    return;
  }
  int64_t group = block.positive("n_heads_in_group");
  if (attention.heads % group)
    block.refuse("n_heads_in_group")
        << group << " does not divide 'num_attention_heads' "
        << attention.heads;
  else
    attention.kvHeads = attention.heads / group;
}

/// Returns two thirds of `ffn_mult` hidden sizes, in steps of 256.
static int64_t readNasWidth(HfFields &block, int64_t hidden) {
  constexpr int64_t step = 256;
  constexpr double most = 1e12;
  if (!block.find("ffn_mult")) {
    block.refuse("ffn_mult") << "is missing, and says how wide the network is";
    return 1;
  }
  double width =
      2 * block.number("ffn_mult", 1) * static_cast<double>(hidden) / 3;
  if (width >= 1 && width <= most)
    return llvm::alignTo(static_cast<int64_t>(width), step);
  block.refuse("ffn_mult")
      << "must be positive, and not make the network wider "
         "than "
      << static_cast<int64_t>(most);
  return 1;
}

static void readNasFeedForward(HfFields &block, int64_t hidden,
                               LayerConfig &layer) {
  layer.feedForwardKind = readBlockKind(block);
  block.mustBeAbsent("sparsify", "weights are dense");
  if (layer.feedForwardKind == BlockKind::Usual)
    layer.feedForward.intermediate = readNasWidth(block, hidden);
  else
    block.find("ffn_mult");
}

/// Reads a member of an entry of `block_configs`, by `read`.
static void readNasBlock(HfFields &fields, HfFields &entry, StringRef key,
                         llvm::function_ref<void(HfFields &)> read) {
  const LocatedJson *json = entry.find(key);
  if (!json) {
    entry.refuse(key) << "is missing";
    fields.markFailed();
  } else if (failed(json->expectObject())) {
    fields.markFailed();
  } else {
    HfFields block(*json);
    read(block);
    if (failed(block.finish("'block_configs'")))
      fields.markFailed();
  }
}

/// Reads layers, each with the blocks of its entry of `block_configs`.
void readNemotronNas(HfFields &fields, ModelConfig &model) {
  LayerConfig layer = model.layers.front();
  readDerivedHeads(fields, model, layer.attention);
  for (StringRef key : {"attention_bias", "mlp_bias"})
    fields.mustBeFalse(key, "this architecture has none");
  setAll(model, layer);
  checkFullAttention(fields, model);
  const LocatedJson *entries = fields.find("block_configs");
  if (!entries || !entries->isArray() ||
      entries->elements().size() != model.layers.size()) {
    fields.refuse("block_configs")
        << "must be a list with one entry for each of the "
        << model.layers.size() << " layers";
    return;
  }
  for (auto [json, each] : llvm::zip_equal(entries->elements(), model.layers)) {
    if (failed(json.expectObject())) {
      fields.markFailed();
      return;
    }
    HfFields entry(json);
    LayerConfig &config = each;
    readNasBlock(fields, entry, "attention",
                 [&](HfFields &block) { readNasAttention(block, config); });
    readNasBlock(fields, entry, "ffn", [&](HfFields &block) {
      readNasFeedForward(block, model.hidden, config);
    });
    if (failed(entry.finish("'block_configs'")))
      fields.markFailed();
  }
}

} // namespace mlir::llm
