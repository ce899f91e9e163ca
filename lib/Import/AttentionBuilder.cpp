//===- AttentionBuilder.cpp - What all kinds of attention share -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"
#include "llm/Support/Units.h"

namespace mlir::llm {

Value AttentionBuilder::build(Value x) {
  project(x);
  SmallVector<Value> outputs;
  for (const SequenceGroup &group : groupsOf(layer.ops))
    outputs.push_back(attend(group));
  Value out = layer.ops.concat(0, outputs);
  if (gates)
    out = config.hasHeadGates
              ? gateHeads(out)
              : layer.gated("self_attn.gate", "self_attn.gated", out, gates);
  return layer.linear("self_attn.o_proj", out, layer.ops.model.hidden,
                      config.outBias);
}

Value AttentionBuilder::gateHeads(Value out) {
  OpsBuilder &b = layer.ops;
  OpFoldResult rows = b.countRows(out), heads = b.number(config.heads);
  int64_t features = tensorType(out).getDimSize(1) / config.heads;
  Value byHead =
            b.expand(out, {rows, heads, b.number(features)}, {{0}, {1, 2}}),
        ofHeads = b.expand(gates, {rows, heads, b.number(1)}, {{0}, {1, 2}});
  return b.collapse(
      layer.gated("self_attn.gate", "self_attn.gated", byHead, ofHeads),
      {{0}, {1, 2}});
}

std::optional<int64_t> findLongest(ArrayRef<OpFoldResult> kvLens) {
  int64_t longest = 0;
  for (OpFoldResult kvLen : kvLens) {
    std::optional<int64_t> keys = getConstantIntValue(kvLen);
    if (!keys)
      return std::nullopt;
    longest = std::max(longest, *keys);
  }
  return longest;
}

Value AttentionBuilder::rope(const Twine &part, const SequenceGroup &group,
                             Value x, RopeConfig rope) {
  if (!rope.theta)
    return x;
  OpsBuilder &b = layer.ops;
  int64_t features = tensorType(x).getDimSize(3);
  if (rope.features && rope.features < features) {
    Value rotated =
        this->rope(part, group, b.slice(x, 3, 0, rope.features), rope);
    return b.concat(
        3, {rotated, b.slice(x, 3, rope.features, features - rope.features)});
  }
  // An open context is a short one.
  if (std::optional<int64_t> positions = findLongest(group.kvLens))
    rope = rope.atLength(*positions, features);
  return this->rope(part, x, rope, {group.firstPositions});
}

Value AttentionBuilder::rope(const Twine &part, Value x, const RopeConfig &rope,
                             const Turn &turn) {
  Positions first(turn.first);
  Builder &b = layer.ops.builder;
  return layer.create<RopeOp>(
      part, x, first.values, b.getDenseI64ArrayAttr(first.numbers),
      b.getF64FloatAttr(rope.theta), rope.scaling,
      rope.isInterleaved ? b.getUnitAttr() : UnitAttr(),
      turn.stride > 1 ? b.getI64IntegerAttr(turn.stride) : IntegerAttr(),
      turn.isInverse ? b.getUnitAttr() : UnitAttr());
}

KvCacheType AttentionBuilder::cacheType(const SequenceGroup &group,
                                        int64_t kvHeads, int64_t headDim,
                                        bool isLatent, Type element) const {
  const ModelConfig &model = layer.ops.model;
  if (!element)
    element = model.formats.cache ? model.formats.cache : model.elementType;
  ArrayRef<int64_t> kvLens = group.sequences.getKvLens();
  int64_t capacity =
      kvLens.front() == openSize ? openSize : group.sequences.getMaxKvLen();
  return KvCacheType::get(
      layer.ops.builder.getContext(), group.sequences.getBatch(), kvHeads,
      headDim, /*capacity=*/capacity, element, /*pageSize=*/0, isLatent);
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

KvReadOp AttentionBuilder::updateCache(const SequenceGroup &group, StringRef of,
                                       KvCacheType type, Value keys,
                                       Value values) {
  OpsBuilder &b = layer.ops;
  Positions first(group.firstPositions);
  SmallVector<Value> sizes =
      Positions({group.batch, group.kvLens.front()}).values;
  Value cache = KvCacheOp::create(
      b.builder, b.loc, type,
      b.builder.getStringAttr(layer.weightName(of + group.suffix)),
      layer.indices(), sizes);
  cache = layer.create<KvWriteOp>(of + ".kv_write" + group.suffix, cache, keys,
                                  values, first.values, first.numbers,
                                  /*own=*/ArrayAttr());
  SmallVector<OpFoldResult> begins;
  for (OpFoldResult position : group.firstPositions)
    begins.push_back(firstSeen(position));
  Positions begin(begins), end(group.kvLens);
  return KvReadOp::create(b.builder, b.loc, cache, begin.values, end.values,
                          begin.numbers, end.numbers);
}

/// A window or chunk that reaches over all keys that are read is none.
MaskAttr AttentionBuilder::maskOf(const SequenceGroup &group) {
  SmallVector<int64_t> lengths;
  int64_t longest = maxCount; // if a length is open
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
  // Keys are read from the beginning of a chunk on. So chunks count from the
  // first key, as they do from position 0.
  return MaskAttr::get(layer.ops.builder.getContext(), layer.options.mask,
                       config.window < longest ? config.window : 0,
                       config.chunk < longest ? config.chunk : 0,
                       /*firstKeys=*/ArrayRef<int64_t>(),
                       ArrayRef<int64_t>(lengths));
}

Value buildAttention(LayerOps &layer, Value x) {
  if (layer.config.attention.compressed.queryRank)
    return buildCompressedAttention(layer, x);
  if (layer.config.attention.latent.rank)
    return buildLatentAttention(layer, x);
  return buildGroupedQueryAttention(layer, x);
}

} // namespace mlir::llm
