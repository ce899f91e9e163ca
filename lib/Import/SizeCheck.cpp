//===- SizeCheck.cpp - Whether all sizes of a program can be counted ------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sequences.h"
#include "llm/Support/Units.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::llm {

/// Can the bytes of a tensor of these dimensions be counted?
static bool isCountable(ArrayRef<int64_t> dims) {
  constexpr int64_t widestElementBytes = 4;
  std::optional<int64_t> bytes = widestElementBytes;
  for (int64_t dim : dims)
    if (bytes)
      bytes = checkedMul(*bytes, dim);
  return bytes.has_value();
}

namespace {
/// Checks all sizes, because attributes and ops abort on numbers that they
/// refuse.
class SizeCheck {
public:
  SizeCheck(const ModelConfig &model, ArrayRef<Sequences> groups)
      : model(model), groups(groups) {}
  LogicalResult run();

private:
  LogicalResult check(StringRef what, ArrayRef<int64_t> dims) const;
  LogicalResult checkLayer(const LayerConfig &layer) const;
  LogicalResult checkLatent(const AttentionConfig &attention,
                            const Sequences &group) const;
  LogicalResult checkCompressed(const AttentionConfig &attention,
                                const Sequences &group) const;
  LogicalResult checkExperts(const FeedForwardConfig &feedForward) const;

  const ModelConfig &model;
  ArrayRef<Sequences> groups;
  int64_t tokens = 0; ///< of all sequences
};
} // namespace

LogicalResult SizeCheck::check(StringRef what, ArrayRef<int64_t> dims) const {
  if (isCountable(dims))
    return success();
  const Sequences &first = groups.front();
  return emitError(model.location)
         << what
         << " of this model is too large to count with --batch=" << first.batch
         << " --seq=" << first.seq << " --kv-len=" << first.kvLens.front();
}

LogicalResult
SizeCheck::checkExperts(const FeedForwardConfig &feedForward) const {
  const ExpertsConfig &e = feedForward.experts;
  int64_t inner = feedForward.intermediate;
  return failure(
      e.count &&
      (failed(check("a weight", {2, e.count, inner, model.hidden})) ||
       failed(check("a weight", {2, e.sharedWidth, model.hidden})) ||
       failed(check("the rows of experts", {2, tokens, e.topK, inner})) ||
       failed(check("the rows of experts", {tokens, e.topK, model.hidden})) ||
       failed(check("an activation", {2, tokens, e.sharedWidth})) ||
       failed(check("the scores of experts", {tokens, e.count})) ||
       // Shares of rows are fractions, and their sums are exact below 2^53.
       failed(check("the rows of experts", {tokens, e.topK, 1 << 6}))));
}

LogicalResult SizeCheck::checkLatent(const AttentionConfig &attention,
                                     const Sequences &group) const {
  const LatentConfig &l = attention.latent;
  int64_t keys = *llvm::max_element(group.kvLens);
  return failure(
      l.rank &&
      (failed(check("a weight", {attention.heads, l.nopeDim, l.rank})) ||
       failed(check("a weight", {attention.heads, l.valueDim, l.rank})) ||
       failed(check("a weight", {l.queryRank, model.hidden})) ||
       failed(check("the queries", {group.batch, group.seq, attention.heads,
                                    l.rank + l.ropeDim})) ||
       failed(check("the keys", {group.batch, keys, attention.heads,
                                 2 * l.nopeDim + 2 * l.ropeDim})) ||
       failed(check("the values",
                    {group.batch, keys, attention.heads, 2 * l.valueDim}))));
}

