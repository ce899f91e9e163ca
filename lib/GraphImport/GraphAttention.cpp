//===- GraphAttention.cpp - Attention and its caches ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::none;

/// Builds a write. Attention writes keys and values into its cache together,
/// when it reads them. Any other tensor is written here.
bool GraphBuilder::buildWrite(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  if ((op.op != "SET_ROWS" && op.op != "CPY") || op.view == none)
    return false;
  if (!patterns.caches.contains(op.view))
    return writeElsewhere(node);
  pendingWrites[op.view] = node;
  return true;
}

/// Builds a write into another tensor. Only the slice that is written moves.
bool GraphBuilder::writeElsewhere(uint32_t node) {
  const CapturedTensor &op = graph.tensors[node];
  uint32_t source = sourceOf(op, 0);
  int64_t count = countElements(graph.tensors[source]),
          all = countElements(graph.tensors[op.view]);
  if (!typeOf(source).isIntOrFloat() || !typeOf(node).isIntOrFloat() ||
      op.view == source || count > all || countElements(op) > all)
    return false;
  Value written = tensors.flat(source);
  if (typeOf(source) != typeOf(node))
    written = writeFrom(typeOf(node), count, written, {});
  auto number = [&](int64_t value) {
    return SmallVector<OpFoldResult>{builder.getIndexAttr(value)};
  };
  Value state = tensor::InsertSliceOp::create(builder, loc, written,
                                              tensors.flat(op.view), number(0),
                                              number(count), number(1));
  tensors.set(op.view, state);
  Value shown = tensors.slice(tensors.reshape(state, {1, all}), 0, 0, 1,
                              countElements(op));
  tensors.set(node, shown);
  return true;
}

/// Makes the state of the cache with the new keys and values, and the rows that
/// attention reads. Returns false if only one of both is written, or not as
/// many rows as there are keys.
bool GraphBuilder::updateCache(const AttentionPattern &pattern, Value &keys,
                               Value &values) {
  const CapturedTensor &shown = graph.tensors[pattern.keys];
  int64_t dim = shown.sizes[0], keyCount = shown.sizes[1],
          heads = shown.sizes[2], batch = shown.sizes[3];
  int64_t perPosition = dim * heads * batch;
  const CapturedTensor &root = graph.tensors[pattern.keyCache];
  int64_t capacity = perPosition ? countElements(root) / perPosition : 0;
  if (keyCount < 1 || capacity < keyCount)
    return false;
  Value &state = cacheStates[{pattern.keyCache, pattern.valueCache}];
  if (!state)
    state = KvCacheOp::create(
        builder, loc,
        KvCacheType::get(builder.getContext(), batch, heads, dim, capacity,
                         typeOf(pattern.keyCache), /*pageSize=*/0,
                         /*isLatent=*/false),
        tensors.nameOf(pattern.keyCache), ValueRange(), ValueRange());
  auto keyWrite = pendingWrites.find(pattern.keyCache),
       valueWrite = pendingWrites.find(pattern.valueCache);
  if ((keyWrite == pendingWrites.end()) != (valueWrite == pendingWrites.end()))
    return false;
  if (keyWrite != pendingWrites.end()) {
    uint32_t newKeys =
        patterns.contentOf(sourceOf(graph.tensors[keyWrite->second], 0));
    uint32_t newValues =
        patterns.contentOf(sourceOf(graph.tensors[valueWrite->second], 0));
    int64_t elements = countElements(graph.tensors[newKeys]);
    int64_t seq = elements / perPosition;
    if (seq * perPosition != elements || seq < 1 || seq > keyCount ||
        countElements(graph.tensors[newValues]) != elements ||
        !isFloat(newKeys) || typeOf(newKeys) != typeOf(newValues))
      return false;
    SmallVector<int64_t> shape{batch, seq, heads, dim};
    state = KvWriteOp::create(
        builder, loc, tensors.nameOf({keyWrite->second, valueWrite->second}),
        state, tensors.as(newKeys, shape), tensors.as(newValues, shape),
        ValueRange(), ArrayRef<int64_t>{keyCount - seq}, /*own=*/ArrayAttr());
    pendingWrites.erase(keyWrite);
    pendingWrites.erase(pattern.valueCache);
  }
  auto read =
      KvReadOp::create(builder, loc, state, ValueRange(), ValueRange(),
                       ArrayRef<int64_t>{0}, ArrayRef<int64_t>{keyCount});
  keys = read.getKeys();
  values = read.getValues();
  return true;
}

bool GraphBuilder::buildAttention(uint32_t node) {
  auto found = patterns.attention.find(node);
  if (found == patterns.attention.end())
    return false;
  const AttentionPattern &pattern = found->second;
  if (!isFloat(node) || typeOf(pattern.query) != typeOf(node))
    return false;
  const CapturedTensor &q = graph.tensors[pattern.query],
                       &k = graph.tensors[pattern.keys];
  // Dimensions of ggml, from batch to features.
  constexpr DimOrder byPosition = {3, 1, 2, 0}, transposed = {3, 0, 2, 1};
  Value keys, values;
  bool isCached =
      pattern.keyCache != none && updateCache(pattern, keys, values);
  if (!isCached) {
    DimOrder order = pattern.isFlash ? byPosition : transposed;
    const CapturedTensor &v = graph.tensors[pattern.values];
    keys = tensors.reshape(tensors.inOrder(pattern.keys, byPosition),
                           tensors.sizesIn(k, byPosition));
    values = tensors.reshape(tensors.inOrder(pattern.values, order),
                             tensors.sizesIn(v, order));
  }
  Value query = tensors.reshape(tensors.inOrder(pattern.query, byPosition),
                                tensors.sizesIn(q, byPosition));
  Value sinks = pattern.sinks == none ? Value() : tensors.flat(pattern.sinks);
  attentionsWithMask += pattern.mask != none;
  bool seesAll = pattern.mask == none || q.sizes[1] > k.sizes[1];
  auto out = GqaAttnOp::create(
      builder, loc, tensors.nameOf(pattern.nodes), query, keys, values, sinks,
      /*selected=*/Value(),
      MaskAttr::get(builder.getContext(), seesAll ? MaskKind::Full : mask),
      ::llvm::APFloat(double(pattern.scale)),
      pattern.softCap > 0 ? builder.getF64FloatAttr(pattern.softCap)
                          : FloatAttr(),
      /*block=*/IntegerAttr());
  tensors.set(node, out.getOut(), pattern.isFlash ? naturalOrder : byPosition);
  return true;
}
