//===- DeltaBuilder.cpp - Layers of the gated delta rule ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentBuilder.h"

namespace mlir::llm {

namespace {
/// Gated delta networks. Queries, keys and values of a token are one vector,
/// which is convolved whole.
class GatedDeltaBuilder : public LinearAttentionBuilder {
public:
  using LinearAttentionBuilder::LinearAttentionBuilder;

private:
  void project(Value x) override;
  LinearAttentionInputs prepare(const SequenceGroup &group) override;
  Value gate(Value out) override;
  /// Makes all of these with one projection, key head by key head (Qwen3-Next).
  void projectFused(Value x);

  int64_t keyWidth() const { return config.keyHeads * config.keyDim; }
  int64_t valueWidth() const { return config.heads * config.valueDim; }

  Value joined;       ///< q | k | v
  Value gates;        ///< z
  Value steps, betas; ///< [tokens, heads]
};

/// Kimi delta attention, with decays of channels, and a convolution each for
/// queries, keys and values.
class KimiDeltaBuilder : public LinearAttentionBuilder {
public:
  using LinearAttentionBuilder::LinearAttentionBuilder;

private:
  void project(Value x) override;
  LinearAttentionInputs prepare(const SequenceGroup &group) override;
  Value gate(Value out) override;
  /// Multiplies by two matrices in the place of one.
  Value lowRank(StringRef first, StringRef second, Value x);
  Value convolved(const SequenceGroup &group, StringRef name, Value x);

  int64_t width() const { return config.heads * config.keyDim; }

  Value queries, keys, values, decays, betas, gates;
};
} // namespace

//===----------------------------------------------------------------------===//
// Gated delta networks
//===----------------------------------------------------------------------===//

void GatedDeltaBuilder::projectFused(Value x) {
  int64_t heads = config.keyHeads, group = config.heads / heads;
  int64_t ofValues = group * config.valueDim,
          ofHead = 2 * config.keyDim + 2 * ofValues;
  Value all = ops.expand(
      linear("in_proj_qkvz", x, heads * ofHead),
      {ops.countRows(x), ops.number(heads), ops.number(ofHead)}, {{0}, {1, 2}});
  Value small =
      ops.expand(linear("in_proj_ba", x, 2 * config.heads),
                 {ops.countRows(x), ops.number(heads), ops.number(2 * group)},
                 {{0}, {1, 2}});
  int64_t at = 0;
  auto next = [&](Value of, int64_t size) {
    Value part = ops.collapse(ops.slice(of, 2, at, size), {{0}, {1, 2}});
    at += size;
    return part;
  };
  SmallVector<Value> convolved;
  for (int64_t size : {config.keyDim, config.keyDim, ofValues})
    convolved.push_back(next(all, size));
  joined = ops.concat(1, convolved);
  gates = next(all, ofValues);
  at = 0;
  betas = next(small, group);
  steps = next(small, group);
}

void GatedDeltaBuilder::project(Value x) {
  if (config.isFused) {
    projectFused(x);
  } else {
    joined = linear("in_proj_qkv", x, 2 * keyWidth() + valueWidth());
    gates = linear("in_proj_z", x, valueWidth());
    betas = linear("in_proj_b", x, config.heads);
    steps = linear("in_proj_a", x, config.heads);
  }
  betas = activate("beta", ActivationKind::Sigmoid, betas, Value());
  steps = activate("decay", ActivationKind::Softplus, steps,
                   weight("dt_bias", {config.heads}));
}

LinearAttentionInputs GatedDeltaBuilder::prepare(const SequenceGroup &group) {
  Value x = convolve(group, "conv1d", rowsOf(group, joined));
  LinearAttentionInputs in;
  in.query = splitHeads(group, x, 0, config.keyHeads, config.keyDim);
  in.keys = splitHeads(group, x, keyWidth(), config.keyHeads, config.keyDim);
  in.values =
      splitHeads(group, x, 2 * keyWidth(), config.heads, config.valueDim);
  in.decay = rowsOf(group, steps);
  in.rate = weight("A_log", {config.heads});
  in.beta = rowsOf(group, betas);
  return in;
}

Value GatedDeltaBuilder::gate(Value out) {
  Value normed =
      plainNorm("norm", out, weight("norm.weight", {config.valueDim}));
  return swiglu("gate", gates, ops.collapse(normed, {{0}, {1, 2}}));
}

//===----------------------------------------------------------------------===//
// Kimi delta attention
//===----------------------------------------------------------------------===//

Value KimiDeltaBuilder::lowRank(StringRef first, StringRef second, Value x) {
  return linear(second, linear(first, x, config.keyDim), width());
}

void KimiDeltaBuilder::project(Value x) {
  queries = linear("q_proj", x, width());
  keys = linear("k_proj", x, width());
  values = linear("v_proj", x, width());
  Value bias = weight("dt_bias", {width()});
  if (config.decayLimit) {
    // Only the bias is added here. The function that bends the decays takes
    // their rates.
    Value low = linear("f_a_proj", x, config.keyDim);
    decays = ops.matmul(
        layer.nameOf(part("f_b_proj")), low,
        layer.linearWeight(part("f_b_proj.weight"), {width(), config.keyDim}),
        bias);
  } else {
    decays = activate("decay", ActivationKind::Softplus,
                      lowRank("f_a_proj", "f_b_proj", x), bias);
  }
  betas = activate("beta", ActivationKind::Sigmoid,
                   linear("b_proj", x, config.heads), Value());
  gates = config.hasFullGate ? linear("g_proj", x, width())
                             : lowRank("g_a_proj", "g_b_proj", x);
}

Value KimiDeltaBuilder::convolved(const SequenceGroup &group, StringRef name,
                                  Value x) {
  return splitHeads(group, convolve(group, name, rowsOf(group, x)), 0,
                    config.heads, config.keyDim);
}

LinearAttentionInputs KimiDeltaBuilder::prepare(const SequenceGroup &group) {
  LinearAttentionInputs in;
  in.query = convolved(group, "q_conv1d", queries);
  in.keys = convolved(group, "k_conv1d", keys);
  in.values = convolved(group, "v_conv1d", values);
  in.decay =
      splitHeads(group, rowsOf(group, decays), 0, config.heads, config.keyDim);
  // Checkpoints have the shape that broadcasts over [batch, seq, heads,
  // channels].
  in.rate =
      ops.collapse(weight("A_log", {1, 1, config.heads, 1}), {{0, 1, 2, 3}});
  in.beta = rowsOf(group, betas);
  return in;
}

Value KimiDeltaBuilder::gate(Value out) {
  Value normed =
      plainNorm("o_norm", out, weight("o_norm.weight", {config.valueDim}));
  return layer.gated(part("gate"), part("gated"),
                     ops.collapse(normed, {{0}, {1, 2}}), gates);
}

Value buildGatedDelta(LayerOps &layer, Value x) {
  return GatedDeltaBuilder(layer).build(x);
}

Value buildKimiDelta(LayerOps &layer, Value x) {
  return KimiDeltaBuilder(layer).build(x);
}

} // namespace mlir::llm
