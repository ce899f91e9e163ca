//===- Oracle.cpp - What ops touch, point by point ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

size_t Oracle::loop(const std::string &name) const {
  return std::find(loops.begin(), loops.end(), name) - loops.begin();
}

bool Oracle::uses(const OracleBuffer &buffer, size_t loop) const {
  for (const std::string &index : buffer.indices)
    if (index == loops[loop] ||
        (index == "hg" && (loops[loop] == "h" || loops[loop] == "g")))
      return true;
  return false;
}

std::string OracleMask::text() const {
  std::string text = isCausal ? " mask causal" : " mask full";
  if (window)
    text += " window " + std::to_string(window);
  if (chunk)
    text +=
        " chunk " + std::to_string(chunk) + " from " + std::to_string(firstKey);
  return text;
}

bool OracleMask::isVisible(int64_t query, int64_t key, int64_t offset) const {
  int64_t own = query + offset; // the key of the query's own position
  return (!isCausal || key <= own) && (!window || key > own - window) &&
         (!chunk || (key + firstKey) / chunk == (own + firstKey) / chunk);
}

bool Oracle::isVisible(const Point &point) const {
  if (llvm::find(loops, "s") == loops.end() ||
      llvm::find(loops, "t") == loops.end())
    return true;
  int64_t offset = extents[loop("t")] - extents[loop("s")];
  return mask.isVisible(point[loop("s")], point[loop("t")], offset);
}

int64_t Oracle::indexOf(const std::string &index, const Point &point) const {
  if (index == "hg")
    return point[loop("h")] * group + point[loop("g")];
  if (index != "e" || rowsPerExpert.empty())
    return point[loop(index)];
  int64_t row = point[loop("m")], expert = 0;
  while (row >= rowsPerExpert[expert])
    row -= rowsPerExpert[expert++];
  return expert;
}

Point Oracle::elementOf(const OracleBuffer &buffer, const Point &point) const {
  Point element;
  for (const std::string &index : buffer.indices)
    element.push_back(indexOf(index, point));
  return element;
}

void Oracle::forEachPoint(const OracleBox &box,
                          llvm::function_ref<void(const Point &)> visit) const {
  Point point;
  for (const Interval &interval : box) {
    if (interval.size() <= 0)
      return;
    point.push_back(interval.begin);
  }
  while (true) {
    visit(point);
    size_t digit = point.size();
    while (digit > 0 && ++point[digit - 1] == box[digit - 1].end) {
      point[digit - 1] = box[digit - 1].begin;
      --digit;
    }
    if (digit == 0)
      return;
  }
}

OracleBox Oracle::fullBox() const {
  OracleBox box;
  for (int64_t extent : extents)
    box.push_back({0, extent});
  return box;
}

int64_t Oracle::countPoints(size_t stage, const OracleBox &box) const {
  std::set<Point> points;
  forEachPoint(box, [&](const Point &point) {
    if (!isVisible(point))
      return;
    Point projected;
    for (const std::string &name : stages[stage])
      projected.push_back(point[loop(name)]);
    points.insert(projected);
  });
  return points.size();
}

int64_t Oracle::countElements(size_t buffer, const OracleBox &box) const {
  std::set<Point> elements;
  forEachPoint(box, [&](const Point &point) {
    if (isVisible(point))
      elements.insert(elementOf(buffers[buffer], point));
  });
  return elements.size();
}

static int64_t bytesOf(int64_t elements, int64_t bits) {
  return (elements * bits + 7) / 8;
}

int64_t Oracle::tileBytes(size_t buffer,
                          const std::vector<int64_t> &sizes) const {
  OracleBox box;
  for (int64_t size : sizes)
    box.push_back({0, size});
  Point greatest(buffers[buffer].indices.size(), 0);
  forEachPoint(box, [&](const Point &point) {
    Point element = elementOf(buffers[buffer], point);
    for (size_t dim = 0; dim < element.size(); ++dim)
      greatest[dim] = std::max(greatest[dim], element[dim]);
  });
  int64_t elements = 1;
  for (size_t dim = 0; dim < greatest.size(); ++dim)
    if (buffers[buffer].indices[dim] != "e" || rowsPerExpert.empty())
      elements *= greatest[dim] + 1; // a tile is of one expert at a time
  return bytesOf(elements, buffers[buffer].bits);
}

