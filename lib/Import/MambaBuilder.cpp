//===- MambaBuilder.cpp - Mamba-2 layers ----------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentBuilder.h"

namespace mlir::llm {

namespace {
/// Mamba-2 in the words of linear attention: C are queries and B keys, each of
/// a group of heads, and x are values (Dao and Gu, 2024).
class MambaBuilder : public RecurrentBuilder {
public:
  using RecurrentBuilder::RecurrentBuilder;

private:
  void project(Value x) override;
  LinearAttentionInputs prepare(const SequenceGroup &group) override;
  Value gate(Value out) override;

  int64_t inner() const { return config.heads * config.valueDim; }
  int64_t groupWidth() const { return config.keyHeads * config.keyDim; }

  Value gates, convolved, steps;
};
} // namespace

void MambaBuilder::project(Value x) {
  int64_t channels = inner() + 2 * groupWidth();
  Value all = linear("in_proj", x, inner() + channels + config.heads);
  gates = ops.slice(all, 1, 0, inner());
  convolved = ops.slice(all, 1, inner(), channels);
  steps = activate("dt", ActivationKind::Softplus,
                   ops.slice(all, 1, inner() + channels, config.heads),
                   weight("dt_bias", {config.heads}));
}

LinearAttentionInputs MambaBuilder::prepare(const SequenceGroup &group) {
  Value x = convolve(group, "conv1d", rowsOf(group, convolved));
  LinearAttentionInputs in;
  in.values = splitHeads(group, x, 0, config.heads, config.valueDim);
  in.keys = splitHeads(group, x, inner(), config.keyHeads, config.keyDim);
  in.query = splitHeads(group, x, inner() + groupWidth(), config.keyHeads,
                        config.keyDim);
  in.decay = in.beta = rowsOf(group, steps);
  in.rate = weight("A_log", {config.heads});
  in.skip = weight("D", {config.heads});
  return in;
}

/// Applies the gate, and then a norm of each group of heads.
Value MambaBuilder::gate(Value out) {
  Value gated = swiglu("gate", gates, ops.collapse(out, {{0}, {1, 2}}));
  int64_t groups = config.keyHeads, width = inner() / groups;
  OpFoldResult sizes[] = {ops.number(groups), ops.number(width)};
  Value scale = ops.expand(weight("norm.weight", {inner()}), sizes, {{0, 1}});
  Value normed =
      plainNorm("norm",
                ops.expand(gated, {ops.countRows(gated), sizes[0], sizes[1]},
                           {{0}, {1, 2}}),
                scale);
  return ops.collapse(normed, {{0}, {1, 2}});
}

Value buildMamba2(LayerOps &layer, Value x) {
  return MambaBuilder(layer).build(x);
}

} // namespace mlir::llm