LogicalResult SizeCheck::checkCompressed(const AttentionConfig &attention,
                                         const Sequences &group) const {
  const CompressedConfig &c = attention.compressed;
  const IndexerConfig &i = attention.indexer;
  return failure(
      c.queryRank &&
      (failed(check("a weight",
                    {attention.heads, attention.headDim, c.queryRank})) ||
       failed(check("a weight", {c.outGroups, c.outRank, model.hidden})) ||
       failed(check("a weight",
                    {attention.heads, attention.headDim, c.outRank})) ||
       failed(check("a weight", {i.heads, i.headDim, c.queryRank})) ||
       failed(check("a weight", {2, attention.headDim, model.hidden})) ||
       failed(check("the output", {tokens, c.outGroups, c.outRank})) ||
       failed(check("the index queries", {tokens, i.heads, i.headDim})) ||
       failed(check("a state", {group.batch, 4, c.ratio + group.seq, 2,
                                std::max(attention.headDim, i.headDim)}))));
}

LogicalResult SizeCheck::checkLayer(const LayerConfig &layer) const {
  const AttentionConfig &a = layer.attention;
  int64_t inner = layer.feedForward.intermediate,
          features = std::max(a.headDim, a.valueDim);
  if (failed(checkExperts(layer.feedForward)))
    return failure();
  for (const Sequences &group : groups) {
    int64_t keys = *llvm::max_element(group.kvLens);
    if (failed(checkLatent(a, group)) || failed(checkCompressed(a, group)) ||
        failed(
            check("the attention", {group.batch, a.heads, group.seq, keys})) ||
        failed(check("the cache", {2, group.batch, keys, a.kvHeads, features})))
      return failure();
  }
  // A fused projection has two or three of these side by side.
  return failure(
      failed(check("a weight", {3, a.heads, features, model.hidden})) ||
      failed(check("a weight", {2, inner, model.hidden})) ||
      failed(check("an activation", {tokens, 2, inner})) ||
      failed(check("an activation", {tokens, 3, a.heads, features})));
}

LogicalResult SizeCheck::run() {
  for (const Sequences &group : groups) {
    std::optional<int64_t> ofGroup = checkedMul(group.batch, group.seq);
    std::optional<int64_t> sum =
        ofGroup ? checkedAdd(tokens, *ofGroup) : std::nullopt;
    if (!sum) // this product cannot be counted, either
      return check("an activation", {group.batch, group.seq, maxCount});
    tokens = *sum;
  }
  if (failed(check("an activation", {tokens, model.hidden})))
    return failure();
  const LayerConfig *checked = nullptr;
  for (const LayerConfig &layer : model.layers) {
    if (checked && *checked == layer)
      continue;
    checked = &layer;
    if (failed(checkLayer(layer)))
      return failure();
  }
  for (const LayerConfig &layer : model.further.layers)
    if (failed(checkLayer(layer)) ||
        failed(check("a weight", {2, model.hidden, model.hidden})))
      return failure();
  const LayerInputsConfig &inputs = model.layerInputs;
  auto layers = static_cast<int64_t>(model.layers.size());
  if (inputs.features &&
      (failed(
           check("a weight", {inputs.vocabulary, layers, inputs.features})) ||
       failed(check("a weight", {layers, inputs.features, model.hidden})) ||
       failed(check("the inputs of layers",
                    {2, tokens, layers, inputs.features}))))
    return failure();
  int64_t streams = model.streams.count;
  return failure(
      failed(check("a weight", {model.vocabulary, model.hidden})) ||
      failed(
          check("a weight", {2 + streams, streams, streams, model.hidden})) ||
      failed(check("the residual", {tokens, streams + 1, model.hidden})) ||
      failed(check("an activation", {tokens, model.hidden})) ||
      failed(check("the logits", {tokens, model.vocabulary})));
}

/// Sizes that are open are at least 1.
static std::vector<Sequences> leastSizes(std::vector<Sequences> groups) {
  auto close = [](int64_t &size) { size = size == openSize ? 1 : size; };
  for (Sequences &group : groups) {
    close(group.batch);
    close(group.seq);
    llvm::for_each(group.kvLens, close);
  }
  return groups;
}

LogicalResult checkSizes(const ModelConfig &model, ArrayRef<Sequences> groups) {
  std::vector<Sequences> least = leastSizes(groups);
  return SizeCheck(model, least).run();
}

} // namespace mlir::llm