int64_t Oracle::simulateTraffic(size_t index, const Tiling &tiling) const {
  const OracleBuffer &buffer = buffers[index];
  if (buffer.role == 't')
    return 0;
  std::set<Point> everMoved, held;
  Point heldTile;
  int64_t moved = 0;
  auto endStay = [&] {
    moved += held.size();
    everMoved.insert(held.begin(), held.end());
    held.clear();
  };
  Point tile(loops.size(), 0);
  while (true) {
    Point bufferTile;
    OracleBox box;
    for (size_t loop = 0; loop < loops.size(); ++loop) {
      int64_t begin = tile[loop] * tiling.sizes[loop];
      box.push_back(
          {begin, std::min(begin + tiling.sizes[loop], extents[loop])});
      if (uses(buffer, loop))
        bufferTile.push_back(tile[loop]);
    }
    if (bufferTile != heldTile)
      endStay();
    heldTile = bufferTile;
    forEachPoint(box, [&](const Point &point) {
      if (isVisible(point))
        held.insert(elementOf(buffer, point));
    });
    size_t position = tiling.order.size();
    while (position > 0) {
      unsigned loop = tiling.order[position - 1];
      if (++tile[loop] * tiling.sizes[loop] < extents[loop])
        break;
      tile[loop] = 0;
      --position;
    }
    if (position == 0)
      break;
  }
  endStay();
  if (buffer.role == 'r')
    return bytesOf(moved, buffer.bits);
  // A result that comes back was spilled as a 4-byte partial sum and is fetched
  // again.
  int64_t distinct = everMoved.size();
  return bytesOf(distinct, buffer.bits) + (moved - distinct) * 2 * 4;
}

//===----------------------------------------------------------------------===//
// Ops, from their descriptions
//===----------------------------------------------------------------------===//

Oracle matmulOracle(int64_t m, int64_t k, int64_t n, bool transposed,
                    bool bias) {
  std::vector<std::string> types = {tensorText({m, k}),
                                    transposed ? tensorText({n, k}, "i8")
                                               : tensorText({k, n}, "i8")};
  if (bias)
    types.push_back(tensorText({n}, "f32"));
  Oracle oracle;
  oracle.text =
      functionText(std::string("llm.matmul %0, %1") + (bias ? " bias %2" : "") +
                       (transposed ? " transpose_rhs" : ""),
                   types);
  oracle.loops = {"m", "n", "k"};
  oracle.extents = {m, n, k};
  oracle.tileable = {true, true, true};
  oracle.stages = {{"m", "n", "k"}};
  oracle.buffers = {{"lhs", 'r', {"m", "k"}, 16}, {"rhs", 'r', {"k", "n"}, 8}};
  if (bias) {
    oracle.buffers.push_back({"bias", 'r', {"n"}, 32});
  }
  oracle.buffers.push_back({"out", 'w', {"m", "n"}, 16});
  return oracle;
}

Oracle rmsNormOracle(int64_t rows, int64_t columns) {
  Oracle oracle;
  oracle.text =
      functionText("llm.rmsnorm %0, %1 epsilon 1.0e-5",
                   {tensorText({rows, columns}), tensorText({columns}, "f32")});
  oracle.loops = {"d0", "d1"};
  oracle.extents = {rows, columns};
  oracle.tileable = {true, false};
  oracle.stages = {{"d0", "d1"}, {"d0"}, {"d0", "d1"}};
  oracle.buffers = {{"x", 'r', {"d0", "d1"}, 16},
                    {"out", 'w', {"d0", "d1"}, 16},
                    {"weight", 'r', {"d1"}, 32}};
  return oracle;
}

Oracle addOracle(int64_t rows, int64_t columns) {
  Oracle oracle;
  std::string type = tensorText({rows, columns}, "i4");
  oracle.text = functionText("llm.add %0, %1", {type, type});
  oracle.loops = {"d0", "d1"};
  oracle.extents = {rows, columns};
  oracle.tileable = {true, true};
  oracle.stages = {{"d0", "d1"}};
  oracle.buffers = {{"lhs", 'r', {"d0", "d1"}, 4},
                    {"rhs", 'r', {"d0", "d1"}, 4},
                    {"out", 'w', {"d0", "d1"}, 4}};
  return oracle;
}

