//===- HfFurther.cpp - What predicts further tokens -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modules of multi-token prediction, as checkpoints name them. Their layers
// are those of the model.
//
//===----------------------------------------------------------------------===//

#include "HfReaders.h"

namespace mlir::llm {

void readDeepseekFurther(HfFields &, ModelConfig &model) {
  LayerConfig layer = model.layers.back();
  layer.attention.indexer.isShared = false; // no layer of theirs comes before
  model.further.layers = {layer};
  model.further.firstLayer = static_cast<int64_t>(model.layers.size());
}

/// Further layers of Qwen attend, whatever kind the others are of. All modules
/// share their norms and the matrix.
void readQwenFurther(HfFields &, ModelConfig &model) {
  FurtherConfig &further = model.further;
  for (const LayerConfig &layer : model.layers)
    if (layer.recurrent.kind == RecurrentKind::None) {
      further.layers = {layer};
      break;
    }
  further.stem = "mtp.layers.";
  further.isShared = true;
  further.sharedStem = "mtp.";
  further.embeddingNorm = "pre_fc_norm_embedding";
  further.hiddenNorm = "pre_fc_norm_hidden";
  further.projection = "fc";
  further.lastNorm = "norm";
}

void readMimoFurther(HfFields &, ModelConfig &model) {
  FurtherConfig &further = model.further;
  further.layers = {model.layers.back()};
  further.stem = "model.mtp_layers.";
  further.embeddingNorm = "token_layernorm";
  further.hiddenNorm = "hidden_layernorm";
  further.projection = "input_proj";
  further.lastNorm = "final_layernorm";
}

} // namespace mlir::llm
