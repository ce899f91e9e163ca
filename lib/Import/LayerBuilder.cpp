//===- LayerBuilder.cpp - The ops of one decoder layer --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

namespace mlir::llm {

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value OpsBuilder::weight(const Twine &name, ValueRange indices,
                         ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, model.elementType);
  return WeightOp::create(builder, loc, type, builder.getStringAttr(name),
                          indices);
}

Value OpsBuilder::linear(const Twine &name, const Twine &weightName,
                         ValueRange indices, Value x, int64_t out,
                         bool hasBias) {
  Value matrix = weight(weightName + ".weight", indices,
                        {out, tensorType(x).getDimSize(1)});
  Value bias = hasBias ? weight(weightName + ".bias", indices, {out}) : Value();
  return create<MatmulOp>(name, x, matrix, bias, /*transposeRhs=*/true);
}

Value OpsBuilder::norm(const Twine &name, const Twine &weightName,
                       ValueRange indices, Value x) {
  Value scale = weight(weightName + ".weight", indices,
                       {tensorType(x).getShape().back()});
  return create<RmsNormOp>(name, x, scale, llvm::APFloat(model.epsilon));
}

//===----------------------------------------------------------------------===//
// A layer
//===----------------------------------------------------------------------===//

namespace {
class LayerBuilder {
public:
  LayerBuilder(OpsBuilder &ops, const LayerConfig &layer,
               const ImportOptions &options, const LayerIndex &index)
      : ops(ops), layer(layer), options(options), index(index) {}

  Value build(Value hidden) {
    bool hasOutputNorms = layer.hasOutputNorms;
    Value attended = attention(norm("input_layernorm", hidden));
    if (hasOutputNorms)
      attended = norm("post_attention_layernorm", attended);
    hidden = create<AddOp>("attn_residual", hidden, attended);
    Value fed = feedForward(norm(hasOutputNorms ? "pre_feedforward_layernorm"
                                                : "post_attention_layernorm",
                                 hidden));
    if (hasOutputNorms)
      fed = norm("post_feedforward_layernorm", fed);
    return create<AddOp>("mlp_residual", hidden, fed);
  }

private:
  Value attention(Value x);
  /// Queries, keys and values, [batch, seq, heads, head_dim] each.
  SmallVector<Value, 3> project(Value x);
  Value attend(Value q, Value k, Value v);
  Value feedForward(Value x);
  Value experts(Value x);
  /// A matmul with the weight of the expert of each row.
  Value expertLinear(const Twine &part, Value rows, int64_t out,
                     ArrayRef<int64_t> rowsPerExpert);

  /// A part of the layer, in the checkpoint's words.
  std::string nameOf(const Twine &part) const {
    return ("model.layers." + Twine(index.place) + "." + part).str();
  }
  /// The weights of all layers of a loop have one name.
  std::string weightName(const Twine &part) const {
    return index.index ? ("model.layers.{}." + part).str() : nameOf(part);
  }
  ValueRange indices() const {
    return index.index ? ValueRange(index.index) : ValueRange();
  }

  template <typename Op, typename... Args>
  Op create(const Twine &part, Args &&...args) {
    return ops.create<Op>(nameOf(part), std::forward<Args>(args)...);
  }
  Value linear(const Twine &part, Value x, int64_t out, bool hasBias) {
    return ops.linear(nameOf(part), weightName(part), indices(), x, out,
                      hasBias);
  }
  Value norm(const Twine &part, Value x) {
    return ops.norm(nameOf(part), weightName(part), indices(), x);
  }
  Value rope(const Twine &part, Value x) {
    return create<RopeOp>(part, x, firstPosition(),
                          llvm::APFloat(layer.attention.theta));
  }

  /// Columns [begin, begin + size) of a matrix.
  Value columns(Value x, int64_t begin, int64_t size);
  /// [batch * seq, heads * head_dim] as [batch, seq, heads, head_dim].
  Value splitHeads(Value x, int64_t heads);
  Value joinHeads(Value x) {
    return tensor::CollapseShapeOp::create(ops.builder, ops.loc, x,
                                           headGroups());
  }
  static SmallVector<ReassociationIndices, 2> headGroups() {
    return {{0, 1}, {2, 3}};
  }

