//===- LayerBuilder.cpp - The ops of one decoder layer --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

#include <cmath>

namespace mlir::llm {

static Value attend(LayerOps &layer, Value x) {
  const LayerFactors &factors = layer.config.factors;
  x = layer.scaled("self_attn.in_scale", x, factors.attentionIn);
  return layer.scaled("self_attn.out_scale", buildAttention(layer, x),
                      factors.attentionOut);
}

/// Builds attention, or the recurrent layer that stands in its place or beside
/// it.
static Value mixTokens(LayerOps &layer, Value x) {
  const LayerConfig &config = layer.config;
  if (config.recurrent.kind == RecurrentKind::None)
    return attend(layer, x);
  Value in = layer.scaled(config.recurrent.path + ".in_scale", x,
                          config.factors.stateIn);
  Value out = layer.scaled(config.recurrent.path + ".out_scale",
                           buildRecurrent(layer, in), config.factors.stateOut);
  if (!config.attendsBesideState)
    return out;
  return layer.create<AddOp>("mixed", out, attend(layer, x));
}

Value mixResiduals(
    OpsBuilder &ops, const std::string &name, Value running,
    llvm::function_ref<Value(StringRef, ArrayRef<int64_t>)> weight) {
  SmallVector<Value> sources = ops.blockStarts;
  sources.push_back(running);
  int64_t hidden = ops.model.hidden, count = sources.size();
  OpFoldResult rows = ops.countRows(running);
  for (Value &source : sources)
    source = ops.expand(source, {rows, ops.number(1), ops.number(hidden)},
                        {{0, 1}, {2}});
  Value all = ops.concat(1, sources);
  Value normed =
      ops.norm(name + "_norm", all, weight("_norm.weight", {hidden}));
  Value scores =
      ops.matmul(name + "_proj", ops.collapse(normed, {{0, 1}, {2}}),
                 weight("_proj.weight", {1, hidden}), /*bias=*/Value());
  scores = ops.expand(ops.collapse(scores, {{0, 1}}),
                      {ops.number(1), ops.number(1), rows, ops.number(count)},
                      {{0, 1, 2, 3}});
  auto seesAll = MaskAttr::get(ops.builder.getContext(), MaskKind::Full, 0, 0,
                               ArrayRef<int64_t>(), ArrayRef<int64_t>());
  Value shares = ops.create<SoftmaxOp>(name + "_softmax", scores,
                                       /*sinks=*/Value(), seesAll,
                                       /*softCap=*/FloatAttr());
  Value mixed = ops.create<BatchMatmulOp>(
      name + "_mix", ops.collapse(shares, {{0, 1}, {2}, {3}}), all,
      /*transposeRhs=*/false, TypeAttr());
  return ops.collapse(mixed, {{0, 1}, {2}});
}

/// Does the same in a layer.
static Value mixOfLayer(LayerOps &layer, StringRef part, Value running) {
  return mixResiduals(layer.ops, layer.nameOf(part), running,
                      [&](StringRef suffix, ArrayRef<int64_t> shape) {
                        return layer.weight(part + suffix, shape);
                      });
}

/// Builds a layer with attention residuals. Each block of the layer reads a
/// mixture of two kinds of sums: those of the blocks of layers before it, and
/// that of its own block.
static Value buildMixedLayer(LayerOps &layer, Value running) {
  const LayerConfig &config = layer.config;
  Value x = layer.norm(config.inputNorm,
                       mixOfLayer(layer, "self_attention_res", running));
  Value out = mixTokens(layer, x);
  if (config.beginsBlock) {
    layer.ops.blockStarts.push_back(running);
    running = out;
  } else {
    running = layer.create<AddOp>("attn_residual", running, out);
  }
  x = layer.norm("post_attention_layernorm",
                 mixOfLayer(layer, "mlp_res", running));
  return layer.create<AddOp>("mlp_residual", running,
                             buildFeedForward(layer, x, running));
}

/// Returns the hidden states after a block and its norms, added to those before
/// it. `linear` names the matrix if the block is a single matrix.
static Value buildBlock(LayerOps &layer, BlockKind kind, Value hidden,
                        StringRef inputNorm, StringRef outputNorm,
                        StringRef linear, StringRef residual,
                        llvm::function_ref<Value(Value)> build) {
  if (kind == BlockKind::Absent)
    return hidden;
  Value x = inputNorm.empty() ? hidden : layer.norm(inputNorm, hidden);
  x = kind == BlockKind::Linear
          ? layer.linear(linear, x, layer.ops.model.hidden, /*hasBias=*/false)
          : build(x);
  if (!outputNorm.empty())
    x = layer.norm(outputNorm, x);
  x = layer.scaled(residual + "_scale", x, layer.config.factors.residual);
  return layer.create<AddOp>(residual, hidden, x);
}

Value makeLayerInputs(OpsBuilder &ops, Value hidden) {
  const LayerInputsConfig &config = ops.model.layerInputs;
  auto layers = static_cast<int64_t>(ops.model.layers.size());
  int64_t width = layers * config.features;
  auto byLayer = [&](Value x) {
    return ops.expand(
        x, {ops.countRows(x), ops.number(layers), ops.number(config.features)},
        {{0}, {1, 2}});
  };
  Value table = ops.modelWeight("model.embed_tokens_per_layer.weight",
                                {config.vocabulary, width});
  Value looked = ops.create<EmbeddingOp>(
      "model.embed_tokens_per_layer", ops.tokens, table, ops.outTypeFor(table));
  looked = ops.scaled("model.per_layer_embed_scale", looked,
                      std::sqrt(static_cast<double>(config.features)));
  std::string name = "model.per_layer_model_projection";
  Value projected =
      ops.matmul(name, hidden,
                 ops.modelWeight(name + ".weight", {width, ops.model.hidden}),
                 /*bias=*/Value());
  projected = ops.scaled("model.per_layer_projection_scale", projected,
                         1 / std::sqrt(static_cast<double>(ops.model.hidden)));
  std::string norm = "model.per_layer_projection_norm";
  projected = ops.norm(norm, byLayer(projected),
                       ops.modelWeight(norm + ".weight", {config.features}));
  Value sum =
      ops.create<AddOp>("model.per_layer_inputs", projected, byLayer(looked));
  return ops.scaled("model.per_layer_input_scale", sum, std::sqrt(0.5));
}

/// Adds what a gate lets through of the layer's own input.
static Value addOwnInput(LayerOps &layer, Value hidden) {
  OpsBuilder &b = layer.ops;
  int64_t features = b.model.layerInputs.features;
  Value input = b.collapse(b.slice(b.layerInputs, 1, layer.number() - 1, 1),
                           {{0, 1}, {2}});
  Value gate = layer.linear("per_layer_input_gate", hidden, features,
                            /*hasBias=*/false);
  Value x = layer.create<GeGluOp>("per_layer_input_geglu", gate, input);
  x = layer.linear("per_layer_projection", x, b.model.hidden,
                   /*hasBias=*/false);
  return layer.create<AddOp>("per_layer_residual", hidden,
                             layer.norm("post_per_layer_input_norm", x));
}

/// Returns what both blocks of a layer add, which read one norm.
static Value buildParallelLayer(LayerOps &layer, Value hidden) {
  Value x = layer.norm(layer.config.inputNorm, hidden);
  Value attended =
      layer.create<AddOp>("attn_residual", hidden, mixTokens(layer, x));
  return layer.create<AddOp>("mlp_residual", attended,
                             buildFeedForward(layer, x, hidden));
}

Value buildLayer(OpsBuilder &ops, const LayerConfig &layer,
                 const ImportOptions &options, const LayerIndex &index,
                 Value hidden) {
  LayerOps parts(ops, layer, options, index);
  if (layer.residualBlock)
    return buildMixedLayer(parts, hidden);
  if (ops.model.streams.count) {
    hidden = buildAmongStreams(parts, "hc_attn", layer.inputNorm, hidden,
                               [&](Value x) { return mixTokens(parts, x); });
    return buildAmongStreams(
        parts, "hc_ffn", layer.feedForwardNorm, hidden,
        [&](Value x) { return buildFeedForward(parts, x, x); });
  }
  if (layer.isParallel)
    return buildParallelLayer(parts, hidden);
  bool hasOutputNorms = layer.hasOutputNorms;
  auto before = [&](StringRef norm) {
    return layer.hasInputNorms ? norm : StringRef();
  };
  hidden = buildBlock(
      parts, layer.attentionKind, hidden, before(layer.inputNorm),
      hasOutputNorms ? "post_attention_layernorm" : "", "self_attn.linear_attn",
      "attn_residual", [&](Value x) { return mixTokens(parts, x); });
  StringRef feedForwardNorm = layer.feedForwardNorm;
  if (feedForwardNorm.empty())
    feedForwardNorm = hasOutputNorms ? "pre_feedforward_layernorm"
                                     : "post_attention_layernorm";
  hidden =
      buildBlock(parts, layer.feedForwardKind, hidden, before(feedForwardNorm),
                 hasOutputNorms ? "post_feedforward_layernorm" : "",
                 layer.feedForward.nameOf("linear_mlp"), "mlp_residual",
                 [&](Value x) { return buildFeedForward(parts, x, hidden); });
  if (layer.hasOwnInput)
    hidden = addOwnInput(parts, hidden);
  if (!layer.hasScalar)
    return hidden;
  return parts.create<MulOp>("layer_scale", hidden,
                             parts.weight("layer_scalar", {1}));
}

} // namespace mlir::llm
