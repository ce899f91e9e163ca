//===- AttentionBuilder.cpp - The attention of a decoder layer ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Projections run once for the tokens of all sequences. What depends on
// positions or on the cache is built for each group of sequences that are
// alike, whose rows are slices of those of all.
//
//===----------------------------------------------------------------------===//

#include "LayerOps.h"

#include <cmath>

namespace mlir::llm {

namespace {
/// Sequences that are alike, and their place among the tokens.
struct Group {
  SequencesAttr sequences;
  int64_t firstRow = 0;
  std::string suffix; ///< of names; empty for the only group

  int64_t batch() const { return sequences.getBatch(); }
  int64_t seq() const { return sequences.getSeq(); }
  int64_t rows() const { return batch() * seq(); }
  /// The position of the first new token of each sequence, or of all.
  SmallVector<int64_t> firstPositions() const {
    SmallVector<int64_t> positions;
    for (int64_t kvLen : sequences.getKvLens())
      positions.push_back(kvLen - seq());
    return positions;
  }
};

/// What is common to all kinds of attention.
class AttentionBuilder {
public:
  explicit AttentionBuilder(LayerOps &ops)
      : ops(ops), config(ops.layer.attention) {}
  virtual ~AttentionBuilder() = default;

  Value build(Value x);

protected:
  /// Reads the hidden states of all tokens.
  virtual void project(Value x) = 0;
  /// The output of a group, [rows, heads * value_dim].
  virtual Value attend(const Group &group) = 0;

  /// The rows of a group, as [batch, seq, heads, features of a head].
  Value rowsOf(const Group &group, Value x, int64_t heads);
  Value joinHeads(Value x) { return ops.ops.collapse(x, {{0, 1}, {2, 3}}); }
  Value rope(const Group &group, StringRef part, Value x);
  std::string partOf(const Group &group, StringRef part) const {
    return ("self_attn." + part + group.suffix).str();
  }
  /// Writes the new rows of the cache, and reads those that a new query sees.
  KvReadOp updateCache(const Group &group, KvCacheType type, Value keys,
                       Value values);
  KvCacheType cacheType(const Group &group, int64_t kvHeads, int64_t headDim,
                        bool isLatent) const;
  /// Of the queries and keys that `updateCache` reads.
  MaskAttr maskOf(const Group &group) const;

  LayerOps &ops;
  const AttentionConfig &config;

private:
  SmallVector<Group> groups() const;
  int64_t firstSeen(int64_t kvLen, int64_t seq) const;
};

/// Multi-head, multi-query and grouped-query attention.
class GroupedQueryBuilder : public AttentionBuilder {
public:
  using AttentionBuilder::AttentionBuilder;

private:
  void project(Value x) override;
  Value attend(const Group &group) override;
  Value prepare(const Group &group, StringRef name, Value projected,
                int64_t heads);

  Value queries, keys, values;
};

/// Multi-head latent attention.
class LatentBuilder : public AttentionBuilder {
public:
  using AttentionBuilder::AttentionBuilder;

private:
  void project(Value x) override;
  Value attend(const Group &group) override;
  Value attendAbsorbed(const Group &group, Value nope, Value rotated,
                       Value latents);
  Value attendExpanded(const Group &group, Value nope, Value rotated,
                       Value latents);
  bool isAbsorbed(const Group &group) const;
  /// The weight of kv_b_proj as [heads, nope_dim + value_dim, rank], and of it
  /// the part that makes keys or values.
  Value upWeight(bool ofValues);
  llvm::APFloat scale() const;

  int64_t headDim() const {
    return config.latent.nopeDim + config.latent.ropeDim;
  }

