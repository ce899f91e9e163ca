//===- GroupedQueryBuilder.cpp - Queries that share keys by heads ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexerBuilder.h"

namespace mlir::llm {

namespace {
/// Multi-head, multi-query and grouped-query attention.
class GroupedQueryBuilder : public AttentionBuilder {
public:
  explicit GroupedQueryBuilder(LayerOps &layer)
      : AttentionBuilder(layer), indexer(*this, layer) {}

private:
  void project(Value x) override;
  Value attend(const SequenceGroup &group) override;
  void splitGates();
  Value prepare(const SequenceGroup &group, StringRef name, Value projected,
                int64_t heads);
  Value prepareValues(const SequenceGroup &group);
  /// The keys and values that a group sees: its own, or those that another
  /// layer has read.
  std::pair<Value, Value> readCache(const SequenceGroup &group);
  std::pair<Value, Value> cacheKeysAndValues(const SequenceGroup &group,
                                             Value k, Value v);

  IndexerBuilder indexer;
  Value queries, keys, values;
};
} // namespace

/// Makes three projections side by side. They read one activation, and may run
/// at the same time or become one matmul, as some checkpoints store them.
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
  queries = layer.linear("self_attn.q_proj", x,
                         config.hasOutputGate ? 2 * width : width, bias);
  if (config.hasOutputGate)
    splitGates();
  if (config.cacheLayer)
    return;
  if (config.hasHeadGates)
    gates = layer.linear("self_attn.g_proj", x, config.heads,
                         /*hasBias=*/false);
  keys = layer.scaled("self_attn.k_scale",
                      layer.linear("self_attn.k_proj", x, kvWidth, bias),
                      layer.config.factors.keys);
  values = config.hasOneProjection
               ? keys
               : layer.linear("self_attn.v_proj", x, valueWidth, bias);
  indexer.project(x, /*queryInput=*/x);
  if (config.valueScale != 1)
    values = layer.create<ScaleOp>("self_attn.v_scale", values,
                                   llvm::APFloat(config.valueScale));
  if (config.qkNorm && config.normsAllHeads) {
    queries = layer.norm("self_attn.q_norm", queries);
    keys = layer.norm("self_attn.k_norm", keys);
  }
}

/// Splits queries and gates. Each head has its query and then its gate.
void GroupedQueryBuilder::splitGates() {
  OpsBuilder &b = layer.ops;
  Value both = b.expand(queries,
                        {b.countRows(queries), b.number(config.heads),
                         b.number(2 * config.headDim)},
                        {{0}, {1, 2}});
  auto half = [&](int64_t first) {
    return b.collapse(b.slice(both, 2, first, config.headDim), {{0}, {1, 2}});
  };
  queries = half(0);
  gates = half(config.headDim);
}

/// Makes queries or keys ("q", "k") with their norms and their positions.
Value GroupedQueryBuilder::prepare(const SequenceGroup &group, StringRef name,
                                   Value projected, int64_t heads) {
  Value x = rowsOf(group, projected, heads);
  std::string norm = partOf(group, (name + "_norm").str());
  auto normed = [&](Value each) {
    return layer.ops.norm(
        layer.nameOf(norm), each,
        layer.weight("self_attn." + name + "_norm.weight", {config.headDim}));
  };
  bool normsHeads = config.qkNorm && !config.normsAllHeads;
  if (normsHeads && !config.normsAfterRope)
    x = normed(x);
  if (config.rope.theta)
    x = rope(group, (name + "_rope").str(), x);
  if (normsHeads && config.normsAfterRope)
    x = normed(x);
  if (config.plainQkNorm)
    x = layer.ops.norm(layer.nameOf(norm), x, /*weight=*/Value());
  return x;
}

Value GroupedQueryBuilder::prepareValues(const SequenceGroup &group) {
  Value v = rowsOf(group, values, config.kvHeads);
  if (!config.normsValues)
    return v;
  return layer.ops.norm(layer.nameOf(partOf(group, "v_norm")), v,
                        /*weight=*/Value());
}

std::pair<Value, Value>
GroupedQueryBuilder::readCache(const SequenceGroup &group) {
  auto &caches = layer.ops.readCaches;
  if (config.cacheLayer)
    return caches.at({config.cacheLayer, group.suffix});
  Value k = prepare(group, "k", keys, config.kvHeads);
  auto read = cacheKeysAndValues(group, k, prepareValues(group));
  if (int64_t number = layer.number())
    caches[{number, group.suffix}] = read;
  return read;
}

/// Caches keys and values, and reads those that a new query sees. If their
/// sizes differ, a key and its value are one vector of the cache.
std::pair<Value, Value>
GroupedQueryBuilder::cacheKeysAndValues(const SequenceGroup &group, Value k,
                                        Value v) {
  int64_t valueDim = tensorType(v).getDimSize(3);
  if (valueDim == config.headDim) {
    KvReadOp seen = updateCache(
        group, "self_attn",
        cacheType(group, config.kvHeads, config.headDim, false), k, v);
    return {seen.getKeys(), seen.getValues()};
  }
  OpsBuilder &b = layer.ops;
  KvCacheType type = cacheType(group, config.kvHeads, config.headDim + valueDim,
                               /*isLatent=*/true);
  Value seen = updateCache(group, "self_attn", type, b.concat(3, {k, v}),
                           /*values=*/Value())
                   .getKeys();
  return {b.slice(seen, 3, 0, config.headDim),
          b.slice(seen, 3, config.headDim, valueDim)};
}

Value GroupedQueryBuilder::attend(const SequenceGroup &group) {
  Value q = prepare(group, "q", queries, config.heads);
  if (config.temperatureStep) {
    Positions first(group.firstPositions);
    q = layer.create<PositionScaleOp>(
        partOf(group, "q_temperature"), q, first.values, first.numbers,
        config.temperatureStep, llvm::APFloat(config.temperatureSlope));
  }
  auto [seenKeys, seenValues] = readCache(group);
  Value sinks = config.sinks.empty()
                    ? Value()
                    : layer.weight("self_attn." + config.sinks, {config.heads});
  FloatAttr softCap = config.softCap
                          ? layer.ops.builder.getF64FloatAttr(config.softCap)
                          : FloatAttr();
  Value selected = indexer.select(group);
  return joinHeads(
      layer.create<GqaAttnOp>(partOf(group, "attn"), q, seenKeys, seenValues,
                              sinks, selected, maskOf(group), scale(), softCap,
                              selected ? indexer.block() : IntegerAttr())
          .getOut());
}

Value buildGroupedQueryAttention(LayerOps &layer, Value x) {
  return GroupedQueryBuilder(layer).build(x);
}

} // namespace mlir::llm
