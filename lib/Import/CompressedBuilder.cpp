//===- CompressedBuilder.cpp - Attention over tokens and entries ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DeepSeek-V4 (2026). Of layers with few tokens to an entry, an indexer with
// entries of its own selects those that a query reads. As elsewhere, the
// Hadamard matrix of DeepSeek's code, which changes no product, is left out.
//
//===----------------------------------------------------------------------===//

#include "IndexerBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::llm {

namespace {
/// Makes entries of windows of tokens: of the keys, or of an indexer.
class Compressor {
public:
  Compressor(AttentionBuilder &attention, LayerOps &layer, std::string path,
             int64_t features, Type cacheElement)
      : attention(attention), layer(layer), config(layer.config.attention),
        path(std::move(path)), features(features), cacheElement(cacheElement) {}

  /// Reads the hidden states of all tokens.
  void project(Value x);
  /// The entries that the sequences of a group have behind the step; null where
  /// none is closed yet.
  Value update(const SequenceGroup &group);
  /// Which of them queries see.
  MaskAttr maskOf(const SequenceGroup &group) const;

private:
  int64_t ratio() const { return config.compressed.ratio; }
  std::string nameOf(const Twine &part) const { return (path + part).str(); }
  /// Rows of the group as [batch, seq, channels].
  Value rowsOf(const SequenceGroup &group, Value x);
  Value close(const SequenceGroup &group);
  Value place(const SequenceGroup &group, Value entries);
  /// How many windows are closed before so many tokens, for each sequence.
  SmallVector<OpFoldResult, 1> countClosed(ArrayRef<OpFoldResult> tokens) const;
  KvCacheType cacheType(const SequenceGroup &group) const;

  AttentionBuilder &attention;
  LayerOps &layer;
  const AttentionConfig &config;
  std::string path;
  int64_t features;
  Type cacheElement;
  Value values, gates;
};

class CompressedBuilder : public AttentionBuilder {
public:
  explicit CompressedBuilder(LayerOps &layer)
      : AttentionBuilder(layer),
        compressor(*this, layer, "self_attn.compressor", config.headDim, {}),
        indexKeys(*this, layer, "self_attn.indexer.compressor",
                  config.indexer.headDim,
                  indexCacheElementOf(layer.ops.model, config.indexer)) {}

  Value run(Value x);

private:
  void project(Value x) override;
  Value attend(const SequenceGroup &group) override;
  Value select(const SequenceGroup &group);
  bool isSelective(const SequenceGroup &group) const;
  /// The last features turn.
  Value turnTail(const Twine &part, Value x, const Turn &turn);
  Value projectOut(Value heads);

  Compressor compressor, indexKeys;
  Value queries, keys, indexQueries, indexWeights;
};
} // namespace

