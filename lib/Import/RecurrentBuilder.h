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

/// What linear attention reads of the tokens of a group. Null: not given.
struct LinearAttentionInputs {
  Value query, keys, values; ///< [batch, seq, heads, features]
  Value decay, rate, beta, skip;
};

/// What is common to the layers that keep a state instead of a cache.
/// Projections run once for the tokens of all sequences, states are those of
/// groups.
class RecurrentBuilder {
public:
  explicit RecurrentBuilder(LayerOps &layer)
      : layer(layer), ops(layer.ops), config(layer.config.recurrent) {}
  virtual ~RecurrentBuilder() = default;

  Value build(Value x);

protected:
  /// Reads the hidden states of all tokens.
  virtual void project(Value x) = 0;
  /// What the convolutions of a group make of projections, and what follows.
  virtual LinearAttentionInputs prepare(const SequenceGroup &group) = 0;
  /// The gated and normed output of all tokens, [tokens, features], of that of
  /// linear attention, [tokens, heads, value_dim].
  virtual Value gate(Value out) = 0;

  std::string part(const Twine &name) const {
    return (config.path + "." + name).str();
  }
  Value linear(StringRef name, Value x, int64_t out) {
    return layer.linear(part(name), x, out, config.hasBias);
  }
  /// A weight that is no linear layer's.
  Value weight(StringRef name, ArrayRef<int64_t> shape) {
    return layer.weight(part(name), shape);
  }
  /// Rows of a group, [batch, seq, features], behind a causal convolution with
  /// SiLU, whose state the layer keeps.
  Value convolve(const SequenceGroup &group, StringRef name, Value rows);
  /// Some features of [batch, seq, features] as [batch, seq, heads, ..].
  Value splitHeads(const SequenceGroup &group, Value x, int64_t first,
                   int64_t heads, int64_t features);
  /// The rows of a group of [tokens, features], as [batch, seq, features].
  Value rowsOf(const SequenceGroup &group, Value x);
  Value activate(StringRef name, ActivationKind kind, Value x, Value bias);
  /// A norm along the last dimension whose weight is no difference to 1.
  Value plainNorm(StringRef name, Value x, Value weight);
  Value swiglu(StringRef name, Value gate, Value x);

  LayerOps &layer;
  OpsBuilder &ops;
  const RecurrentConfig &config;

private:
  Value attend(const SequenceGroup &group);
  Value state(const SequenceGroup &group, StringRef name,
              ArrayRef<int64_t> shape, Type element);
  bool isChunked(const SequenceGroup &group) const;
  bool keepsEveryStep(const SequenceGroup &group) const;
};

/// Gated delta networks (Qwen3-Next, Qwen3.5) and Kimi delta attention.
Value buildGatedDelta(LayerOps &layer, Value x);
Value buildKimiDelta(LayerOps &layer, Value x);
/// Mamba-2.
Value buildMamba2(LayerOps &layer, Value x);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_RECURRENTBUILDER_H