  /// The position of the first new token.
  int64_t firstPosition() const {
    return ops.program.getKvLen() - ops.program.getSeq();
  }

  OpsBuilder &ops;
  const LayerConfig &layer;
  const ImportOptions &options;
  const LayerIndex &index;
};
} // namespace

Value LayerBuilder::columns(Value x, int64_t begin, int64_t size) {
  Builder &b = ops.builder;
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0),
                                       b.getIndexAttr(begin)};
  SmallVector<OpFoldResult> sizes = {
      b.getIndexAttr(tensorType(x).getDimSize(0)), b.getIndexAttr(size)};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(ops.builder, ops.loc, x, offsets, sizes,
                                        strides);
}

Value LayerBuilder::splitHeads(Value x, int64_t heads) {
  RankedTensorType type = tensorType(x);
  auto split =
      RankedTensorType::get({ops.program.getBatch(), ops.program.getSeq(),
                             heads, type.getDimSize(1) / heads},
                            type.getElementType());
  return tensor::ExpandShapeOp::create(ops.builder, ops.loc, split, x,
                                       headGroups());
}

/// Three projections stand side by side: they read one activation, and may run
/// at the same time or become one matmul, as which some checkpoints store them.
SmallVector<Value, 3> LayerBuilder::project(Value x) {
  const AttentionConfig &a = layer.attention;
  int64_t width = a.heads * a.headDim, kvWidth = a.kvHeads * a.headDim;
  SmallVector<Value, 3> projected;
  if (a.isFused) {
    Value qkv = linear("self_attn.qkv_proj", x, width + 2 * kvWidth, a.qkvBias);
    projected = {columns(qkv, 0, width), columns(qkv, width, kvWidth),
                 columns(qkv, width + kvWidth, kvWidth)};
  } else {
    projected = {linear("self_attn.q_proj", x, width, a.qkvBias),
                 linear("self_attn.k_proj", x, kvWidth, a.qkvBias),
                 linear("self_attn.v_proj", x, kvWidth, a.qkvBias)};
  }
  return {splitHeads(projected[0], a.heads),
          splitHeads(projected[1], a.kvHeads),
          splitHeads(projected[2], a.kvHeads)};
}

Value LayerBuilder::attention(Value x) {
  const AttentionConfig &a = layer.attention;
  SmallVector<Value, 3> projected = project(x);
  Value q = projected[0], k = projected[1], v = projected[2];
  if (a.qkNorm) {
    q = norm("self_attn.q_norm", q);
    k = norm("self_attn.k_norm", k);
  }
  q = rope("self_attn.q_rope", q);
  k = rope("self_attn.k_rope", k);
  Value out = attend(q, k, v);
  return linear("self_attn.o_proj", joinHeads(out), ops.model.hidden,
                a.outBias);
}

/// Writes the new keys and values, and reads the rows that a new query sees.
Value LayerBuilder::attend(Value q, Value k, Value v) {
  const AttentionConfig &a = layer.attention;
  int64_t batch = ops.program.getBatch(), kvLen = ops.program.getKvLen();
  auto cacheType = KvCacheType::get(
      ops.builder.getContext(), batch, a.kvHeads, a.headDim,
      /*capacity=*/kvLen, ops.model.elementType, /*pageSize=*/0);
  Value cache = KvCacheOp::create(
      ops.builder, ops.loc, cacheType,
      ops.builder.getStringAttr(weightName("self_attn")), indices());
  cache = create<KvWriteOp>("self_attn.kv_write", cache, k, v, firstPosition());

  // The first new query sees `window` keys, itself among them.
  int64_t begin = a.window && a.window <= firstPosition()
                      ? firstPosition() - a.window + 1
                      : 0;
  auto seen = KvReadOp::create(ops.builder, ops.loc, cache, begin, kvLen);
  bool isCut = a.window && kvLen - begin > a.window;
  auto maskAttr = MaskAttr::get(ops.builder.getContext(), options.mask,
                                isCut ? a.window : 0, /*chunk=*/0,
                                /*firstKey=*/0);
  double scale =
      a.scale ? a.scale : 1 / std::sqrt(static_cast<double>(a.headDim));
  FloatAttr softCap =
      a.softCap ? ops.builder.getF64FloatAttr(a.softCap) : FloatAttr();
  return create<GqaAttnOp>("self_attn.attn", q, seen.getKeys(),
                           seen.getValues(), /*sinks=*/Value(), maskAttr,
                           llvm::APFloat(scale), softCap);
}

