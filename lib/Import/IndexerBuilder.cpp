//===- IndexerBuilder.cpp - Which keys attention reads --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DeepSeek-V3.2's code rotates index queries and keys by one Hadamard matrix
// before it rounds them. Their products stay the same, and it is left out here.
//
//===----------------------------------------------------------------------===//

#include "IndexerBuilder.h"

namespace mlir::llm {

std::string IndexerBuilder::part(StringRef ofIndexer,
                                 StringRef ofAttention) const {
  return indexer.weighsHeads ? ("self_attn.indexer." + ofIndexer).str()
                             : ("self_attn.index_" + ofAttention).str();
}

bool IndexerBuilder::isSelective(const SequenceGroup &group) const {
  std::optional<int64_t> longest = findLongest(group.kvLens);
  return !longest || *longest > indexer.countKeys();
}

IntegerAttr IndexerBuilder::block() const {
  // Blocks of one key count as blocks if some are selected in any case.
  bool hasBlocks = indexer.block > 1 || indexer.local || indexer.initial;
  return hasBlocks ? layer.ops.builder.getI64IntegerAttr(indexer.block)
                   : IntegerAttr();
}

void IndexerBuilder::project(Value x, Value queryInput) {
  if (!indexer.heads || indexer.isShared)
    return;
  keys = layer.linear(part("wk", "k_proj"), x, indexer.headDim,
                      /*hasBias=*/false);
  if (indexer.weighsHeads)
    keys = layer.create<LayerNormOp>(
        "self_attn.indexer.k_norm", keys,
        layer.weight("self_attn.indexer.k_norm.weight", {indexer.headDim}),
        layer.weight("self_attn.indexer.k_norm.bias", {indexer.headDim}),
        llvm::APFloat(1e-6));
  // If queries see all keys, nothing is selected.
  if (llvm::none_of(groupsOf(layer.ops), [&](const SequenceGroup &group) {
        return isSelective(group);
      }))
    return;
  queries = layer.linear(part("wq_b", "q_proj"), queryInput,
                         indexer.heads * indexer.headDim, /*hasBias=*/false);
  if (indexer.weighsHeads)
    weights = layer.plainLinear("self_attn.indexer.weights_proj", x,
                                indexer.heads, /*hasBias=*/false);
}

/// Prepares index queries or keys ("q", "k"): they get their positions and, if
/// heads have no weights, their norms.
Value IndexerBuilder::prepare(const SequenceGroup &group, StringRef name,
                              Value projected, int64_t heads) {
  Value x = headsOf(layer.ops, group, projected, heads);
  if (!indexer.weighsHeads) {
    std::string norm = ("self_attn.index_" + name + "_norm").str();
    x = layer.ops.norm(layer.nameOf(norm + group.suffix), x,
                       layer.weight(norm + ".weight", {indexer.headDim}));
  }
  RopeConfig rope = config.rope;
  if (indexer.weighsHeads)
    rope.features = config.latent.ropeDim;
  rope.isInterleaved = indexer.isInterleaved;
  return attention.rope(part((name + "_rope").str(), (name + "_rope").str()) +
                            group.suffix,
                        group, x, rope);
}

Type indexCacheElementOf(const ModelConfig &model,
                         const IndexerConfig &indexer) {
  constexpr int64_t block[] = {128};
  MLIRContext *context = model.elementType.getContext();
  bool isStoredIn8Bits = indexer.weighsHeads && !model.formats.isCacheNamed &&
                         model.elementType.getIntOrFloatBitWidth() == 16 &&
                         indexer.headDim % block[0] == 0;
  if (!isStoredIn8Bits)
    return {};
  return BlockScaledType::get(
      context, Float8E4M3FNType::get(context),
      ScalesAttr::get(context, block, Float32Type::get(context)));
}

Value IndexerBuilder::cacheKeys(const SequenceGroup &group) {
  KvCacheType type = attention.cacheType(
      group, /*kvHeads=*/1, indexer.headDim,
      /*isLatent=*/true, indexCacheElementOf(layer.ops.model, indexer));
  return attention
      .updateCache(group, "self_attn.indexer", type,
                   prepare(group, "k", keys, 1), /*values=*/Value())
      .getKeys();
}

/// Scores are scaled by the number of features of a head and, if heads are
/// summed up, by the number of heads.
Value IndexerBuilder::scoreAll(const SequenceGroup &group, Value seen) {
  Builder &b = layer.ops.builder;
  Value q = prepare(group, "q", queries, indexer.heads);
  // Products run in 8 bits if keys are stored in 8 bits.
  Type stored = tensorType(seen).getElementType();
  if (isa<BlockScaledType>(stored))
    q = layer.create<QuantizeOp>(
        part("q_quantize", "q_quantize") + group.suffix, q, /*scale=*/Value(),
        /*isStatic=*/false, stored);
  Value shares;
  if (weights)
    shares = layer.ops.collapse(headsOf(layer.ops, group, weights, 1),
                                {{0}, {1}, {2, 3}});
  int64_t scaled = indexer.headDim * (weights ? indexer.heads : 1);
  auto count = [&](int64_t blocks) {
    return blocks ? b.getI64IntegerAttr(blocks) : IntegerAttr();
  };
  return layer.create<SelectKeysOp>(
      part("select", "select") + group.suffix, q, seen, shares,
      attention.maskOf(group),
      llvm::APFloat(1 / std::sqrt(static_cast<double>(scaled))), indexer.top,
      block(), count(indexer.local), count(indexer.initial));
}

Value IndexerBuilder::select(const SequenceGroup &group) {
  if (!indexer.heads)
    return {};
  std::map<std::string, Value> &selections = layer.ops.selections;
  if (indexer.isShared)
    return isSelective(group) ? selections.at(group.suffix) : Value();
  Value seen = cacheKeys(group);
  if (!isSelective(group))
    return {};
  return selections[group.suffix] = scoreAll(group, seen);
}

} // namespace mlir::llm
