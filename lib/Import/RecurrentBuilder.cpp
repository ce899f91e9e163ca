//===- RecurrentBuilder.cpp - What keeps a state in a layer ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentBuilder.h"

#include <cmath>

namespace mlir::llm {

Value RecurrentBuilder::rowsOf(const SequenceGroup &group, Value x) {
  return ops.expand(
      llm::rowsOf(ops, group, x),
      {group.batch, group.seq, ops.number(tensorType(x).getDimSize(1))},
      {{0, 1}, {2}});
}

Value RecurrentBuilder::splitHeads(const SequenceGroup &group, Value x,
                                   int64_t first, int64_t heads,
                                   int64_t features) {
  return ops.expand(
      ops.slice(x, 2, first, heads * features),
      {group.batch, group.seq, ops.number(heads), ops.number(features)},
      {{0}, {1}, {2, 3}});
}

Value RecurrentBuilder::activate(StringRef name, ActivationKind kind, Value x,
                                 Value bias) {
  return layer.create<ActivationOp>(part(name), kind, x, bias);
}

Value RecurrentBuilder::plainNorm(StringRef name, Value x, Value weight) {
  return layer.create<RmsNormOp>(part(name), x, weight,
                                 llvm::APFloat(ops.model.epsilon),
                                 /*addUnitOffset=*/false);
}

Value RecurrentBuilder::swiglu(StringRef name, Value gate, Value x) {
  return layer.create<SwiGluOp>(part(name), gate, x);
}

Value RecurrentBuilder::state(const SequenceGroup &group, StringRef name,
                              ArrayRef<int64_t> shape, Type element) {
  auto type = StateType::get(ops.builder.getContext(),
                             group.sequences.getBatch(), shape, element);
  SmallVector<Value> sizes;
  if (auto open = dyn_cast<Value>(group.batch))
    sizes.push_back(open);
  return StateOp::create(
      ops.builder, ops.loc, type,
      ops.builder.getStringAttr(layer.weightName(part(name) + group.suffix)),
      layer.indices(), sizes);
}

/// Convolves rows. Checkpoints store the weight as [channels, 1, taps].
Value RecurrentBuilder::convolve(const SequenceGroup &group, StringRef name,
                                 Value rows) {
  int64_t channels = tensorType(rows).getDimSize(2);
  Value taps =
      ops.collapse(weight((name + ".weight").str(), {channels, 1, config.taps}),
                   {{0}, {1, 2}});
  Value bias =
      config.hasConvBias ? weight((name + ".bias").str(), {channels}) : Value();
  Value before = state(group, (name + ".state").str(),
                       {config.taps - 1, channels}, ops.model.elementType);
  ActivationKindAttr activation;
  if (config.kind != RecurrentKind::ShortConv)
    activation =
        ActivationKindAttr::get(ops.builder.getContext(), ActivationKind::Silu);
  return layer
      .create<Conv1dOp>((part(name) + group.suffix), rows, taps, bias, before,
                        activation, keepsEveryStep(group))
      .getOut();
}

/// Whether states of every step are kept. Drafts may be rejected, and the state
/// is then that behind the last token that stays.
bool RecurrentBuilder::keepsEveryStep(const SequenceGroup &group) const {
  return ops.program.getPhase() == Phase::Verify &&
         group.sequences.getSeq() != openSize;
}

/// Whether tokens are taken in chunks. A few tokens go one by one. With many,
/// products of matrices pay.
bool LinearAttentionBuilder::isChunked(const SequenceGroup &group) const {
  if (keepsEveryStep(group))
    return false;
  if (layer.options.linearAttention != LinearAttentionForm::Auto)
    return layer.options.linearAttention == LinearAttentionForm::Chunks;
  switch (ops.program.getPhase()) {
  case Phase::Decode:
  case Phase::Verify:
    return false;
  case Phase::Prefill:
    return true;
  case Phase::Mixed:
    return group.firstRow > 0;
  }
  return false;
}

Value LinearAttentionBuilder::attend(const SequenceGroup &group) {
  LinearAttentionInputs in = prepare(group);
  Builder &b = ops.builder;
  Value before =
      state(group, "state", {config.heads, config.keyDim, config.valueDim},
            b.getF32Type());
  bool isDelta = config.kind != RecurrentKind::Mamba2;
  auto figure = [&](double value) { return b.getF64FloatAttr(value); };
  // Kernels fix the epsilon of this norm.
  constexpr double qkNormEpsilon = 1e-6;
  double scale =
      isDelta ? 1 / std::sqrt(static_cast<double>(config.keyDim)) : 1;
  Value out =
      layer
          .create<LinearAttnOp>(
              part("attn") + group.suffix,
              isDelta ? LinearRule::Delta : LinearRule::Additive, in.query,
              in.keys, in.values, in.decay, in.rate, in.beta, in.skip, before,
              config.decayLimit ? figure(config.decayLimit) : FloatAttr(),
              isChunked(group) ? b.getI64IntegerAttr(config.chunk)
                               : IntegerAttr(),
              isDelta ? figure(qkNormEpsilon) : FloatAttr(),
              llvm::APFloat(scale), keepsEveryStep(group))
          .getOut();
  return ops.collapse(out, {{0, 1}, {2}, {3}});
}

Value RecurrentBuilder::build(Value x) {
  project(x);
  SmallVector<Value> outputs;
  for (const SequenceGroup &group : groupsOf(ops))
    outputs.push_back(attend(group));
  return linear(config.outName, gate(ops.concat(0, outputs)), ops.model.hidden);
}

Value buildRecurrent(LayerOps &layer, Value x) {
  switch (layer.config.recurrent.kind) {
  case RecurrentKind::GatedDelta:
    return buildGatedDelta(layer, x);
  case RecurrentKind::KimiDelta:
    return buildKimiDelta(layer, x);
  case RecurrentKind::Mamba2:
    return buildMamba2(layer, x);
  case RecurrentKind::ShortConv:
    return buildShortConv(layer, x);
  case RecurrentKind::None:
    break;
  }
  llvm_unreachable("a layer that keeps no state");
}

} // namespace mlir::llm
