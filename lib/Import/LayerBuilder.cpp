//===- LayerBuilder.cpp - The ops of one decoder layer --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

namespace mlir::llm {

/// Builds attention, or the recurrent layer that stands in its place.
static Value mixTokens(LayerOps &layer, Value x) {
  return layer.config.recurrent.kind != RecurrentKind::None
             ? buildRecurrent(layer, x)
             : buildAttention(layer, x);
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
  Value x = layer.norm(inputNorm, hidden);
  x = kind == BlockKind::Linear
          ? layer.linear(linear, x, layer.ops.model.hidden, /*hasBias=*/false)
          : build(x);
  if (!outputNorm.empty())
    x = layer.norm(outputNorm, x);
  return layer.create<AddOp>(residual, hidden, x);
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
  bool hasOutputNorms = layer.hasOutputNorms;
  hidden = buildBlock(parts, layer.attentionKind, hidden, layer.inputNorm,
                      hasOutputNorms ? "post_attention_layernorm" : "",
                      "self_attn.linear_attn", "attn_residual",
                      [&](Value x) { return mixTokens(parts, x); });
  StringRef feedForwardNorm = layer.feedForwardNorm;
  if (feedForwardNorm.empty())
    feedForwardNorm = hasOutputNorms ? "pre_feedforward_layernorm"
                                     : "post_attention_layernorm";
  hidden =
      buildBlock(parts, layer.feedForwardKind, hidden, feedForwardNorm,
                 hasOutputNorms ? "post_feedforward_layernorm" : "",
                 layer.feedForward.nameOf("linear_mlp"), "mlp_residual",
                 [&](Value x) { return buildFeedForward(parts, x, hidden); });
  if (!layer.hasScalar)
    return hidden;
  return parts.create<MulOp>("layer_scale", hidden,
                             parts.weight("layer_scalar", {1}));
}

} // namespace mlir::llm
