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
#include "llm/Support/Units.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

namespace mlir::llm {

namespace {
/// Sequences that are alike, and their place among the tokens.
struct Group {
  SequencesAttr sequences;
  int64_t firstRow = 0;
  std::string suffix; ///< of names; empty for the only group
  OpFoldResult batch, seq;
  /// Of all sequences, or of each: keys, and the position of the first new
  /// token.
  SmallVector<OpFoldResult, 1> kvLens, firstPositions;

  bool isOnly() const { return suffix.empty(); }
};

/// Positions as attribute and operands of an op.
struct Positions {
  explicit Positions(ArrayRef<OpFoldResult> positions) {
    std::tie(numbers, values) = decomposeMixedValues(positions);
  }
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
};

/// What is common to all kinds of attention.
class AttentionBuilder {
public:
  explicit AttentionBuilder(LayerOps &layer)
      : layer(layer), config(layer.config.attention) {}
  virtual ~AttentionBuilder() = default;

  Value build(Value x);

protected:
  /// Reads the hidden states of all tokens.
  virtual void project(Value x) = 0;
  /// The output of a group, [rows, heads * value_dim].
  virtual Value attend(const Group &group) = 0;

  /// The rows of a group, as [batch, seq, heads, features of a head].
  Value rowsOf(const Group &group, Value x, int64_t heads);
  Value joinHeads(Value x) { return layer.ops.collapse(x, {{0, 1}, {2, 3}}); }
  Value rope(const Group &group, StringRef part, Value x);
  std::string partOf(const Group &group, StringRef part) const {
    return ("self_attn." + part + group.suffix).str();
  }
  /// Writes the new rows of the cache, and reads those that a new query sees.
  KvReadOp updateCache(const Group &group, KvCacheType type, Value keys,
                       Value values);
  KvCacheType cacheType(const Group &group, int64_t kvHeads, int64_t headDim,
                        bool isLatent) const;
  /// Of the scores.
  llvm::APFloat scale() const {
    return llvm::APFloat(
        config.scale ? config.scale
                     : 1 / std::sqrt(static_cast<double>(config.headDim)));
  }
  /// Of the queries and keys that `updateCache` reads.
  MaskAttr maskOf(const Group &group);

  LayerOps &layer;
  const AttentionConfig &config;

private:
  SmallVector<Group> groups() const;
  /// The first key that the first new query of a sequence sees.
  OpFoldResult firstSeen(OpFoldResult firstPosition);
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
  std::pair<Value, Value> cacheKeysAndValues(const Group &group, Value k,
                                             Value v);

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