  Value queries, latents, rotatedKeys;
};
} // namespace

//===----------------------------------------------------------------------===//
// Common to all kinds
//===----------------------------------------------------------------------===//

SmallVector<Group> AttentionBuilder::groups() const {
  ProgramAttr program = ops.ops.program;
  bool isMixed = program.getPhase() == Phase::Mixed;
  SmallVector<Group> groups;
  int64_t firstRow = 0;
  for (auto [index, sequences] : llvm::enumerate(program.getGroups())) {
    Group group{sequences, firstRow, ""};
    if (isMixed)
      group.suffix = index == 0 ? ".decode" : ".chunk";
    else if (program.getGroups().size() > 1)
      group.suffix = ".sequences" + std::to_string(index);
    firstRow += group.rows();
    groups.push_back(std::move(group));
  }
  return groups;
}

Value AttentionBuilder::build(Value x) {
  project(x);
  SmallVector<Value> outputs;
  for (const Group &group : groups())
    outputs.push_back(attend(group));
  return ops.linear("self_attn.o_proj", ops.ops.concat(0, outputs),
                    ops.ops.model.hidden, config.outBias);
}

Value AttentionBuilder::rowsOf(const Group &group, Value x, int64_t heads) {
  int64_t features = tensorType(x).getDimSize(1) / heads;
  return ops.ops.expand(ops.ops.slice(x, 0, group.firstRow, group.rows()),
                        {group.batch(), group.seq(), heads, features},
                        {{0, 1}, {2, 3}});
}

Value AttentionBuilder::rope(const Group &group, StringRef part, Value x) {
  return ops.create<RopeOp>(partOf(group, part), x, group.firstPositions(),
                            llvm::APFloat(config.theta));
}

KvCacheType AttentionBuilder::cacheType(const Group &group, int64_t kvHeads,
                                        int64_t headDim, bool isLatent) const {
  const ModelConfig &model = ops.ops.model;
  Type type = model.formats.cache ? model.formats.cache : model.elementType;
  return KvCacheType::get(ops.ops.builder.getContext(), group.batch(), kvHeads,
                          headDim, /*capacity=*/group.sequences.getMaxKvLen(),
                          type, /*pageSize=*/0, isLatent);
}

/// The first key that the first new query of a sequence sees.
int64_t AttentionBuilder::firstSeen(int64_t kvLen, int64_t seq) const {
  int64_t firstQuery = kvLen - seq;
  if (config.window && config.window <= firstQuery)
    return firstQuery - config.window + 1;
  if (config.chunk)
    return firstQuery / config.chunk * config.chunk;
  return 0;
}

KvReadOp AttentionBuilder::updateCache(const Group &group, KvCacheType type,
                                       Value keys, Value values) {
  OpsBuilder &b = ops.ops;
  Value cache = KvCacheOp::create(
      b.builder, b.loc, type,
      b.builder.getStringAttr(ops.weightName("self_attn" + group.suffix)),
      ops.indices());
  cache = ops.create<KvWriteOp>(partOf(group, "kv_write"), cache, keys, values,
                                group.firstPositions());
  SmallVector<int64_t> begins, ends;
  for (int64_t kvLen : group.sequences.getKvLens()) {
    begins.push_back(firstSeen(kvLen, group.seq()));
    ends.push_back(kvLen);
  }
  return KvReadOp::create(b.builder, b.loc, cache, begins, ends);
}

/// Windows and chunks that reach over all keys that are read are none.
MaskAttr AttentionBuilder::maskOf(const Group &group) const {
  SmallVector<int64_t> lengths;
  for (int64_t kvLen : group.sequences.getKvLens())
    lengths.push_back(kvLen - firstSeen(kvLen, group.seq()));
  int64_t longest = *llvm::max_element(lengths);
  if (llvm::all_equal(lengths))
    lengths.clear();
  // Keys are read from the beginning of a chunk on, so that chunks are counted
  // from the first key, as from position 0.
  return MaskAttr::get(ops.ops.builder.getContext(), ops.options.mask,
                       config.window < longest ? config.window : 0,
                       config.chunk < longest ? config.chunk : 0,
                       /*firstKeys=*/ArrayRef<int64_t>(),
                       ArrayRef<int64_t>(lengths));
}

//===----------------------------------------------------------------------===//
// Grouped-query attention
//===----------------------------------------------------------------------===//

/// Three projections stand side by side: they read one activation, and may run
/// at the same time or become one matmul, as which some checkpoints store them.
void GroupedQueryBuilder::project(Value x) {
  int64_t width = config.heads * config.headDim,
          kvWidth = config.kvHeads * config.headDim;
  bool bias = config.qkvBias;
  if (config.isFused) {
    Value qkv = ops.linear("self_attn.qkv_proj", x, width + 2 * kvWidth, bias);
    queries = ops.ops.slice(qkv, 1, 0, width);
    keys = ops.ops.slice(qkv, 1, width, kvWidth);
    values = ops.ops.slice(qkv, 1, width + kvWidth, kvWidth);
    return;
  }
  queries = ops.linear("self_attn.q_proj", x, width, bias);
  keys = ops.linear("self_attn.k_proj", x, kvWidth, bias);
  values = ops.linear("self_attn.v_proj", x, kvWidth, bias);
}

/// Queries or keys ("q", "k") with their norms and their positions.
Value GroupedQueryBuilder::prepare(const Group &group, StringRef name,
                                   Value projected, int64_t heads) {
  Value x = rowsOf(group, projected, heads);
  std::string norm = partOf(group, (name + "_norm").str());
  if (config.qkNorm)
    x = ops.ops.norm(
        ops.nameOf(norm), x,
        ops.weight("self_attn." + name + "_norm.weight", {config.headDim}));
  if (config.theta)
    x = rope(group, (name + "_rope").str(), x);
  if (config.plainQkNorm)
    x = ops.ops.norm(ops.nameOf(norm), x, /*weight=*/Value());
  return x;
}

Value GroupedQueryBuilder::attend(const Group &group) {
  Value q = prepare(group, "q", queries, config.heads);
  Value k = prepare(group, "k", keys, config.kvHeads);
  if (config.temperatureStep)
    q = ops.create<PositionScaleOp>(
        partOf(group, "q_temperature"), q, group.firstPositions(),
        config.temperatureStep, llvm::APFloat(config.temperatureSlope));
  KvReadOp seen = updateCache(
      group, cacheType(group, config.kvHeads, config.headDim, false), k,
      rowsOf(group, values, config.kvHeads));
  Value sinks =
      config.hasSinks ? ops.weight("self_attn.sinks", {config.heads}) : Value();
  double scale = config.scale
                     ? config.scale
                     : 1 / std::sqrt(static_cast<double>(config.headDim));
  FloatAttr softCap = config.softCap
                          ? ops.ops.builder.getF64FloatAttr(config.softCap)
                          : FloatAttr();
  return joinHeads(ops.create<GqaAttnOp>(
      partOf(group, "attn"), q, seen.getKeys(), seen.getValues(), sinks,
      maskOf(group), llvm::APFloat(scale), softCap));
}

//===----------------------------------------------------------------------===//
// Latent attention
//===----------------------------------------------------------------------===//

void LatentBuilder::project(Value x) {
  const LatentConfig &latent = config.latent;
  int64_t width = config.heads * headDim();
  if (latent.queryRank) {
    Value q =
        ops.linear("self_attn.q_a_proj", x, latent.queryRank, config.qkvBias);
    q = ops.norm("self_attn.q_a_layernorm", q);
    queries = ops.linear("self_attn.q_b_proj", q, width, /*hasBias=*/false);
  } else {
    queries = ops.linear("self_attn.q_proj", x, width, /*hasBias=*/false);
  }
  Value compressed = ops.linear("self_attn.kv_a_proj_with_mqa", x,
                                latent.rank + latent.ropeDim, config.qkvBias);
  latents = ops.norm("self_attn.kv_a_layernorm",
                     ops.ops.slice(compressed, 1, 0, latent.rank));
  rotatedKeys = ops.ops.slice(compressed, 1, latent.rank, latent.ropeDim);
}

/// A few queries are cheaper among latents; many are worth it to expand all
/// keys and values once.
bool LatentBuilder::isAbsorbed(const Group &group) const {
  if (ops.options.latentAttention != LatentAttention::Auto)
    return ops.options.latentAttention == LatentAttention::Absorbed;
  switch (ops.ops.program.getPhase()) {
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

llvm::APFloat LatentBuilder::scale() const {
  return llvm::APFloat(config.scale
                           ? config.scale
                           : 1 / std::sqrt(static_cast<double>(headDim())));
}

Value LatentBuilder::attend(const Group &group) {
  const LatentConfig &latent = config.latent;
  Value q = rowsOf(group, queries, config.heads);
  Value nope = ops.ops.slice(q, 3, 0, latent.nopeDim);
  Value rotated = rope(group, "q_rope",
                       ops.ops.slice(q, 3, latent.nopeDim, latent.ropeDim));
  Value key = rope(group, "k_rope", rowsOf(group, rotatedKeys, 1));
  KvCacheType type =
      cacheType(group, 1, latent.rank + latent.ropeDim, /*isLatent=*/true);
  Value z = updateCache(group, type,
                        ops.ops.concat(3, {rowsOf(group, latents, 1), key}),
                        /*values=*/Value())
                .getKeys();
  return isAbsorbed(group) ? attendAbsorbed(group, nope, rotated, z)
                           : attendExpanded(group, nope, rotated, z);
}

Value LatentBuilder::upWeight(bool ofValues) {
  const LatentConfig &latent = config.latent;
  int64_t ofHead = latent.nopeDim + latent.valueDim;
  Value whole = ops.linearWeight("self_attn.kv_b_proj.weight",
                                 {config.heads * ofHead, latent.rank});
  Value byHead =
      ops.ops.expand(whole, {config.heads, ofHead, latent.rank}, {{0, 1}, {2}});
  return ofValues ? ops.ops.slice(byHead, 1, latent.nopeDim, latent.valueDim)
                  : ops.ops.slice(byHead, 1, 0, latent.nopeDim);
}

/// Queries go into the space of the latents, and outputs come back from it: the
/// cache is all that is read of keys and values.
Value LatentBuilder::attendAbsorbed(const Group &group, Value nope,
                                    Value rotated, Value z) {
  const LatentConfig &latent = config.latent;
  OpsBuilder &b = ops.ops;
  Value q = ops.create<BatchMatmulOp>(
      partOf(group, "q_absorb"), b.collapse(nope, {{0, 1}, {2}, {3}}),
      upWeight(/*ofValues=*/false), /*transposeRhs=*/false, TypeAttr());
  q = b.expand(q, {group.batch(), group.seq(), config.heads, latent.rank},
               {{0, 1}, {2}, {3}});
  Value out =
      ops.create<MlaAttnOp>(partOf(group, "attn"), b.concat(3, {q, rotated}), z,
                            latent.rank, maskOf(group), scale());
  Value values = ops.create<BatchMatmulOp>(
      partOf(group, "v_absorb"), b.collapse(out, {{0, 1}, {2}, {3}}),
      upWeight(/*ofValues=*/true), /*transposeRhs=*/true, TypeAttr());
  return b.collapse(values, {{0}, {1, 2}});
}

/// Keys and values of all heads are made of the latents of all keys.
Value LatentBuilder::attendExpanded(const Group &group, Value nope,
                                    Value rotated, Value z) {
  const LatentConfig &latent = config.latent;
  OpsBuilder &b = ops.ops;
  int64_t ofHead = latent.nopeDim + latent.valueDim;
  int64_t batch = group.batch(), keys = tensorType(z).getDimSize(1);
  Value compressed =
      b.collapse(b.collapse(b.slice(z, 3, 0, latent.rank), {{0, 1}, {2}, {3}}),
                 {{0}, {1, 2}});
  Value matrix = ops.linearWeight("self_attn.kv_b_proj.weight",
                                  {config.heads * ofHead, latent.rank});
  Value expanded =
      b.matmul(ops.nameOf(partOf(group, "kv_b_proj")),
               ops.quantize("self_attn.kv_b_proj.weight", compressed), matrix,
               /*bias=*/Value());
  expanded =
      b.expand(expanded, {batch, keys, config.heads, ofHead}, {{0, 1}, {2, 3}});
  Value rotatedKey = b.slice(z, 3, latent.rank, latent.ropeDim);
  Value repeated =
      ops.create<RepeatKvOp>(partOf(group, "k_rope_repeat"), rotatedKey,
                             config.heads, b.outTypeFor(rotatedKey));
  Value key = b.concat(3, {b.slice(expanded, 3, 0, latent.nopeDim), repeated});
  Value value = b.slice(expanded, 3, latent.nopeDim, latent.valueDim);
  return joinHeads(ops.create<GqaAttnOp>(
      partOf(group, "attn"), b.concat(3, {nope, rotated}), key, value,
      /*sinks=*/Value(), maskOf(group), scale(), /*softCap=*/FloatAttr()));
}

Value buildAttention(LayerOps &ops, Value x) {
  if (ops.layer.attention.latent.rank)
    return LatentBuilder(ops).build(x);
  return GroupedQueryBuilder(ops).build(x);
}

} // namespace mlir::llm