Oracle ropeOracle(int64_t b, int64_t s, int64_t h, int64_t d) {
  Oracle oracle;
  oracle.text =
      functionText("llm.rope %0 at 3 theta 1.0e4", {tensorText({b, s, h, d})});
  oracle.loops = {"b", "s", "h", "d"};
  oracle.extents = {b, s, h, d};
  oracle.tileable = {true, true, true, false};
  oracle.stages = {{"s", "d"}, {"b", "s", "h", "d"}};
  oracle.buffers = {{"x", 'r', {"b", "s", "h", "d"}, 16},
                    {"out", 'w', {"b", "s", "h", "d"}, 16}};
  return oracle;
}

Oracle softmaxOracle(int64_t b, int64_t h, int64_t s, int64_t t,
                     OracleMask mask, bool sinksAndCap) {
  Oracle oracle;
  std::vector<std::string> types = {tensorText({b, h, s, t})};
  if (sinksAndCap)
    types.push_back(tensorText({h}, "f32"));
  oracle.text = functionText(
      std::string("llm.softmax %0") + (sinksAndCap ? " sinks %1" : "") +
          mask.text() + (sinksAndCap ? " soft_cap 50.0" : ""),
      types);
  oracle.loops = {"b", "h", "s", "t"};
  oracle.extents = {b, h, s, t};
  oracle.tileable = {true, true, true, false};
  oracle.mask = mask;
  std::vector<std::string> all = oracle.loops, rows = {"b", "h", "s"};
  oracle.stages = {all, all, rows, all};
  oracle.buffers = {{"x", 'r', all, 16}, {"out", 'w', all, 16}};
  if (sinksAndCap) {
    oracle.stages = {all, all, all, rows, rows, all};
    oracle.buffers.insert(oracle.buffers.begin() + 1,
                          {"sinks", 'r', {"h"}, 32});
  }
  return oracle;
}

Oracle attentionOracle(const std::string &op, int64_t b, int64_t h, int64_t g,
                       int64_t s, int64_t t, int64_t d, OracleMask mask,
                       bool sinksAndCap) {
  Oracle oracle;
  std::string scale = " scale 0.5";
  std::string queries = tensorText({b, s, h * g, d}),
              keys = tensorText({b, t, h, d}),
              scores = tensorText({b, h * g, s, t});
  oracle.loops = {"b", "h", "g", "s", "t", "d"};
  oracle.extents = {b, h, g, s, t, d};
  oracle.tileable = {true, true, true, true, true, false};
  oracle.group = g;
  oracle.mask = mask;
  std::vector<std::string> rows = {"b", "h", "g", "s"};
  std::vector<std::string> pairs = {"b", "h", "g", "s", "t"},
                           all = oracle.loops, ofQuery = {"b", "s", "hg", "d"},
                           ofKey = {"b", "t", "h", "d"},
                           ofScore = {"b", "hg", "s", "t"};
  if (op == "gqa_attn") {
    std::vector<std::string> types = {queries, keys, keys};
    if (sinksAndCap)
      types.push_back(tensorText({h * g}, "f32"));
    oracle.text =
        functionText(std::string("llm.gqa_attn %0, %1, %2") +
                         (sinksAndCap ? " sinks %3" : "") + mask.text() +
                         scale + (sinksAndCap ? " soft_cap 50.0" : ""),
                     types);
    oracle.stages = {all, pairs, pairs, all, {"b", "h", "g", "s", "d"}};
    oracle.buffers = {{"query", 'r', ofQuery, 16},
                      {"keys", 'r', ofKey, 16},
                      {"values", 'r', ofKey, 16},
                      {"out", 'w', ofQuery, 16},
                      {"scores", 't', pairs, 32}};
    if (sinksAndCap) {
      oracle.stages = {
          all, pairs, pairs, pairs, rows, all, {"b", "h", "g", "s", "d"}};
      oracle.buffers.insert(oracle.buffers.begin() + 3,
                            {"sinks", 'r', {"hg"}, 32});
    }
  } else if (op == "qk") {
    oracle.text =
        functionText("llm.qk %0, %1" + mask.text() + scale, {queries, keys});
    oracle.stages = {all};
    oracle.buffers = {{"query", 'r', ofQuery, 16},
                      {"keys", 'r', ofKey, 16},
                      {"out", 'w', ofScore, 16}};
  } else {
    oracle.text = functionText("llm.pv %0, %1" + mask.text(), {scores, keys});
    oracle.stages = {all};
    oracle.buffers = {{"probabilities", 'r', ofScore, 16},
                      {"values", 'r', ofKey, 16},
                      {"out", 'w', ofQuery, 16}};
  }
  return oracle;
}

