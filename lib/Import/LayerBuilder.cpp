//===- LayerBuilder.cpp - The ops of one decoder layer --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"

namespace mlir::llm {

Value buildLayer(OpsBuilder &ops, const LayerConfig &layer,
                 const ImportOptions &options, const LayerIndex &index,
                 Value hidden) {
  LayerOps parts(ops, layer, options, index);
  bool hasOutputNorms = layer.hasOutputNorms;
  Value attended = buildAttention(parts, parts.norm("input_layernorm", hidden));
  if (hasOutputNorms)
    attended = parts.norm("post_attention_layernorm", attended);
  hidden = parts.create<AddOp>("attn_residual", hidden, attended);
  Value fed = buildFeedForward(
      parts, parts.norm(hasOutputNorms ? "pre_feedforward_layernorm"
                                       : "post_attention_layernorm",
                        hidden));
  if (hasOutputNorms)
    fed = parts.norm("post_feedforward_layernorm", fed);
  return parts.create<AddOp>("mlp_residual", hidden, fed);
}

} // namespace mlir::llm
