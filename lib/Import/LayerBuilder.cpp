//===- LayerBuilder.cpp - The ops of one decoder layer --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

namespace mlir::llm {

/// The hidden states after a block and its norms, added to those before it.
/// `linear` is what is multiplied with where the block is one matrix.
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
  bool hasOutputNorms = layer.hasOutputNorms;
  bool isRecurrent = layer.recurrent.kind != RecurrentKind::None;
  hidden = buildBlock(parts, layer.attentionKind, hidden, layer.inputNorm,
                      hasOutputNorms ? "post_attention_layernorm" : "",
                      "self_attn.linear_attn", "attn_residual", [&](Value x) {
                        return isRecurrent ? buildRecurrent(parts, x)
                                           : buildAttention(parts, x);
                      });
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