/// Rows of each expert: each token goes to `topK` of them.
static std::vector<int64_t> randomRows(int64_t experts, int64_t topK,
                                       int64_t tokens, Random &random) {
  std::vector<int64_t> rows(experts, 0);
  for (int64_t token = 0; token < tokens; ++token) {
    std::set<int64_t> selected;
    while (static_cast<int64_t>(selected.size()) < topK)
      selected.insert(random(0, experts - 1));
    for (int64_t expert : selected)
      ++rows[expert];
  }
  return rows;
}

Oracle groupedMatmulOracle(int64_t experts, int64_t topK, int64_t tokens,
                           int64_t k, int64_t n, bool transposed, bool bias,
                           Random &random) {
  Oracle oracle;
  oracle.rowsPerExpert = randomRows(experts, topK, tokens, random);
  std::string rows;
  for (int64_t count : oracle.rowsPerExpert)
    rows += (rows.empty() ? "" : ", ") + std::to_string(count);
  int64_t m = tokens * topK;
  std::vector<std::string> types = {
      tensorText({m, k}), transposed ? tensorText({experts, n, k}, "i8")
                                     : tensorText({experts, k, n}, "i8")};
  if (bias)
    types.push_back(tensorText({experts, n}, "f32"));
  oracle.text = functionText(
      std::string("llm.grouped_matmul %0, %1") + (bias ? " bias %2" : "") +
          (transposed ? " transpose_rhs" : "") + " rows_per_expert [" + rows +
          "] top_k " + std::to_string(topK),
      types);
  oracle.loops = {"m", "n", "k"};
  oracle.extents = {m, n, k};
  oracle.tileable = {true, true, true};
  oracle.stages = {{"m", "n", "k"}};
  oracle.buffers = {{"lhs", 'r', {"m", "k"}, 16},
                    {"rhs", 'r', {"e", "k", "n"}, 8}};
  if (bias)
    oracle.buffers.push_back({"bias", 'r', {"e", "n"}, 32});
  oracle.buffers.push_back({"out", 'w', {"m", "n"}, 16});
  return oracle;
}

Oracle dispatchOracle(int64_t tokens, int64_t topK, int64_t hidden) {
  Oracle oracle;
  oracle.text = functionText(
      "llm.moe_dispatch %0, %1",
      {tensorText({tokens, hidden}), tensorText({tokens, topK}, "i32")});
  oracle.loops = {"m", "j", "h"};
  oracle.extents = {tokens, topK, hidden};
  oracle.tileable = {true, true, true};
  oracle.stages = {{"m", "j", "h"}};
  oracle.buffers = {{"x", 'r', {"m", "h"}, 16},
                    {"experts", 'r', {"m", "j"}, 32},
                    {"out", 'w', {"m", "j", "h"}, 16}};
  return oracle;
}

Oracle combineOracle(int64_t tokens, int64_t topK, int64_t hidden) {
  Oracle oracle = dispatchOracle(tokens, topK, hidden);
  oracle.text = functionText("llm.moe_combine %0, %1, %2",
                             {tensorText({tokens * topK, hidden}),
                              tensorText({tokens, topK}, "i32"),
                              tensorText({tokens, topK}, "f32")});
  oracle.buffers = {{"x", 'r', {"m", "j", "h"}, 16},
                    {"experts", 'r', {"m", "j"}, 32},
                    {"shares", 'r', {"m", "j"}, 32},
                    {"out", 'w', {"m", "h"}, 16}};
  return oracle;
}

