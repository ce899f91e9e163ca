//===- LatentBuilder.cpp - Attention among latent vectors -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexerBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::llm {

namespace {
/// Multi-head latent attention.
class LatentBuilder : public AttentionBuilder {
public:
  explicit LatentBuilder(LayerOps &layer)
      : AttentionBuilder(layer), indexer(*this, layer) {}

private:
  void project(Value x) override;
  Value attend(const SequenceGroup &group) override;
  Value attendAbsorbed(const SequenceGroup &group, Value nope, Value rotated,
                       Value latents, Value selected);
  Value attendExpanded(const SequenceGroup &group, Value nope, Value rotated,
                       Value latents, Value selected);
  bool isAbsorbed(const SequenceGroup &group, bool isSelective) const;
  /// Returns the part of kv_b_proj, [heads, nope_dim + value_dim, rank], that
  /// makes keys or values.
  Value upWeight(bool ofValues);

  IndexerBuilder indexer;
  Value queries, latents, rotatedKeys;
};
} // namespace

/// The epsilon of the norms of latents, which is that of transformers. Only
/// GLM-5 has another one for its other norms.
static constexpr double latentEpsilon = 1e-6;

void LatentBuilder::project(Value x) {
  const LatentConfig &latent = config.latent;
  int64_t width = config.heads * config.headDim;
  Value queryLatents;
  if (latent.queryRank) {
    Value q =
        layer.linear("self_attn.q_a_proj", x, latent.queryRank, config.qkvBias);
    queryLatents = layer.norm("self_attn.q_a_layernorm", q, latentEpsilon);
    queries = layer.linear("self_attn.q_b_proj", queryLatents, width,
                           /*hasBias=*/false);
  } else {
    queries = layer.linear("self_attn.q_proj", x, width, /*hasBias=*/false);
  }
  Value compressed = layer.linear("self_attn.kv_a_proj_with_mqa", x,
                                  latent.rank + latent.ropeDim, config.qkvBias);
  latents =
      layer.norm("self_attn.kv_a_layernorm",
                 layer.ops.slice(compressed, 1, 0, latent.rank), latentEpsilon);
  rotatedKeys = layer.ops.slice(compressed, 1, latent.rank, latent.ropeDim);
  indexer.project(x, queryLatents);
  if (config.hasOutputGate)
    gates = layer.linear("self_attn.g_proj", x, config.heads * latent.valueDim,
                         /*hasBias=*/false);
}

/// Whether queries go among the latents. That is cheaper for few queries. With
/// many, it pays to expand all keys and values once, unless each query selects
/// some of its own.
bool LatentBuilder::isAbsorbed(const SequenceGroup &group,
                               bool isSelective) const {
  if (layer.options.latentAttention != LatentAttention::Auto)
    return layer.options.latentAttention == LatentAttention::Absorbed;
  if (isSelective)
    return true;
  switch (layer.ops.program.getPhase()) {
  case Phase::Decode:
  case Phase::Verify:
    return true;
  case Phase::Prefill:
    return false;
  case Phase::Mixed:
    return group.firstRow == 0;
  }
  return true;
}

Value LatentBuilder::attend(const SequenceGroup &group) {
  const LatentConfig &latent = config.latent;
  Value q = rowsOf(group, queries, config.heads);
  Value nope = layer.ops.slice(q, 3, 0, latent.nopeDim);
  Value rotated = rope(group, "q_rope",
                       layer.ops.slice(q, 3, latent.nopeDim, latent.ropeDim));
  Value key = rope(group, "k_rope", rowsOf(group, rotatedKeys, 1));
  KvCacheType type =
      cacheType(group, 1, latent.rank + latent.ropeDim, /*isLatent=*/true);
  Value z = updateCache(group, "self_attn", type,
                        layer.ops.concat(3, {rowsOf(group, latents, 1), key}),
                        /*values=*/Value())
                .getKeys();
  Value selected = indexer.select(group);
  return isAbsorbed(group, bool(selected))
             ? attendAbsorbed(group, nope, rotated, z, selected)
             : attendExpanded(group, nope, rotated, z, selected);
}