Value LayerBuilder::expertLinear(const Twine &part, Value rows, int64_t out,
                                 ArrayRef<int64_t> rowsPerExpert) {
  const ExpertsConfig &e = layer.feedForward.experts;
  Value weights = ops.weight(weightName(part + ".weight"), indices(),
                             {e.count, out, tensorType(rows).getDimSize(1)});
  return create<GroupedMatmulOp>(part, rows, weights, /*bias=*/Value(),
                                 /*transposeRhs=*/true, rowsPerExpert, e.topK);
}

/// Each token goes to its experts and comes back as their weighted sum.
Value LayerBuilder::experts(Value x) {
  const FeedForwardConfig &f = layer.feedForward;
  const ExpertsConfig &e = f.experts;
  auto part = [&](const Twine &name) { return (e.path + "." + name).str(); };
  Value logits = linear(part("gate"), x, e.count, /*hasBias=*/false);
  Value bias =
      e.hasSelectionBias
          ? ops.weight(weightName(part("gate.e_score_correction_bias")),
                       indices(), {e.count})
          : Value();
  auto optional = [&](int64_t value) {
    return e.groups > 1 ? ops.builder.getI64IntegerAttr(value) : IntegerAttr();
  };
  FloatAttr scale =
      e.scale != 1 ? ops.builder.getF64FloatAttr(e.scale) : FloatAttr();
  auto route = create<MoeRouteOp>(part("route"), e.scoring, logits, bias,
                                  e.topK, optional(e.groups),
                                  optional(e.topGroups), e.normalizes, scale);
  int64_t tokens = ops.program.getBatch() * ops.program.getSeq();
  std::vector<int64_t> counts =
      countExpertRows(options.routing, e.count, e.topK, tokens);
  Value rows = create<MoeDispatchOp>(part("dispatch"), x, route.getExperts());
  Value gate =
      expertLinear(part("experts.gate_proj"), rows, f.intermediate, counts);
  Value up =
      expertLinear(part("experts.up_proj"), rows, f.intermediate, counts);
  Value gated = create<SwiGluOp>(part("experts.swiglu"), gate, up);
  Value down =
      expertLinear(part("experts.down_proj"), gated, ops.model.hidden, counts);
  return create<MoeCombineOp>(part("combine"), down, route.getExperts(),
                              route.getShares());
}

Value LayerBuilder::feedForward(Value x) {
  const FeedForwardConfig &f = layer.feedForward;
  if (f.experts.count)
    return experts(x);
  Value gate, up;
  if (f.isFused) {
    Value both = linear("mlp.gate_up_proj", x, 2 * f.intermediate, f.hasBias);
    gate = columns(both, 0, f.intermediate);
    up = columns(both, f.intermediate, f.intermediate);
  } else {
    gate = linear("mlp.gate_proj", x, f.intermediate, f.hasBias);
    up = linear("mlp.up_proj", x, f.intermediate, f.hasBias);
  }
  Value gated = f.isGeGlu ? Value(create<GeGluOp>("mlp.geglu", gate, up))
                          : Value(create<SwiGluOp>("mlp.swiglu", gate, up));
  return linear("mlp.down_proj", gated, ops.model.hidden, f.hasBias);
}

Value buildLayer(OpsBuilder &ops, const LayerConfig &layer,
                 const ImportOptions &options, const LayerIndex &index,
                 Value hidden) {
  return LayerBuilder(ops, layer, options, index).build(hidden);
}

} // namespace mlir::llm
