//===- AttentionBuilder.h - What all kinds share ----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_ATTENTIONBUILDER_H
#define LLM_LIB_IMPORT_ATTENTIONBUILDER_H

#include "SequenceGroups.h"

#include <cmath>

namespace mlir::llm {

/// The base of all kinds of attention.
class AttentionBuilder {
public:
  explicit AttentionBuilder(LayerOps &layer)
      : layer(layer), config(layer.config.attention) {}
  virtual ~AttentionBuilder() = default;

  Value build(Value x);

  /// x, whose features turn with the positions of a group. `part` has the
  /// suffix of the group.
  Value rope(const Twine &part, const SequenceGroup &group, Value x,
             RopeConfig rope);
  /// The same of features that begin at `first` and stand `stride` positions
  /// apart, or are turned back.
  struct Turn {
    SmallVector<OpFoldResult, 1> first;
    int64_t stride = 1;
    bool isInverse = false;
  };
  Value rope(const Twine &part, Value x, const RopeConfig &rope,
             const Turn &turn);
  /// Writes the new rows of a cache, `of` this part of the layer, and reads
  /// those that a new query sees.
  KvReadOp updateCache(const SequenceGroup &group, StringRef of,
                       KvCacheType type, Value keys, Value values);
  /// Returns the type of a cache, with the model's elements for caches unless
  /// `element` is given.
  KvCacheType cacheType(const SequenceGroup &group, int64_t kvHeads,
                        int64_t headDim, bool isLatent,
                        Type element = {}) const;
  /// Returns the mask on the queries and on the keys that `updateCache` reads.
  MaskAttr maskOf(const SequenceGroup &group);

protected:
  /// Reads the hidden states of all tokens.
  virtual void project(Value x) = 0;
  /// Returns the output of a group, [rows, heads * value_dim].
  virtual Value attend(const SequenceGroup &group) = 0;

  Value rowsOf(const SequenceGroup &group, Value x, int64_t heads) {
    return headsOf(layer.ops, group, x, heads);
  }
  Value joinHeads(Value x) { return layer.ops.collapse(x, {{0, 1}, {2, 3}}); }
  Value rope(const SequenceGroup &group, StringRef part, Value x) {
    return rope(partOf(group, part), group, x, config.rope);
  }
  std::string partOf(const SequenceGroup &group, StringRef part) const {
    return ("self_attn." + part + group.suffix).str();
  }
  /// The scale of the scores.
  llvm::APFloat scale() const {
    return llvm::APFloat(
        config.scale ? config.scale
                     : 1 / std::sqrt(static_cast<double>(config.headDim)));
  }
  LayerOps &layer;
  const AttentionConfig &config;
  /// The output of all tokens is multiplied by the sigmoid of these; null if it
  /// is not gated.
  Value gates;

private:
  /// Multiplies the output of each head by its gate.
  Value gateHeads(Value out);
  /// Returns the first key that the first new query of a sequence sees.
  OpFoldResult firstSeen(OpFoldResult firstPosition);
};

/// The longest of the contexts; none while one is open.
std::optional<int64_t> findLongest(ArrayRef<OpFoldResult> kvLens);

/// Multi-head, multi-query and grouped-query attention.
Value buildGroupedQueryAttention(LayerOps &layer, Value x);
/// Attention over tokens and compressed entries.
Value buildCompressedAttention(LayerOps &layer, Value x);
/// Multi-head latent attention.
Value buildLatentAttention(LayerOps &layer, Value x);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_ATTENTIONBUILDER_H
