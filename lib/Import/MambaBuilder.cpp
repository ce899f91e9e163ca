//===- MambaBuilder.cpp - Mamba-2 layers and short convolutions -----------===//
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
class MambaBuilder : public LinearAttentionBuilder {
public:
  using LinearAttentionBuilder::LinearAttentionBuilder;

private:
  void project(Value x) override;
  LinearAttentionInputs prepare(const SequenceGroup &group) override;
  Value gate(Value out) override;

  int64_t inner() const { return config.heads * config.valueDim; }
  int64_t groupWidth() const { return config.keyHeads * config.keyDim; }

  Value normed(Value x);
  /// Parts of a projection, each with its own factor, side by side.
  Value scaledParts(Value all, ArrayRef<int64_t> widths,
                    ArrayRef<double> factors);

  Value gates, convolved, steps;
};

/// A convolution between two gates (LFM2, 2025).
class ShortConvBuilder : public RecurrentBuilder {
public:
  using RecurrentBuilder::RecurrentBuilder;

private:
  void project(Value x) override;
  Value attend(const SequenceGroup &group) override;
  Value gate(Value out) override;

  Value gated, outGates;
};
} // namespace

//===----------------------------------------------------------------------===//
// Mamba-2
//===----------------------------------------------------------------------===//

Value MambaBuilder::scaledParts(Value all, ArrayRef<int64_t> widths,
                                ArrayRef<double> factors) {
  if (llvm::all_of(factors, [](double factor) { return factor == 1; }))
    return all;
  SmallVector<Value> parts;
  int64_t first = 0;
  for (auto [index, width] : llvm::enumerate(widths)) {
    parts.push_back(layer.scaled(part("in_proj.scale" + Twine(index)),
                                 ops.slice(all, 1, first, width),
                                 factors[index]));
    first += width;
  }
  return ops.concat(1, parts);
}

void MambaBuilder::project(Value x) {
  int64_t channels = inner() + 2 * groupWidth();
  const int64_t widths[] = {inner(), inner(), groupWidth(), groupWidth(),
                            config.heads};
  Value all =
      scaledParts(linear("in_proj", x, inner() + channels + config.heads),
                  widths, layer.config.factors.stateParts);
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

/// Norms groups of features.
Value MambaBuilder::normed(Value x) {
  if (!config.normGroups)
    return x;
  int64_t groups = config.normGroups, width = inner() / groups;
  OpFoldResult sizes[] = {ops.number(groups), ops.number(width)};
  Value scale = ops.expand(weight("norm.weight", {inner()}), sizes, {{0, 1}});
  Value byGroup = plainNorm(
      "norm",
      ops.expand(x, {ops.countRows(x), sizes[0], sizes[1]}, {{0}, {1, 2}}),
      scale);
  return ops.collapse(byGroup, {{0}, {1, 2}});
}

/// Applies the gate and the norm, in the order of the family.
Value MambaBuilder::gate(Value out) {
  Value x = ops.collapse(out, {{0}, {1, 2}});
  if (config.normsBeforeGate)
    return swiglu("gate", gates, normed(x));
  return normed(swiglu("gate", gates, x));
}

//===----------------------------------------------------------------------===//
// Short convolutions
//===----------------------------------------------------------------------===//

void ShortConvBuilder::project(Value x) {
  int64_t width = config.valueDim;
  Value all = linear("in_proj", x, 3 * width);
  gated = layer.create<MulOp>(part("gated"), ops.slice(all, 1, 0, width),
                              ops.slice(all, 1, 2 * width, width));
  outGates = ops.slice(all, 1, width, width);
}

Value ShortConvBuilder::attend(const SequenceGroup &group) {
  return ops.collapse(convolve(group, "conv", rowsOf(group, gated)),
                      {{0, 1}, {2}});
}

Value ShortConvBuilder::gate(Value out) {
  return layer.create<MulOp>(part("out_gated"), out, outGates);
}

Value buildMamba2(LayerOps &layer, Value x) {
  return MambaBuilder(layer).build(x);
}

Value buildShortConv(LayerOps &layer, Value x) {
  return ShortConvBuilder(layer).build(x);
}

} // namespace mlir::llm