  Value queries, latents, rotatedKeys;
};
} // namespace

//===----------------------------------------------------------------------===//
// Common to all kinds
//===----------------------------------------------------------------------===//

SmallVector<Group> AttentionBuilder::groups() const {
  OpsBuilder &b = layer.ops;
  bool isMixed = b.program.getPhase() == Phase::Mixed;
  SmallVector<Group> groups;
  int64_t firstRow = 0;
  for (auto [index, sequences] : llvm::enumerate(b.program.getGroups())) {
    Group group{sequences,
                firstRow,
                "",
                b.size(sequences.getBatch(), "batch"),
                b.size(sequences.getSeq(), "seq"),
                {},
                {}};
    for (int64_t kvLen : sequences.getKvLens()) {
      group.kvLens.push_back(b.size(kvLen, "kv_len"));
      bool isOpen = kvLen == openSize || sequences.getSeq() == openSize;
      group.firstPositions.push_back(
          b.size(isOpen ? openSize : kvLen - sequences.getSeq(),
                 OpsBuilder::firstPositionName));
    }
    if (isMixed)
      group.suffix = index == 0 ? ".decode" : ".chunk";
    else if (b.program.getGroups().size() > 1)
      group.suffix = ".sequences" + std::to_string(index);
    if (sequences.hasKnownTokens())
      firstRow += sequences.getBatch() * sequences.getSeq();
    groups.push_back(std::move(group));
  }
  return groups;
}

Value AttentionBuilder::build(Value x) {
  project(x);
  SmallVector<Value> outputs;
  for (const Group &group : groups())
    outputs.push_back(attend(group));
  return layer.linear("self_attn.o_proj", layer.ops.concat(0, outputs),
                      layer.ops.model.hidden, config.outBias);
}

Value AttentionBuilder::rowsOf(const Group &group, Value x, int64_t heads) {
  OpsBuilder &b = layer.ops;
  int64_t features = tensorType(x).getDimSize(1) / heads;
  Value rows =
      group.isOnly()
          ? x
          : b.slice(x, 0, group.firstRow,
                    group.sequences.getBatch() * group.sequences.getSeq());
  return b.expand(rows,
                  {group.batch, group.seq, b.number(heads), b.number(features)},
                  {{0, 1}, {2, 3}});
}

/// The longest of the contexts; none while one is open.
static std::optional<int64_t> findLongest(ArrayRef<OpFoldResult> kvLens) {
  int64_t longest = 0;
  for (OpFoldResult kvLen : kvLens) {
    std::optional<int64_t> keys = getConstantIntValue(kvLen);
    if (!keys)
      return std::nullopt;
    longest = std::max(longest, *keys);
  }
  return longest;
}

Value AttentionBuilder::rope(const Group &group, StringRef part, Value x) {
  Positions first(group.firstPositions);
  OpsBuilder &b = layer.ops;
  RopeConfig rope = config.rope;
  int64_t features = tensorType(x).getDimSize(3);
  if (rope.features && rope.features < features) {
    Value rotated = this->rope(group, part, b.slice(x, 3, 0, rope.features));
    return b.concat(
        3, {rotated, b.slice(x, 3, rope.features, features - rope.features)});
  }
  // An open context is a short one.
  if (std::optional<int64_t> positions = findLongest(group.kvLens))
    rope = rope.atLength(*positions, features);
  return layer.create<RopeOp>(
      partOf(group, part), x, first.values,
      b.builder.getDenseI64ArrayAttr(first.numbers),
      b.builder.getF64FloatAttr(rope.theta), rope.scaling,
      rope.isInterleaved ? b.builder.getUnitAttr() : UnitAttr());
}

KvCacheType AttentionBuilder::cacheType(const Group &group, int64_t kvHeads,
                                        int64_t headDim, bool isLatent) const {
  const ModelConfig &model = layer.ops.model;
  Type type = model.formats.cache ? model.formats.cache : model.elementType;
  ArrayRef<int64_t> kvLens = group.sequences.getKvLens();
  int64_t capacity =
      kvLens.front() == openSize ? openSize : group.sequences.getMaxKvLen();
  return KvCacheType::get(
      layer.ops.builder.getContext(), group.sequences.getBatch(), kvHeads,
      headDim, /*capacity=*/capacity, type, /*pageSize=*/0, isLatent);
}

OpFoldResult AttentionBuilder::firstSeen(OpFoldResult firstPosition) {
  OpsBuilder &b = layer.ops;
  if (config.window)
    return b.larger(b.number(0),
                    b.subtract(firstPosition, b.number(config.window - 1)));
  if (config.chunk)
    return b.roundDown(firstPosition, config.chunk);
  return b.number(0);
}

KvReadOp AttentionBuilder::updateCache(const Group &group, KvCacheType type,
                                       Value keys, Value values) {
  OpsBuilder &b = layer.ops;
  Positions first(group.firstPositions);
  SmallVector<Value> sizes =
      Positions({group.batch, group.kvLens.front()}).values;
  Value cache = KvCacheOp::create(
      b.builder, b.loc, type,
      b.builder.getStringAttr(layer.weightName("self_attn" + group.suffix)),
      layer.indices(), sizes);
  cache = layer.create<KvWriteOp>(partOf(group, "kv_write"), cache, keys,
                                  values, first.values, first.numbers);
  SmallVector<OpFoldResult> begins;
  for (OpFoldResult position : group.firstPositions)
    begins.push_back(firstSeen(position));
  Positions begin(begins), end(group.kvLens);
  return KvReadOp::create(b.builder, b.loc, cache, begin.values, end.values,
                          begin.numbers, end.numbers);
}

/// Windows and chunks that reach over all keys that are read are none.
MaskAttr AttentionBuilder::maskOf(const Group &group) {
  SmallVector<int64_t> lengths;
  int64_t longest = maxCount; // where it is open
  for (auto [kvLen, position] :
       llvm::zip_equal(group.kvLens, group.firstPositions)) {
    std::optional<int64_t> keys = getConstantIntValue(kvLen);
    if (keys && getConstantIntValue(position))
      lengths.push_back(*keys - *getConstantIntValue(firstSeen(position)));
  }
  if (!lengths.empty())
    longest = *llvm::max_element(lengths);
  if (llvm::all_equal(lengths))
    lengths.clear();
  // Keys are read from the beginning of a chunk on, so that chunks are counted
  // from the first key, as from position 0.
  return MaskAttr::get(layer.ops.builder.getContext(), layer.options.mask,
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
          kvWidth = config.kvHeads * config.headDim,
          valueWidth = config.kvHeads *
                       (config.valueDim ? config.valueDim : config.headDim);
  bool bias = config.qkvBias;
  if (config.isFused) {
    Value qkv =
        layer.linear("self_attn.qkv_proj", x, width + 2 * kvWidth, bias);
    queries = layer.ops.slice(qkv, 1, 0, width);
    keys = layer.ops.slice(qkv, 1, width, kvWidth);
    values = layer.ops.slice(qkv, 1, width + kvWidth, kvWidth);
    return;
  }
  queries = layer.linear("self_attn.q_proj", x, width, bias);
  keys = layer.linear("self_attn.k_proj", x, kvWidth, bias);
  values = layer.linear("self_attn.v_proj", x, valueWidth, bias);
  if (config.valueScale != 1)
    values = layer.create<ScaleOp>("self_attn.v_scale", values,
                                   llvm::APFloat(config.valueScale));
  if (config.qkNorm && config.normsAllHeads) {
    queries = layer.norm("self_attn.q_norm", queries);
    keys = layer.norm("self_attn.k_norm", keys);
  }
}

/// Queries or keys ("q", "k") with their norms and their positions.
Value GroupedQueryBuilder::prepare(const Group &group, StringRef name,
                                   Value projected, int64_t heads) {
  Value x = rowsOf(group, projected, heads);
  std::string norm = partOf(group, (name + "_norm").str());
  if (config.qkNorm && !config.normsAllHeads)
    x = layer.ops.norm(
        layer.nameOf(norm), x,
        layer.weight("self_attn." + name + "_norm.weight", {config.headDim}));
  if (config.rope.theta)
    x = rope(group, (name + "_rope").str(), x);
  if (config.plainQkNorm)
    x = layer.ops.norm(layer.nameOf(norm), x, /*weight=*/Value());
  return x;
}

/// Keys and values that a new query sees. Where their sizes differ, a key and
/// its value are one vector of the cache.
std::pair<Value, Value>
GroupedQueryBuilder::cacheKeysAndValues(const Group &group, Value k, Value v) {
  int64_t valueDim = tensorType(v).getDimSize(3);
  if (valueDim == config.headDim) {
    KvReadOp seen = updateCache(
        group, cacheType(group, config.kvHeads, config.headDim, false), k, v);
    return {seen.getKeys(), seen.getValues()};
  }
  OpsBuilder &b = layer.ops;
  KvCacheType type = cacheType(group, config.kvHeads, config.headDim + valueDim,
                               /*isLatent=*/true);
  Value seen = updateCache(group, type, b.concat(3, {k, v}), /*values=*/Value())
                   .getKeys();
  return {b.slice(seen, 3, 0, config.headDim),
          b.slice(seen, 3, config.headDim, valueDim)};
}

Value GroupedQueryBuilder::attend(const Group &group) {
  Value q = prepare(group, "q", queries, config.heads);
  Value k = prepare(group, "k", keys, config.kvHeads);
  if (config.temperatureStep) {
    Positions first(group.firstPositions);
    q = layer.create<PositionScaleOp>(
        partOf(group, "q_temperature"), q, first.values, first.numbers,
        config.temperatureStep, llvm::APFloat(config.temperatureSlope));
  }
  auto [seenKeys, seenValues] =
      cacheKeysAndValues(group, k, rowsOf(group, values, config.kvHeads));
  Value sinks = config.sinks.empty()
                    ? Value()
                    : layer.weight("self_attn." + config.sinks, {config.heads});
  FloatAttr softCap = config.softCap
                          ? layer.ops.builder.getF64FloatAttr(config.softCap)
                          : FloatAttr();
  return joinHeads(layer.create<GqaAttnOp>(partOf(group, "attn"), q, seenKeys,
                                           seenValues, sinks, maskOf(group),
                                           scale(), softCap));
}

//===----------------------------------------------------------------------===//
// Latent attention
//===----------------------------------------------------------------------===//

void LatentBuilder::project(Value x) {
  const LatentConfig &latent = config.latent;
  int64_t width = config.heads * config.headDim;
  if (latent.queryRank) {
    Value q =
        layer.linear("self_attn.q_a_proj", x, latent.queryRank, config.qkvBias);
    q = layer.norm("self_attn.q_a_layernorm", q);
    queries = layer.linear("self_attn.q_b_proj", q, width, /*hasBias=*/false);
  } else {
    queries = layer.linear("self_attn.q_proj", x, width, /*hasBias=*/false);
  }
  Value compressed = layer.linear("self_attn.kv_a_proj_with_mqa", x,
                                  latent.rank + latent.ropeDim, config.qkvBias);
  latents = layer.norm("self_attn.kv_a_layernorm",
                       layer.ops.slice(compressed, 1, 0, latent.rank));
  rotatedKeys = layer.ops.slice(compressed, 1, latent.rank, latent.ropeDim);
}

/// A few queries are cheaper among latents; many are worth it to expand all
/// keys and values once.
bool LatentBuilder::isAbsorbed(const Group &group) const {
  if (layer.options.latentAttention != LatentAttention::Auto)
    return layer.options.latentAttention == LatentAttention::Absorbed;
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

Value LatentBuilder::attend(const Group &group) {
  const LatentConfig &latent = config.latent;
  Value q = rowsOf(group, queries, config.heads);
  Value nope = layer.ops.slice(q, 3, 0, latent.nopeDim);
  Value rotated = rope(group, "q_rope",
                       layer.ops.slice(q, 3, latent.nopeDim, latent.ropeDim));
  Value key = rope(group, "k_rope", rowsOf(group, rotatedKeys, 1));
  KvCacheType type =
      cacheType(group, 1, latent.rank + latent.ropeDim, /*isLatent=*/true);
  Value z = updateCache(group, type,
                        layer.ops.concat(3, {rowsOf(group, latents, 1), key}),
                        /*values=*/Value())
                .getKeys();
  return isAbsorbed(group) ? attendAbsorbed(group, nope, rotated, z)
                           : attendExpanded(group, nope, rotated, z);
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

/// Queries go into the space of the latents, and outputs come back from it: the
/// cache is all that is read of keys and values.
Value LatentBuilder::attendAbsorbed(const Group &group, Value nope,
                                    Value rotated, Value z) {
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
                              z, latent.rank, maskOf(group), scale());
  Value values = layer.create<BatchMatmulOp>(
      partOf(group, "v_absorb"), b.collapse(out, {{0, 1}, {2}, {3}}),
      upWeight(/*ofValues=*/true), /*transposeRhs=*/true, TypeAttr());
  return b.collapse(values, {{0}, {1, 2}});
}

/// Keys and values of all heads are made of the latents of all keys.
Value LatentBuilder::attendExpanded(const Group &group, Value nope,
                                    Value rotated, Value z) {
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
  return joinHeads(layer.create<GqaAttnOp>(
      partOf(group, "attn"), b.concat(3, {nope, rotated}), key, value,
      /*sinks=*/Value(), maskOf(group), scale(), /*softCap=*/FloatAttr()));
}

Value buildAttention(LayerOps &layer, Value x) {
  if (layer.config.attention.latent.rank)
    return LatentBuilder(layer).build(x);
  return GroupedQueryBuilder(layer).build(x);
}

} // namespace mlir::llm