/// Features behind those that do not turn.
static Value turnLast(AttentionBuilder &attention, LayerOps &layer,
                      const Twine &part, Value x,
                      const AttentionBuilder::Turn &turn) {
  const AttentionConfig &config = layer.config.attention;
  OpsBuilder &b = layer.ops;
  int64_t all = tensorType(x).getDimSize(3), turned = config.compressed.ropeDim;
  Value tail = attention.rope(part, b.slice(x, 3, all - turned, turned),
                              config.rope, turn);
  return all == turned ? tail
                       : b.concat(3, {b.slice(x, 3, 0, all - turned), tail});
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void Compressor::project(Value x) {
  int64_t channels = config.compressed.halves * features;
  values = layer.plainLinear(nameOf(".wkv"), x, channels, /*hasBias=*/false);
  gates = layer.plainLinear(nameOf(".wgate"), x, channels, /*hasBias=*/false);
}

Value Compressor::rowsOf(const SequenceGroup &group, Value x) {
  OpsBuilder &b = layer.ops;
  return b.expand(
      mlir::llm::rowsOf(b, group, x),
      {group.batch, group.seq, b.number(tensorType(x).getDimSize(1))},
      {{0, 1}, {2}});
}

SmallVector<OpFoldResult, 1>
Compressor::countClosed(ArrayRef<OpFoldResult> tokens) const {
  SmallVector<OpFoldResult, 1> closed;
  for (OpFoldResult each : tokens) // none is open
    closed.push_back(layer.ops.number(*getConstantIntValue(each) / ratio()));
  return closed;
}

KvCacheType Compressor::cacheType(const SequenceGroup &group) const {
  KvCacheType all = attention.cacheType(group, /*kvHeads=*/1, features,
                                        /*isLatent=*/true, cacheElement);
  return KvCacheType::get(all.getContext(), all.getBatch(), 1, features,
                          all.getCapacity() / ratio(), all.getElementType(),
                          /*pageSize=*/0, /*isLatent=*/true);
}

/// The entries that new tokens close, [batch, windows, features]; null where
/// they close none.
Value Compressor::close(const SequenceGroup &group) {
  OpsBuilder &b = layer.ops;
  int64_t halves = config.compressed.halves, channels = halves * features;
  auto type =
      StateType::get(b.builder.getContext(), group.sequences.getBatch(),
                     {2, halves * ratio(), channels}, b.builder.getF32Type());
  Value state =
      StateOp::create(b.builder, b.loc, type,
                      b.builder.getStringAttr(
                          layer.weightName(nameOf(".state") + group.suffix)),
                      layer.indices(), Positions(ArrayRef(group.batch)).values);
  bool keepsEveryStep = b.program.getPhase() == Phase::Verify;
  return layer
      .create<CompressOp>(nameOf(".pool") + group.suffix, rowsOf(group, values),
                          rowsOf(group, gates),
                          layer.wideWeight(nameOf(".ape"), {ratio(), channels}),
                          state, Positions(group.firstPositions).numbers,
                          keepsEveryStep)
      .getOut();
}

/// The same with their norm and positions, [batch, windows, 1, features].
Value Compressor::place(const SequenceGroup &group, Value entries) {
  OpsBuilder &b = layer.ops;
  Value normed = b.norm(layer.nameOf(nameOf(".norm") + group.suffix), entries,
                        layer.weight(nameOf(".norm.weight"), {features}));
  int64_t windows = tensorType(entries).getDimSize(1);
  Value heads = b.expand(
      normed, {group.batch, b.number(windows), b.number(1), b.number(features)},
      {{0}, {1}, {2, 3}});
  AttentionBuilder::Turn turn{{}, ratio()};
  for (OpFoldResult window : countClosed(group.firstPositions))
    turn.first.push_back(b.number(*getConstantIntValue(window) * ratio()));
  return turnLast(attention, layer, nameOf(".rope") + group.suffix, heads,
                  turn);
}

Value Compressor::update(const SequenceGroup &group) {
  OpsBuilder &b = layer.ops;
  Value entries = close(group);
  Positions before(countClosed(group.firstPositions)),
      behind(countClosed(group.kvLens));
  if (llvm::is_contained(behind.numbers, 0))
    return {};
  Value cache = KvCacheOp::create(
      b.builder, b.loc, cacheType(group),
      b.builder.getStringAttr(layer.weightName(path + group.suffix)),
      layer.indices(), Positions(ArrayRef(group.batch)).values);
  if (entries)
    cache = layer.create<KvWriteOp>(nameOf(".kv_write") + group.suffix, cache,
                                    place(group, entries), /*values=*/Value(),
                                    before.values, before.numbers,
                                    /*own=*/ArrayAttr());
  return KvReadOp::create(b.builder, b.loc, cache, ValueRange(), ValueRange(),
                          SmallVector<int64_t>(before.numbers.size(), 0),
                          behind.numbers)
      .getKeys();
}

MaskAttr Compressor::maskOf(const SequenceGroup &group) const {
  SmallVector<int64_t> lengths = Positions(group.kvLens).numbers;
  // In an open batch one length stands for all.
  if (group.sequences.getBatch() != openSize)
    lengths.resize(group.sequences.getBatch(), lengths.front());
  return MaskAttr::get(layer.ops.builder.getContext(), MaskKind::Causal, 0, 0,
                       ArrayRef<int64_t>(), lengths, ratio());
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

bool CompressedBuilder::isSelective(const SequenceGroup &group) const {
  return config.indexer.heads &&
         *findLongest(group.kvLens) / config.compressed.ratio >
             config.indexer.top;
}

void CompressedBuilder::project(Value x) {
  const CompressedConfig &compressed = config.compressed;
  const IndexerConfig &indexer = config.indexer;
  Value latents =
      layer.norm("self_attn.q_norm",
                 layer.linear("self_attn.wq_a", x, compressed.queryRank,
                              /*hasBias=*/false));
  queries = layer.linear("self_attn.wq_b", latents,
                         config.heads * config.headDim, /*hasBias=*/false);
  keys = layer.norm("self_attn.kv_norm",
                    layer.linear("self_attn.wkv", x, config.headDim,
                                 /*hasBias=*/false));
  if (!compressed.ratio)
    return;
  compressor.project(x);
  if (!indexer.heads)
    return;
  indexKeys.project(x);
  // Queries that see all entries select none.
  if (llvm::none_of(groupsOf(layer.ops), [&](const SequenceGroup &group) {
        return isSelective(group);
      }))
    return;
  indexQueries =
      layer.linear("self_attn.indexer.wq_b", latents,
                   indexer.heads * indexer.headDim, /*hasBias=*/false);
  indexWeights = layer.plainLinear("self_attn.indexer.weights_proj", x,
                                   indexer.heads, /*hasBias=*/false);
}

Value CompressedBuilder::turnTail(const Twine &part, Value x,
                                  const Turn &turn) {
  return turnLast(*this, layer, part, x, turn);
}

/// The entries that queries attend to; null where they see all. Those of the
/// indexer are cached in any case: later queries look at them.
Value CompressedBuilder::select(const SequenceGroup &group) {
  const IndexerConfig &indexer = config.indexer;
  if (!indexer.heads)
    return {};
  Value seen = indexKeys.update(group);
  if (!isSelective(group))
    return {};
  Value q = turnTail("self_attn.indexer.q_rope" + group.suffix,
                     rowsOf(group, indexQueries, indexer.heads),
                     {group.firstPositions});
  // Products run in 8 bits where keys are stored so.
  Type stored = tensorType(seen).getElementType();
  if (isa<BlockScaledType>(stored))
    q = layer.create<QuantizeOp>("self_attn.indexer.q_quantize" + group.suffix,
                                 q, /*scale=*/Value(), /*isStatic=*/false,
                                 stored);
  Value shares =
      layer.ops.collapse(rowsOf(group, indexWeights, 1), {{0}, {1}, {2, 3}});
  auto scaled = static_cast<double>(indexer.headDim * indexer.heads);
  return layer.create<SelectKeysOp>(
      "self_attn.indexer.select" + group.suffix, q, seen, shares,
      indexKeys.maskOf(group), llvm::APFloat(1 / std::sqrt(scaled)),
      indexer.top, /*block=*/IntegerAttr(), /*local=*/IntegerAttr(),
      /*initial=*/IntegerAttr());
}

/// [rows, heads, head_dim].
Value CompressedBuilder::attend(const SequenceGroup &group) {
  OpsBuilder &b = layer.ops;
  Value q = b.norm(layer.nameOf(partOf(group, "q_head_norm")),
                   rowsOf(group, queries, config.heads), /*weight=*/Value());
  q = turnTail(partOf(group, "q_rope"), q, {group.firstPositions});
  Value key = turnTail(partOf(group, "k_rope"), rowsOf(group, keys, 1),
                       {group.firstPositions});
  KvCacheType type = cacheType(group, 1, config.headDim, /*isLatent=*/true);
  Value z = updateCache(group, "self_attn", type, key, Value()).getKeys();
  Value entries, selected;
  MaskAttr sees;
  if (config.compressed.ratio) {
    entries = compressor.update(group);
    selected = select(group);
  }
  if (entries)
    sees = compressor.maskOf(group);
  Value sinks = layer.wideWeight("self_attn.attn_sink", {config.heads});
  Value out = layer.create<CompressedAttnOp>(partOf(group, "attn"), q, z, sinks,
                                             entries, selected, maskOf(group),
                                             sees, scale());
  // A key turned by its position is the value, too: turned back by that of the
  // query, it hangs on their distance.
  out = turnTail(partOf(group, "o_rope"), out,
                 {group.firstPositions, 1, /*isInverse=*/true});
  return b.collapse(out, {{0, 1}, {2}, {3}});
}

/// Groups of heads are projected by themselves, then all together.
Value CompressedBuilder::projectOut(Value heads) {
  OpsBuilder &b = layer.ops;
  int64_t groups = config.compressed.outGroups,
          rank = config.compressed.outRank,
          width = config.heads * config.headDim / groups;
  Value byGroup = b.expand(
      b.collapse(heads, {{0}, {1, 2}}),
      {b.countRows(heads), b.number(groups), b.number(width)}, {{0}, {1, 2}});
  Value matrix = b.expand(
      layer.linearWeight("self_attn.wo_a.weight", {groups * rank, width}),
      {b.number(groups), b.number(rank), b.number(width)}, {{0, 1}, {2}});
  Value projected = layer.create<BatchMatmulOp>(
      "self_attn.wo_a", byGroup, matrix, /*transposeRhs=*/true, TypeAttr());
  return layer.linear("self_attn.wo_b", b.collapse(projected, {{0}, {1, 2}}),
                      b.model.hidden, /*hasBias=*/false);
}

Value CompressedBuilder::run(Value x) {
  project(x);
  SmallVector<Value> outputs;
  for (const SequenceGroup &group : groupsOf(layer.ops))
    outputs.push_back(attend(group));
  return projectOut(layer.ops.concat(0, outputs));
}

Value buildCompressedAttention(LayerOps &layer, Value x) {
  return CompressedBuilder(layer).run(x);
}

} // namespace mlir::llm
