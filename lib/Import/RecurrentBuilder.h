//===- RecurrentBuilder.h - What keeps a state in a layer -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_RECURRENTBUILDER_H
#define LLM_LIB_IMPORT_RECURRENTBUILDER_H

#include "SequenceGroups.h"

namespace mlir::llm {

/// The inputs of linear attention for the tokens of a group. Null if not given.
struct LinearAttentionInputs {
  Value query, keys, values; ///< [batch, seq, heads, features]
  Value decay, rate, beta, skip;
};

/// What all layers share that keep a state instead of a cache. Projections run
/// once for the tokens of all sequences. There is a state for each group.
class RecurrentBuilder {
public:
  explicit RecurrentBuilder(LayerOps &layer)
      : layer(layer), ops(layer.ops), config(layer.config.recurrent) {}
  virtual ~RecurrentBuilder() = default;

  Value build(Value x);

protected:
  /// Reads the hidden states of all tokens.
  virtual void project(Value x) = 0;
  /// Returns what a group becomes, by its state, with a row for each token.
  virtual Value attend(const SequenceGroup &group) = 0;
  /// Gates and norms the output of all groups. Returns [tokens, features].
  virtual Value gate(Value out) = 0;

  std::string part(const Twine &name) const {
    return (config.path + "." + name).str();
  }
  Value linear(StringRef name, Value x, int64_t out) {
    return layer.linear(part(name), x, out, config.hasBias);
  }
  /// A weight that no linear layer has.
  Value weight(StringRef name, ArrayRef<int64_t> shape) {
    return layer.weight(part(name), shape);
  }
  /// Convolves rows of a group, [batch, seq, features], causally, with SiLU if
  /// attention is linear. The layer keeps the state.
  Value convolve(const SequenceGroup &group, StringRef name, Value rows);
  /// Takes some features of [batch, seq, features] as [batch, seq, heads, ..].
  Value splitHeads(const SequenceGroup &group, Value x, int64_t first,
                   int64_t heads, int64_t features);
  /// Takes the rows of a group from [tokens, features], as [batch, seq,
  /// features].
  Value rowsOf(const SequenceGroup &group, Value x);
  Value activate(StringRef name, ActivationKind kind, Value x, Value bias);
  /// Norms along the last dimension, with a weight to which 1 is not added.
  Value plainNorm(StringRef name, Value x, Value weight);
  Value swiglu(StringRef name, Value gate, Value x);

  Value state(const SequenceGroup &group, StringRef name,
              ArrayRef<int64_t> shape, Type element);
  bool keepsEveryStep(const SequenceGroup &group) const;

  LayerOps &layer;
  OpsBuilder &ops;
  const RecurrentConfig &config;
};

/// Layers whose heads have a matrix each, which llm.linear_attn updates.
class LinearAttentionBuilder : public RecurrentBuilder {
public:
  using RecurrentBuilder::RecurrentBuilder;

protected:
  /// Makes the inputs of a group from the projections, through convolutions.
  virtual LinearAttentionInputs prepare(const SequenceGroup &group) = 0;

private:
  /// Attends, and returns [rows, heads, value_dim].
  Value attend(const SequenceGroup &group) override;
  bool isChunked(const SequenceGroup &group) const;
};

/// Builds gated delta networks (Qwen3-Next, Qwen3.5) and Kimi delta attention.
Value buildGatedDelta(LayerOps &layer, Value x);
Value buildKimiDelta(LayerOps &layer, Value x);
/// Builds Mamba-2.
Value buildMamba2(LayerOps &layer, Value x);
/// Builds a short convolution (LFM2).
Value buildShortConv(LayerOps &layer, Value x);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_RECURRENTBUILDER_H
