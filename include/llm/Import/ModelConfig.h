//===- ModelConfig.h - A decoder in numbers ---------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_MODELCONFIG_H
#define LLM_IMPORT_MODELCONFIG_H

#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace mlir::llm {

/// Grouped-query attention. A reader has checked that `kvHeads` divides
/// `heads`, `headDim` is even and `theta` positive.
struct AttentionConfig {
  int64_t heads = 0;
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  double theta = 0;     ///< base of the rotary embedding's angles
  int64_t window = 0;   ///< keys that a query sees; 0: all before it
  bool qkvBias = false; ///< on q_proj, k_proj and v_proj
  bool outBias = false; ///< on o_proj
  bool qkNorm = false;  ///< queries and keys are normed head by head
  bool isFused = false; ///< one weight, qkv_proj, for the three
  double scale = 0;     ///< of the scores; 0: 1 / sqrt(headDim)
  double softCap = 0;   ///< of the scores; 0: none

  auto asTuple() const {
    return std::tie(heads, kvHeads, headDim, theta, window, qkvBias, outBias,
                    qkNorm, isFused, scale, softCap);
  }
  bool operator==(const AttentionConfig &other) const {
    return asTuple() == other.asTuple();
  }
};

/// A mixture of experts. A reader has checked that `topK` <= `count`, `groups`
/// divides `count`, and the groups that can be selected have `topK` experts.
struct ExpertsConfig {
  int64_t count = 0; ///< routed experts; 0: there are none
  int64_t topK = 0;  ///< that each token selects
  ExpertScoring scoring = ExpertScoring::Softmax;
  int64_t groups = 1, topGroups = 1; ///< selection within groups
  bool normalizes = false;           ///< shares sum up to 1
  double scale = 1;                  ///< of the shares
  bool hasSelectionBias = false;     ///< a bias in the selection only
  std::string path;                  ///< "mlp", in the checkpoint's words

  auto asTuple() const {
    return std::tie(count, topK, scoring, groups, topGroups, normalizes, scale,
                    hasSelectionBias, path);
  }
};

/// A gated feed-forward network, or one for each of several experts.
struct FeedForwardConfig {
  int64_t intermediate = 0; ///< its width, or that of one expert
  ExpertsConfig experts;
  bool hasBias = false; ///< on gate_proj, up_proj and down_proj
  bool isFused = false; ///< one weight, gate_up_proj, for the two
  bool isGeGlu = false; ///< GELU in the gate; otherwise SiLU

  auto asTuple() const {
    return std::tuple_cat(std::tie(intermediate, hasBias, isFused, isGeGlu),
                          experts.asTuple());
  }
  bool operator==(const FeedForwardConfig &other) const {
    return asTuple() == other.asTuple();
  }
};

struct LayerConfig {
  AttentionConfig attention;
  FeedForwardConfig feedForward;
  /// Norms also behind attention and feed-forward network, before each is added
  /// to the residual.
  bool hasOutputNorms = false;
  bool operator==(const LayerConfig &other) const {
    return attention == other.attention && feedForward == other.feedForward &&
           hasOutputNorms == other.hasOutputNorms;
  }
};

/// What the importers know of a model and the builder needs. A reader that
/// returns one has checked it: sizes are positive, there is at least one layer
/// and at most `maxLayers`, `epsilon` is not negative.
struct ModelConfig {
  explicit ModelConfig(Location location) : location(location) {}

  /// Many more than any model has: each layer is looked at by itself.
  static constexpr int64_t maxLayers = 10000;

  Location location;  ///< where the model is described
  std::string family; ///< in the words of the source, such as "llama"
  int64_t hidden = 0;
  int64_t vocabulary = 0;    ///< 0: the source does not say
  bool hasTiedHead = false;  ///< the head uses the weight of the embedding
  double epsilon = 0;        ///< of the norms
  double embeddingScale = 1; ///< of the hidden states before the layers
  double logitSoftCap = 0;   ///< 0: none
  Type elementType;          ///< of weights, activations and cache
  std::vector<LayerConfig> layers;
};

} // namespace mlir::llm

#endif // LLM_IMPORT_MODELCONFIG_H