Value LatentBuilder::upWeight(bool ofValues) {
  const LatentConfig &latent = config.latent;
  int64_t ofHead = latent.nopeDim + latent.valueDim;
  Value whole = layer.linearWeight("self_attn.kv_b_proj.weight",
                                   {config.heads * ofHead, latent.rank});
  Value byHead = layer.ops.expand(whole,
                                  {layer.ops.number(config.heads),
                                   layer.ops.number(ofHead),
                                   layer.ops.number(latent.rank)},
                                  {{0, 1}, {2}});
  return ofValues ? layer.ops.slice(byHead, 1, latent.nopeDim, latent.valueDim)
                  : layer.ops.slice(byHead, 1, 0, latent.nopeDim);
}

/// Attends among the latents. Queries go into their space, and outputs come
/// back from it, so only the cache is read.
Value LatentBuilder::attendAbsorbed(const SequenceGroup &group, Value nope,
                                    Value rotated, Value z, Value selected) {
  const LatentConfig &latent = config.latent;
  OpsBuilder &b = layer.ops;
  Value q = layer.create<BatchMatmulOp>(
      partOf(group, "q_absorb"), b.collapse(nope, {{0, 1}, {2}, {3}}),
      upWeight(/*ofValues=*/false), /*transposeRhs=*/false, TypeAttr());
  q = b.expand(
      q,
      {group.batch, group.seq, b.number(config.heads), b.number(latent.rank)},
      {{0, 1}, {2}, {3}});
  Value out =
      layer.create<MlaAttnOp>(partOf(group, "attn"), b.concat(3, {q, rotated}),
                              z, latent.rank, selected, maskOf(group), scale(),
                              /*block=*/IntegerAttr())
          .getOut();
  Value values = layer.create<BatchMatmulOp>(
      partOf(group, "v_absorb"), b.collapse(out, {{0, 1}, {2}, {3}}),
      upWeight(/*ofValues=*/true), /*transposeRhs=*/true, TypeAttr());
  return b.collapse(values, {{0}, {1, 2}});
}

/// Attends with keys and values of all heads, which are made of the latents of
/// all keys.
Value LatentBuilder::attendExpanded(const SequenceGroup &group, Value nope,
                                    Value rotated, Value z, Value selected) {
  const LatentConfig &latent = config.latent;
  OpsBuilder &b = layer.ops;
  int64_t ofHead = latent.nopeDim + latent.valueDim;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b.builder, b.loc, z);
  Value compressed =
      b.collapse(b.collapse(b.slice(z, 3, 0, latent.rank), {{0, 1}, {2}, {3}}),
                 {{0}, {1, 2}});
  Value matrix = layer.linearWeight("self_attn.kv_b_proj.weight",
                                    {config.heads * ofHead, latent.rank});
  Value expanded =
      b.matmul(layer.nameOf(partOf(group, "kv_b_proj")),
               layer.quantize("self_attn.kv_b_proj.weight", compressed), matrix,
               /*bias=*/Value());
  expanded = b.expand(
      expanded, {sizes[0], sizes[1], b.number(config.heads), b.number(ofHead)},
      {{0, 1}, {2, 3}});
  Value rotatedKey = b.slice(z, 3, latent.rank, latent.ropeDim);
  Value repeated =
      layer.create<RepeatKvOp>(partOf(group, "k_rope_repeat"), rotatedKey,
                               config.heads, b.outTypeFor(rotatedKey));
  Value key = b.concat(3, {b.slice(expanded, 3, 0, latent.nopeDim), repeated});
  Value value = b.slice(expanded, 3, latent.nopeDim, latent.valueDim);
  auto attention = layer.create<GqaAttnOp>(
      partOf(group, "attn"), b.concat(3, {nope, rotated}), key, value,
      /*sinks=*/Value(), selected, maskOf(group), scale(),
      /*softCap=*/FloatAttr(), /*block=*/IntegerAttr());
  return joinHeads(attention.getOut());
}

Value buildLatentAttention(LayerOps &layer, Value x) {
  return LatentBuilder(layer).build(x);
}

} // namespace mlir::llm
