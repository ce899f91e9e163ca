//===- GgmlPatterns.cpp - Nodes of ggml that are one op -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops have the parameters that ggml's functions write (ggml.c).
//
//===----------------------------------------------------------------------===//

#include "GgmlPatterns.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::llm;
using ggmlCapture::none;

int32_t mlir::llm::intParameter(const CapturedTensor &tensor, unsigned word) {
  return word < tensor.parameters.size() ? int32_t(tensor.parameters[word]) : 0;
}

float mlir::llm::floatParameter(const CapturedTensor &tensor, unsigned word) {
  int32_t bits = intParameter(tensor, word);
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

int64_t mlir::llm::countElements(const CapturedTensor &tensor) {
  int64_t count = 1;
  for (int64_t size : tensor.sizes)
    count *= size;
  return count;
}

uint32_t mlir::llm::sourceOf(const CapturedTensor &tensor, unsigned number) {
  return number < tensor.sources.size() ? tensor.sources[number] : none;
}

/// Whether the node writes into an older tensor. Its result is a view of that
/// tensor.
static bool isWrite(const CapturedTensor &node) {
  return (node.op == "SET_ROWS" || node.op == "CPY") && node.view != none;
}

GgmlPatterns::GgmlPatterns(const CapturedGraph &graph)
    : graph(graph), uses(graph.tensors.size()) {
  for (uint32_t node = 0; node < graph.nodes; ++node) {
    const CapturedTensor &tensor = graph.tensors[node];
    for (uint32_t source : tensor.sources)
      if (source != none)
        ++uses[source];
    if (isWrite(tensor))
      writtenRoots.insert(rootOf(node));
  }
  for (uint32_t node = 0; node < graph.nodes; ++node) {
    findAttention(node);
    findNorm(node);
    findBias(node);
    findGate(node);
  }
}

uint32_t GgmlPatterns::rootOf(uint32_t tensor) const {
  uint32_t view = graph.tensors[tensor].view;
  // In ggml, a view of a view is a view of the first tensor.
  return view == none ? tensor : view;
}

uint32_t GgmlPatterns::contentOf(uint32_t tensor) const {
  // No sensible program has more views and copies in a row.
  constexpr int maxSteps = 64;
  for (int step = 0; step < maxSteps && isNode(tensor); ++step) {
    const CapturedTensor &node = graph.tensors[tensor];
    uint32_t source = sourceOf(node, 0);
    bool isSame = node.isView() || node.op == "CONT";
    if (!isSame || source == none || source >= tensor)
      break;
    if (countElements(graph.tensors[source]) != countElements(node))
      break;
    tensor = source;
  }
  return tensor;
}

bool GgmlPatterns::isVector(uint32_t number, int64_t size) const {
  if (number == none)
    return false;
  const CapturedTensor &tensor = graph.tensors[number];
  return tensor.sizes[0] == size && countElements(tensor) == size &&
         graph.typeOf(tensor).blockElements == 1;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Whether the sizes of queries [d, s, H, b], keys [d, t, h, b] and values fit.
static bool doSizesFit(const CapturedGraph &graph,
                       const AttentionPattern &found) {
  const auto &query = graph.tensors[found.query].sizes,
             &keys = graph.tensors[found.keys].sizes,
             &values = graph.tensors[found.values].sizes;
  int64_t valueKeys = values[found.isFlash ? 1 : 0];
  return query[0] == keys[0] && keys[1] == valueKeys && keys[2] == values[2] &&
         keys[2] > 0 && query[2] % keys[2] == 0 && query[3] == keys[3] &&
         query[3] == values[3];
}

bool GgmlPatterns::readParts(uint32_t node, AttentionPattern &found) {
  const CapturedTensor &last = graph.tensors[node];
  found.nodes = {node};
  float maxBias = 0;
  if (last.op == "FLASH_ATTN_EXT") {
    found.isFlash = true;
    found.query = sourceOf(last, 0);
    found.keys = sourceOf(last, 1);
    found.values = sourceOf(last, 2);
    found.mask = sourceOf(last, 3);
    found.sinks = sourceOf(last, 4);
    found.scale = floatParameter(last, 0);
    maxBias = floatParameter(last, 1);
    found.softCap = floatParameter(last, 2);
  } else {
    if (last.op != "MUL_MAT")
      return false;
    uint32_t weights = sourceOf(last, 1);
    if (!isUsedOnce(weights) || graph.tensors[weights].op != "SOFT_MAX")
      return false;
    const CapturedTensor &softmax = graph.tensors[weights];
    uint32_t scores = sourceOf(softmax, 0);
    if (!isUsedOnce(scores) || graph.tensors[scores].op != "MUL_MAT")
      return false;
    found.nodes = {scores, weights, node};
    found.keys = sourceOf(graph.tensors[scores], 0);
    found.query = sourceOf(graph.tensors[scores], 1);
    found.values = sourceOf(last, 0);
    found.mask = sourceOf(softmax, 1);
    found.sinks = sourceOf(softmax, 2);
    found.scale = floatParameter(softmax, 0);
    maxBias = floatParameter(softmax, 1);
  }
  bool areThere =
      found.query != none && found.keys != none && found.values != none;
  if (!areThere || !doSizesFit(graph, found))
    return false;
  const CapturedTensor &query = graph.tensors[found.query];
  int64_t valueDim = graph.tensors[found.values].sizes[found.isFlash ? 0 : 1];
  if (countElements(last) * query.sizes[0] != countElements(query) * valueDim)
    return false;
  bool areAlike =
      graph.tensors[found.keys].type == graph.tensors[found.values].type;
  bool areSinksKnown =
      found.sinks == none ||
      isVector(found.sinks, graph.tensors[found.query].sizes[2]);
  // The dialect has no slopes by the distance of keys (ALiBi).
  return areAlike && areSinksKnown && maxBias == 0 &&
         std::isfinite(found.scale) && found.scale > 0 &&
         std::isfinite(found.softCap) && found.softCap >= 0;
}

/// Finds caches: keys and values in tensors into which the graph writes, in the
/// way of `!llm.kv_cache`. Both have one size and type.
void GgmlPatterns::findCaches(AttentionPattern &found) {
  uint32_t keyRoot = rootOf(found.keys), valueRoot = rootOf(found.values);
  if (isNode(keyRoot) || isNode(valueRoot) || keyRoot == valueRoot ||
      !writtenRoots.contains(keyRoot) || !writtenRoots.contains(valueRoot))
    return;
  const CapturedTensor &keys = graph.tensors[found.keys],
                       &values = graph.tensors[found.values];
  int64_t valueDim = values.sizes[found.isFlash ? 0 : 1];
  if (valueDim != keys.sizes[0] || countElements(graph.tensors[keyRoot]) !=
                                       countElements(graph.tensors[valueRoot]))
    return;
  found.keyCache = keyRoot;
  found.valueCache = valueRoot;
  caches.insert(keyRoot);
  caches.insert(valueRoot);
  keyCount = std::max(keyCount, keys.sizes[1]);
}

void GgmlPatterns::findAttention(uint32_t node) {
  AttentionPattern found;
  if (!readParts(node, found))
    return;
  findCaches(found);
  attention[node] = found;
  for (uint32_t part : ArrayRef(found.nodes).drop_back())
    absorbed.insert(part);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

void GgmlPatterns::findNorm(uint32_t node) {
  const CapturedTensor &mul = graph.tensors[node];
  uint32_t norm = sourceOf(mul, 0), weight = sourceOf(mul, 1);
  if (mul.op != "MUL" || norm == none || !isUsedOnce(norm) ||
      graph.tensors[norm].op != "RMS_NORM" || weight == none ||
      isNode(weight) || !isVector(weight, mul.sizes[0]))
    return;
  normOfMul[node] = norm;
  absorbed.insert(norm);
}

/// Finds a product with a matrix, and a vector that is added to each row.
void GgmlPatterns::findBias(uint32_t node) {
  const CapturedTensor &add = graph.tensors[node];
  uint32_t product = sourceOf(add, 0), bias = sourceOf(add, 1);
  if (add.op != "ADD" || product == none || !isUsedOnce(product) ||
      graph.tensors[product].op != "MUL_MAT" || attention.contains(product) ||
      bias == none || isNode(bias) || !isVector(bias, add.sizes[0]))
    return;
  const CapturedTensor &matrix =
      graph.tensors[sourceOf(graph.tensors[product], 0)];
  if (matrix.sizes[2] != 1 || matrix.sizes[3] != 1)
    return;
  productOfBias[node] = product;
  absorbed.insert(product);
}

/// Finds silu(gate) * up, or the same with GELU, as two nodes.
void GgmlPatterns::findGate(uint32_t node) {
  const CapturedTensor &mul = graph.tensors[node];
  uint32_t gate = sourceOf(mul, 0), up = sourceOf(mul, 1);
  if (mul.op != "MUL" || gate == none || up == none || !isUsedOnce(gate) ||
      (graph.tensors[gate].op != "SILU" && graph.tensors[gate].op != "GELU") ||
      graph.tensors[gate].sizes != graph.tensors[up].sizes)
    return;
  activationOfGate[node] = gate;
  absorbed.insert(gate);
}
