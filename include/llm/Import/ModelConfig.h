//===- ModelConfig.h - A decoder in numbers ---------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_MODELCONFIG_H
#define LLM_IMPORT_MODELCONFIG_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"

#include <cstdint>
#include <string>

namespace mlir::llm {

/// What the importers know of a model and the builder needs: a stack of equal
/// dense decoder layers with grouped-query attention and a gated feed-forward
/// network. A reader that returns one has checked it: sizes are positive,
/// `kvHeads` divides `heads`, `headDim` is even, `theta` is positive, `epsilon`
/// is not negative.
struct ModelConfig {
  explicit ModelConfig(Location location) : location(location) {}

  Location location;  ///< where the model is described
  std::string family; ///< in the words of the source, such as "llama"
  int64_t layers = 0;
  int64_t hidden = 0;
  int64_t intermediate = 0; ///< width of the feed-forward network
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  double epsilon = 0;         ///< of the norms
  double theta = 0;           ///< base of the rotary embedding's angles
  Type elementType;           ///< of weights, activations and cache
  bool attentionBias = false; ///< on q_proj, k_proj, v_proj and o_proj
  bool mlpBias = false;       ///< on gate_proj, up_proj and down_proj
  bool qkNorm = false;        ///< queries and keys are normed head by head
};

} // namespace mlir::llm

#endif // LLM_IMPORT_MODELCONFIG_H