Oracle routeOracle(const std::string &scoring, int64_t tokens, int64_t experts,
                   int64_t topK, bool bias) {
  Oracle oracle;
  std::vector<std::string> types = {tensorText({tokens, experts})};
  if (bias)
    types.push_back(tensorText({experts}, "f32"));
  oracle.text = functionText("llm.moe_route " + scoring + " %0" +
                                 (bias ? " bias %1" : "") + " top_k " +
                                 std::to_string(topK) + " normalize",
                             types, "%r:2");
  oracle.loops = {"m", "e", "j"};
  oracle.extents = {tokens, experts, topK};
  oracle.tileable = {true, false, false};
  size_t sweeps = scoring == "softmax" ? 3 : scoring == "sigmoid" ? 1 : 0;
  oracle.stages.assign(sweeps + (bias ? 1 : 0) + 1, {"m", "e"});
  oracle.stages.push_back({"m", "j"});
  oracle.buffers = {{"logits", 'r', {"m", "e"}, 16}};
  if (bias)
    oracle.buffers.push_back({"bias", 'r', {"e"}, 32});
  oracle.buffers.push_back({"shares", 'w', {"m", "j"}, 16});
  oracle.buffers.push_back({"experts", 'w', {"m", "j"}, 32});
  return oracle;
}

Oracle embeddingOracle(int64_t tokens, int64_t vocabulary, int64_t hidden) {
  Oracle oracle;
  oracle.text = functionText(
      "llm.embedding %0, %1",
      {tensorText({tokens}, "i32"), tensorText({vocabulary, hidden}, "i8")});
  oracle.loops = {"m", "h"};
  oracle.extents = {tokens, hidden};
  oracle.tileable = {true, true};
  oracle.stages = {{"m", "h"}};
  oracle.buffers = {{"tokens", 'r', {"m"}, 32},
                    {"table", 'r', {"m", "h"}, 8},
                    {"out", 'w', {"m", "h"}, 8}};
  return oracle;
}

Oracle sampleOracle(int64_t rows, int64_t vocabulary, bool greedy) {
  Oracle oracle;
  oracle.text = functionText(std::string("llm.sample ") +
                                 (greedy ? "greedy" : "categorical") + " %0",
                             {tensorText({rows, vocabulary})});
  oracle.loops = {"m", "v"};
  oracle.extents = {rows, vocabulary};
  oracle.tileable = {true, greedy};
  oracle.stages.assign(greedy ? 1 : 3, {"m", "v"});
  oracle.buffers = {{"logits", 'r', {"m", "v"}, 16}, {"out", 'w', {"m"}, 32}};
  return oracle;
}

static OracleMask randomMask(Random &random) {
  switch (random(0, 3)) {
  case 0:
    return {};
  case 1:
    return {true};
  case 2:
    return {true, random(1, 7)};
  default:
    return {true, 0, random(1, 7), random(0, 9)};
  }
}

Oracle randomOracle(Random &random) {
  OracleMask mask = randomMask(random);
  int64_t s = random(1, 5), t = random(mask.isCausal ? s : 1, 6);
  auto attention = [&](const char *op) {
    return attentionOracle(op, random(1, 2), random(1, 2), random(1, 3), s, t,
                           random(1, 2), mask, random(0, 1));
  };
  switch (random(0, 13)) {
  case 0:
    return matmulOracle(random(1, 7), random(1, 7), random(1, 7), random(0, 1),
                        random(0, 1));
  case 1:
    return rmsNormOracle(random(1, 9), random(1, 9));
  case 2:
    return addOracle(random(1, 9), random(1, 9));
  case 3:
    return ropeOracle(random(1, 3), random(1, 3), random(1, 3),
                      2 * random(1, 2));
  case 4:
    return softmaxOracle(random(1, 2), random(1, 3), s, t, mask, random(0, 1));
  case 5:
    return attention("gqa_attn");
  case 6:
    return attention("qk");
  case 7:
    return embeddingOracle(random(1, 7), random(1, 9), random(1, 7));
  case 9: {
    int64_t experts = random(1, 4), topK = random(1, experts);
    return groupedMatmulOracle(experts, topK, random(1, 3), random(1, 5),
                               random(1, 5), random(0, 1), random(0, 1),
                               random);
  }
  case 10:
    return dispatchOracle(random(1, 5), random(1, 3), random(1, 5));
  case 11:
    return combineOracle(random(1, 5), random(1, 3), random(1, 5));
  case 12: {
    const char *scorings[] = {"softmax", "sigmoid", "topk_softmax"};
    int64_t experts = random(1, 6);
    return routeOracle(scorings[random(0, 2)], random(1, 4), experts,
                       random(1, experts), random(0, 1));
  }
  case 8:
    return sampleOracle(random(1, 5), random(1, 9), random(0, 1));
  default:
    return attention("pv");
  }
}

} // namespace mlir::llm
