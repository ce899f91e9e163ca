//===- DecoderBuilder.cpp - From a decoder in numbers to IR ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Import/DecoderBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include <cmath>

namespace mlir::llm {

void loadDecoderDialects(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect, LlmDialect,
                       scf::SCFDialect, tensor::TensorDialect>();
}

namespace {
/// Builds the ops of one layer at the builder's insertion point.
class LayerBuilder {
public:
  /// `layer` is the index of the loop over the layers, or null for layer 0.
  LayerBuilder(OpBuilder &builder, const ModelConfig &model,
               ProgramAttr program, Mask mask, Value layer)
      : builder(builder), loc(model.location), model(model), program(program),
        mask(mask), layer(layer) {}

  /// The hidden states after the layer.
  Value build(Value hidden) {
    Value attended = attention(norm("input_layernorm", hidden));
    hidden = create<AddOp>("attn_residual", hidden, attended);
    Value fed = feedForward(norm("post_attention_layernorm", hidden));
    return create<AddOp>("mlp_residual", hidden, fed);
  }

private:
  Value attention(Value x);
  Value feedForward(Value x);

  /// A part of the layer in the checkpoint's words.
  StringAttr nameOf(const Twine &part) {
    return builder.getStringAttr(Twine("model.layers.") +
                                 (layer ? "{}." : "0.") + part);
  }
  ValueRange indices() { return layer ? ValueRange(layer) : ValueRange(); }

  template <typename Op, typename... Args>
  Op create(const Twine &part, Args &&...args) {
    return Op::create(builder, loc, nameOf(part), std::forward<Args>(args)...);
  }

  Value weight(const Twine &part, ArrayRef<int64_t> shape) {
    auto type = RankedTensorType::get(shape, model.elementType);
    return WeightOp::create(builder, loc, type, nameOf(part), indices());
  }

  /// A linear layer with `out` features.
  Value linear(const Twine &part, Value x, int64_t out, bool hasBias) {
    int64_t in = cast<RankedTensorType>(x.getType()).getDimSize(1);
    Value matrix = weight(part + ".weight", {out, in});
    Value bias = hasBias ? weight(part + ".bias", {out}) : Value();
    return create<MatmulOp>(part, x, matrix, bias, /*transposeRhs=*/true);
  }

  /// A norm along the last dimension.
  Value norm(const Twine &part, Value x) {
    int64_t size = cast<RankedTensorType>(x.getType()).getShape().back();
    return create<RmsNormOp>(part, x, weight(part + ".weight", {size}),
                             llvm::APFloat(model.epsilon));
  }

  Value rope(const Twine &part, Value x) {
    return create<RopeOp>(part, x, firstPosition(), llvm::APFloat(model.theta));
  }

  /// [batch * seq, heads * head_dim] as [batch, seq, heads, head_dim].
  Value splitHeads(Value x, int64_t heads) {
    auto type = RankedTensorType::get(
        {program.getBatch(), program.getSeq(), heads, model.headDim},
        model.elementType);
    return tensor::ExpandShapeOp::create(builder, loc, type, x, headGroups());
  }
  Value joinHeads(Value x) {
    return tensor::CollapseShapeOp::create(builder, loc, x, headGroups());
  }
  static SmallVector<ReassociationIndices, 2> headGroups() {
    return {{0, 1}, {2, 3}};
  }

  /// The position of the first new token.
  int64_t firstPosition() { return program.getKvLen() - program.getSeq(); }

  OpBuilder &builder;
  Location loc;
  const ModelConfig &model;
  ProgramAttr program;
  Mask mask;
  Value layer;
};
} // namespace

/// The three projections stand side by side: they read one activation, and may
/// run at the same time or become one matmul.
Value LayerBuilder::attention(Value x) {
  bool bias = model.attentionBias;
  int64_t width = model.heads * model.headDim;
  int64_t kvWidth = model.kvHeads * model.headDim;
  Value q = linear("self_attn.q_proj", x, width, bias);
  Value k = linear("self_attn.k_proj", x, kvWidth, bias);
  Value v = linear("self_attn.v_proj", x, kvWidth, bias);
  q = splitHeads(q, model.heads);
  k = splitHeads(k, model.kvHeads);
  v = splitHeads(v, model.kvHeads);
  if (model.qkNorm) {
    q = norm("self_attn.q_norm", q);
    k = norm("self_attn.k_norm", k);
  }
  q = rope("self_attn.q_rope", q);
  k = rope("self_attn.k_rope", k);

  int64_t kvLen = program.getKvLen();
  auto cacheType = KvCacheType::get(
      builder.getContext(), program.getBatch(), model.kvHeads, model.headDim,
      /*capacity=*/kvLen, model.elementType, /*pageSize=*/0);
  Value cache = KvCacheOp::create(builder, loc, cacheType, nameOf("self_attn"),
                                  indices());
  cache = create<KvWriteOp>("self_attn.kv_write", cache, k, v, firstPosition());
  auto seen = KvReadOp::create(builder, loc, cache, /*begin=*/0, /*end=*/kvLen);

  double scale = 1 / std::sqrt(static_cast<double>(model.headDim));
  Value out = create<GqaAttnOp>("self_attn.attn", q, seen.getKeys(),
                                seen.getValues(), mask, llvm::APFloat(scale));
  return linear("self_attn.o_proj", joinHeads(out), model.hidden, bias);
}

Value LayerBuilder::feedForward(Value x) {
  Value gate = linear("mlp.gate_proj", x, model.intermediate, model.mlpBias);
  Value up = linear("mlp.up_proj", x, model.intermediate, model.mlpBias);
  Value gated = create<SwiGluOp>("mlp.swiglu", gate, up);
  return linear("mlp.down_proj", gated, model.hidden, model.mlpBias);
}

/// All layers as one body in a loop.
static Value buildLoop(OpBuilder &builder, const ModelConfig &model,
                       ProgramAttr program, Mask mask, Value hidden) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = model.location;
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value first = index(0), end = index(program.getLayers()), step = index(1);
  auto loop = scf::ForOp::create(builder, loc, first, end, step, hidden);
  builder.setInsertionPointToStart(loop.getBody());
  LayerBuilder layer(builder, model, program, mask, loop.getInductionVar());
  Value next = layer.build(loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

static Value buildLayers(OpBuilder &builder, const ModelConfig &model,
                         ProgramAttr program, Mask mask, Value hidden) {
  if (program.getLayers() > 1)
    return buildLoop(builder, model, program, mask, hidden);
  return LayerBuilder(builder, model, program, mask, /*layer=*/Value())
      .build(hidden);
}

OwningOpRef<ModuleOp> buildDecoder(const ModelConfig &model,
                                   ProgramAttr program, Mask mask) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(model.location);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto type = RankedTensorType::get(
      {program.getBatch() * program.getSeq(), model.hidden}, model.elementType);
  std::string name =
      model.family + "_" + stringifyPhase(program.getPhase()).str();
  auto function = func::FuncOp::create(builder, model.location, name,
                                       builder.getFunctionType(type, type));
  function->setAttr(LlmDialect::programAttrName, program);
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  Value result =
      buildLayers(builder, model, program, mask, entry->getArgument(0));
  func::ReturnOp::create(builder, model.location, result);
  return module;
}

} // namespace mlir::llm
