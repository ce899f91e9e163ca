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

std::string listText(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string OracleMask::text() const {
  std::string text = isCausal ? " mask causal" : " mask full";
  if (window)
    text += " window " + std::to_string(window);
  if (chunk)
    text +=
        " chunk " + std::to_string(chunk) + " from " +
        (firstKeys.empty() ? std::to_string(firstKey) : listText(firstKeys));
  if (!lengths.empty())
    text += " lengths " + listText(lengths);
  return text;
}

bool OracleMask::isVisible(int64_t sequence, int64_t query, int64_t key,
                           int64_t offset, int64_t keys) const {
  int64_t missing = lengths.empty() ? 0 : keys - lengths[sequence];
  int64_t first = firstKeys.empty() ? firstKey : firstKeys[sequence];
  int64_t own = query + offset - missing; // the key of the query's own position
  return key < keys - missing && (!isCausal || key <= own) &&
         (!window || key > own - window) &&
         (!chunk || (key + first) / chunk == (own + first) / chunk);
}

bool Oracle::isVisible(const Point &point) const {
  if (llvm::find(loops, "s") == loops.end() ||
      llvm::find(loops, "t") == loops.end())
    return true;
  int64_t keys = extents[loop("t")], offset = keys - extents[loop("s")];
  return mask.isVisible(point[loop("b")], point[loop("s")], point[loop("t")],
                        offset, keys);
}

int64_t Oracle::indexOf(const std::string &index, const Point &point) const {
  if (index == "hg")
    return point[loop("h")] * group + point[loop("g")];
  if (index == "0")
    return 0;
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

int64_t OracleBuffer::bytesOf(int64_t elements) const {
  if (wholeElements == 0)
    return (elements * bits + 7) / 8;
  return (elements * wholeBytes + wholeElements - 1) / wholeElements;
}

int64_t Oracle::tileBytes(size_t buffer,
                          const std::vector<int64_t> &sizes) const {
  if (buffers[buffer].isInPlace)
    return 0;
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
  return buffers[buffer].bytesOf(elements);
}

bool Oracle::comesBack(size_t index, const Tiling &tiling) const {
  std::set<Point> left;
  Point tile(loops.size(), 0), held;
  for (size_t position = 1; position > 0;) {
    Point now;
    for (size_t loop = 0; loop < loops.size(); ++loop)
      if (uses(buffers[index], loop))
        now.push_back(tile[loop]);
    if (now != held && !left.insert(now).second)
      return true;
    held = now;
    for (position = tiling.order.size(); position > 0; --position) {
      unsigned loop = tiling.order[position - 1];
      if (++tile[loop] * tiling.sizes[loop] < extents[loop])
        break;
      tile[loop] = 0;
    }
  }
  return false;
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
    return buffer.bytesOf(moved);
  // A result that comes back was spilled as a 4-byte partial sum and is fetched
  // again.
  int64_t distinct = everMoved.size();
  return buffer.bytesOf(distinct) + (moved - distinct) * 2 * 4;
}

//===----------------------------------------------------------------------===//
// Ops, from their descriptions
//===----------------------------------------------------------------------===//

/// i8 values with an f16 for each block of 2 x 3.
static const char *const scaledText = "!llm.block_scaled<i8, [2, 3], f16>";

/// The buffer of a tensor of such values: its blocks are counted one by one.
static OracleBuffer scaledBuffer(const std::string &name, char role,
                                 const std::vector<std::string> &indices,
                                 int64_t matrices, int64_t rows,
                                 int64_t columns) {
  std::set<Point> blocks;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      blocks.insert({row / 2, column / 3});
  int64_t elements = matrices * rows * columns;
  return {name,
          role,
          indices,
          8,
          elements + 2 * matrices * int64_t(blocks.size()),
          elements};
}

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

Oracle batchMatmulOracle(int64_t b, int64_t m, int64_t k, int64_t n,
                         bool transposed, bool isScaled) {
  std::string weights = isScaled ? scaledText : "i8";
  Oracle oracle;
  oracle.text = functionText(
      std::string("llm.batch_matmul %0, %1") +
          (transposed ? " transpose_rhs" : "") + " to f32",
      {tensorText({m, b, k}), transposed ? tensorText({b, n, k}, weights)
                                         : tensorText({b, k, n}, weights)});
  oracle.loops = {"b", "m", "n", "k"};
  oracle.extents = {b, m, n, k};
  oracle.tileable = {true, true, true, true};
  oracle.stages = {oracle.loops};
  std::vector<std::string> ofWeight = {"b", "k", "n"};
  if (transposed)
    ofWeight = {"b", "n", "k"};
  oracle.buffers = {{"lhs", 'r', {"m", "b", "k"}, 16},
                    {"rhs", 'r', ofWeight, 8},
                    {"out", 'w', {"m", "b", "n"}, 32}};
  if (isScaled)
    oracle.buffers[1] = scaledBuffer("rhs", 'r', ofWeight, b,
                                     transposed ? n : k, transposed ? k : n);
  return oracle;
}

Oracle rmsNormOracle(int64_t rows, int64_t columns, bool weight) {
  Oracle oracle;
  std::vector<std::string> types = {tensorText({rows, columns})};
  if (weight)
    types.push_back(tensorText({columns}, "f32"));
  oracle.text = functionText(std::string("llm.rmsnorm %0") +
                                 (weight ? ", %1" : "") + " epsilon 1.0e-5",
                             types);
  oracle.loops = {"d0", "d1"};
  oracle.extents = {rows, columns};
  oracle.tileable = {true, false};
  oracle.stages = {{"d0", "d1"}, {"d0"}, {"d0", "d1"}};
  oracle.buffers = {{"x", 'r', {"d0", "d1"}, 16},
                    {"out", 'w', {"d0", "d1"}, 16}};
  if (weight)
    oracle.buffers.push_back({"weight", 'r', {"d1"}, 32});
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

Oracle swigluOracle(int64_t rows, int64_t columns, bool limit) {
  Oracle oracle = addOracle(rows, columns);
  std::string type = tensorText({rows, columns}, "i4");
  oracle.text = functionText(std::string("llm.swiglu %0, %1") +
                                 (limit ? " limit 7.0" : ""),
                             {type, type});
  return oracle;
}

Oracle quantizeOracle(int64_t rows, int64_t columns, const std::string &type) {
  bool isPlain = type == "i8", isStatic = type == "static";
  Oracle oracle;
  oracle.text = functionText(std::string("llm.quantize %0") +
                                 (isStatic ? " static" : "") + " to " +
                                 (isPlain ? "i8" : scaledText),
                             {tensorText({rows, columns})});
  oracle.loops = {"d0", "d1"};
  oracle.extents = {rows, columns};
  oracle.tileable = {true, isPlain || isStatic};
  oracle.stages.assign(isPlain || isStatic ? 1 : 2, oracle.loops);
  oracle.buffers = {{"x", 'r', {"d0", "d1"}, 16},
                    {"out", 'w', {"d0", "d1"}, 8}};
  if (!isPlain)
    oracle.buffers[1] =
        scaledBuffer("out", 'w', {"d0", "d1"}, 1, rows, columns);
  return oracle;
}

Oracle positionsOracle(const std::string &op, int64_t b, int64_t s, int64_t h,
                       int64_t d, bool isRagged) {
  std::vector<int64_t> begins = {3};
  while (isRagged && int64_t(begins.size()) < b)
    begins.push_back(begins.size());
  bool isRope = op == "rope";
  Oracle oracle;
  oracle.text =
      functionText("llm." + op + " %0 at " + listText(begins) +
                       (isRope ? " theta 1.0e4" : " step 4 slope 0.1"),
                   {tensorText({b, s, h, d})});
  oracle.loops = {"b", "s", "h", "d"};
  oracle.extents = {b, s, h, d};
  oracle.tileable = {true, true, true, !isRope};
  std::vector<std::string> positions = {"s"};
  if (isRagged)
    positions = {"b", "s"};
  if (isRope)
    positions.push_back("d");
  oracle.stages = {positions, {"b", "s", "h", "d"}};
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
                       bool sinksAndCap, int64_t c) {
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
    std::vector<std::string> ofValue = ofKey, ofOut = ofQuery, products = all,
                             outputs = {"b", "h", "g", "s", "d"};
    if (c != 0 && c != d) {
      types[2] = tensorText({b, t, h, c});
      oracle.loops.push_back("c");
      oracle.extents.push_back(c);
      oracle.tileable.push_back(false);
      ofValue.back() = ofOut.back() = products.back() = outputs.back() = "c";
    }
    if (sinksAndCap)
      types.push_back(tensorText({h * g}, "f32"));
    oracle.text =
        functionText(std::string("llm.gqa_attn %0, %1, %2") +
                         (sinksAndCap ? " sinks %3" : "") + mask.text() +
                         scale + (sinksAndCap ? " soft_cap 50.0" : ""),
                     types);
    oracle.stages = {all, pairs, pairs, products, outputs};
    oracle.buffers = {{"query", 'r', ofQuery, 16},
                      {"keys", 'r', ofKey, 16},
                      {"values", 'r', ofValue, 16},
                      {"out", 'w', ofOut, 16},
                      {"scores", 't', pairs, 32}};
    if (sinksAndCap) {
      oracle.stages = {all, pairs, pairs, pairs, rows, products, outputs};
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

Oracle mlaOracle(int64_t b, int64_t h, int64_t s, int64_t t, int64_t d,
                 int64_t c, OracleMask mask) {
  Oracle oracle;
  oracle.text =
      functionText("llm.mla_attn %0, %1 value_dim " + std::to_string(c) +
                       mask.text() + " scale 0.5",
                   {tensorText({b, s, h, d}), tensorText({b, t, 1, d}, "i8")});
  oracle.loops = {"b", "h", "s", "t", "d", "c"};
  oracle.extents = {b, h, s, t, d, c};
  oracle.tileable = {true, true, true, true, false, false};
  oracle.mask = mask;
  std::vector<std::string> pairs = {"b", "h", "s", "t"};
  oracle.stages = {{"b", "h", "s", "t", "d"},
                   pairs,
                   pairs,
                   {"b", "h", "s", "t", "c"},
                   {"b", "h", "s", "c"}};
  oracle.buffers = {{"query", 'r', {"b", "s", "h", "d"}, 16},
                    {"latents", 'r', {"b", "t", "0", "d"}, 8},
                    {"out", 'w', {"b", "s", "h", "c"}, 16},
                    {"scores", 't', pairs, 32}};
  return oracle;
}

Oracle repeatKvOracle(int64_t b, int64_t t, int64_t h, int64_t g, int64_t d,
                      bool toF32) {
  Oracle oracle;
  oracle.text = functionText("llm.repeat_kv %0 heads " + std::to_string(h * g) +
                                 (toF32 ? " to f32" : ""),
                             {tensorText({b, t, h, d})});
  oracle.loops = {"b", "t", "h", "g", "d"};
  oracle.extents = {b, t, h, g, d};
  oracle.tileable = {true, true, true, true, true};
  oracle.group = g;
  oracle.stages = {oracle.loops};
  oracle.buffers = {{"x", 'r', {"b", "t", "h", "d"}, 16},
                    {"out", 'w', {"b", "t", "hg", "d"}, toF32 ? 32 : 16}};
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
                           bool isScaled, Random &random) {
  Oracle oracle;
  oracle.rowsPerExpert = randomRows(experts, topK, tokens, random);
  int64_t m = tokens * topK;
  std::string weights = isScaled ? scaledText : "i8";
  std::vector<std::string> types = {
      tensorText({m, k}), transposed ? tensorText({experts, n, k}, weights)
                                     : tensorText({experts, k, n}, weights)};
  if (bias)
    types.push_back(tensorText({experts, n}, "f32"));
  oracle.text = functionText(
      std::string("llm.grouped_matmul %0, %1") + (bias ? " bias %2" : "") +
          (transposed ? " transpose_rhs" : "") + " rows_per_expert " +
          listText(oracle.rowsPerExpert) + " top_k " + std::to_string(topK),
      types);
  oracle.loops = {"m", "n", "k"};
  oracle.extents = {m, n, k};
  oracle.tileable = {true, true, true};
  oracle.stages = {{"m", "n", "k"}};
  oracle.buffers = {{"lhs", 'r', {"m", "k"}, 16},
                    {"rhs", 'r', {"e", "k", "n"}, 8}};
  if (isScaled)
    oracle.buffers[1] = scaledBuffer("rhs", 'r', {"e", "k", "n"}, experts,
                                     transposed ? n : k, transposed ? k : n);
  if (bias)
    oracle.buffers.push_back({"bias", 'r', {"e", "n"}, 32});
  oracle.buffers.push_back({"out", 'w', {"m", "n"}, 16});
  return oracle;
}

Oracle dispatchOracle(int64_t tokens, int64_t topK, int64_t hidden,
                      bool shares) {
  Oracle oracle;
  std::vector<std::string> types = {tensorText({tokens, hidden}),
                                    tensorText({tokens, topK}, "i32")};
  if (shares)
    types.push_back(tensorText({tokens, topK}, "f32"));
  oracle.text = functionText(std::string("llm.moe_dispatch %0, %1") +
                                 (shares ? " shares %2" : ""),
                             types);
  oracle.loops = {"m", "j", "h"};
  oracle.extents = {tokens, topK, hidden};
  oracle.tileable = {true, true, true};
  oracle.stages = {{"m", "j", "h"}};
  oracle.buffers = {{"x", 'r', {"m", "h"}, 16},
                    {"experts", 'r', {"m", "j"}, 32},
                    {"out", 'w', {"m", "j", "h"}, 16}};
  if (shares)
    oracle.buffers.push_back({"shares", 'r', {"m", "j"}, 32});
  return oracle;
}

Oracle combineOracle(int64_t tokens, int64_t topK, int64_t hidden,
                     bool shares) {
  Oracle oracle = dispatchOracle(tokens, topK, hidden, shares);
  std::vector<std::string> types = {tensorText({tokens * topK, hidden}),
                                    tensorText({tokens, topK}, "i32")};
  if (shares)
    types.push_back(tensorText({tokens, topK}, "f32"));
  oracle.text = functionText(
      std::string("llm.moe_combine %0, %1") + (shares ? ", %2" : ""), types);
  oracle.buffers = {{"x", 'r', {"m", "j", "h"}, 16},
                    {"experts", 'r', {"m", "j"}, 32}};
  if (shares)
    oracle.buffers.push_back({"shares", 'r', {"m", "j"}, 32});
  oracle.buffers.push_back({"out", 'w', {"m", "h"}, 16});
  return oracle;
}

Oracle routeOracle(const std::string &scoring, int64_t tokens, int64_t experts,
                   int64_t topK, bool bias, bool groups) {
  Oracle oracle;
  std::vector<std::string> types = {tensorText({tokens, experts})};
  if (bias)
    types.push_back(tensorText({experts}, "f32"));
  oracle.text = functionText(
      "llm.moe_route " + scoring + " %0" + (bias ? " bias %1" : "") +
          " top_k " + std::to_string(topK) +
          (groups ? " groups 2 top_groups 2" : "") + " normalize",
      types, "%r:2");
  oracle.loops = {"m", "e", "j"};
  oracle.extents = {tokens, experts, topK};
  oracle.tileable = {true, false, false};
  size_t sweeps = scoring == "softmax" ? 3 : scoring == "sigmoid" ? 1 : 0;
  oracle.stages.assign(sweeps + (bias ? 1 : 0) + (groups ? 1 : 0) + 1,
                       {"m", "e"});
  oracle.stages.push_back({"m", "j"});
  oracle.buffers = {{"logits", 'r', {"m", "e"}, 16}};
  if (bias)
    oracle.buffers.push_back({"bias", 'r', {"e"}, 32});
  oracle.buffers.push_back({"shares", 'w', {"m", "j"}, 16});
  oracle.buffers.push_back({"experts", 'w', {"m", "j"}, 32});
  return oracle;
}

Oracle embeddingOracle(int64_t tokens, int64_t vocabulary, int64_t hidden,
                       bool toBf16) {
  Oracle oracle;
  oracle.text = functionText(
      std::string("llm.embedding %0, %1") + (toBf16 ? " to bf16" : ""),
      {tensorText({tokens}, "i32"), tensorText({vocabulary, hidden}, "i8")});
  oracle.loops = {"m", "h"};
  oracle.extents = {tokens, hidden};
  oracle.tileable = {true, true};
  oracle.stages = {{"m", "h"}};
  oracle.buffers = {{"tokens", 'r', {"m"}, 32},
                    {"table", 'r', {"m", "h"}, 8},
                    {"out", 'w', {"m", "h"}, toBf16 ? 16 : 8}};
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

/// Lengths of the sequences of a ragged batch, and the positions of their first
/// keys where the mask has chunks.
static void makeRagged(OracleMask &mask, int64_t batch, int64_t queries,
                       int64_t keys, Random &random) {
  for (int64_t sequence = 0; sequence < batch; ++sequence) {
    mask.lengths.push_back(random(mask.isCausal ? queries : 1, keys));
    if (mask.chunk)
      mask.firstKeys.push_back(random(0, 9));
  }
}

/// One of the attention ops and their pieces.
static Oracle randomAttention(Random &random) {
  OracleMask mask = randomMask(random);
  int64_t b = random(1, 2), h = random(1, 2), g = random(1, 3);
  int64_t s = random(1, 5), t = random(mask.isCausal ? s : 1, 6);
  int64_t d = random(1, 2);
  if (random(0, 1))
    makeRagged(mask, b, s, t, random);
  switch (random(0, 5)) {
  case 0:
    return attentionOracle("qk", b, h, g, s, t, d, mask);
  case 1:
    return attentionOracle("pv", b, h, g, s, t, d, mask);
  case 2:
    return softmaxOracle(b, h, s, t, mask, random(0, 1));
  case 3:
    return mlaOracle(b, h, s, t, d + 1, random(1, d + 1), mask);
  case 4:
    return attentionOracle("gqa_attn", b, h, g, s, t, d, mask, random(0, 1),
                           random(1, 3));
  default:
    return attentionOracle("gqa_attn", b, h, g, s, t, d, mask, random(0, 1));
  }
}

/// One of the ops of a mixture of experts.
static Oracle randomExperts(Random &random) {
  switch (random(0, 3)) {
  case 0: {
    int64_t experts = random(1, 4), topK = random(1, experts);
    return groupedMatmulOracle(experts, topK, random(1, 3), random(1, 5),
                               random(1, 5), random(0, 1), random(0, 1),
                               random(0, 1), random);
  }
  case 1:
    return dispatchOracle(random(1, 5), random(1, 3), random(1, 5),
                          random(0, 1));
  case 2:
    return combineOracle(random(1, 5), random(1, 3), random(1, 5),
                         random(0, 1));
  default: {
    const char *scorings[] = {"softmax", "sigmoid", "topk_softmax",
                              "topk_sigmoid"};
    int64_t experts = random(1, 6);
    return routeOracle(scorings[random(0, 3)], random(1, 4), experts,
                       random(1, experts), random(0, 1),
                       experts % 2 == 0 && random(0, 1));
  }
  }
}

Oracle randomOracle(Random &random) {
  switch (random(0, 23)) {
  case 0:
    return matmulOracle(random(1, 7), random(1, 7), random(1, 7), random(0, 1),
                        random(0, 1));
  case 1:
    return rmsNormOracle(random(1, 9), random(1, 9), random(0, 1));
  case 2:
    return addOracle(random(1, 9), random(1, 9));
  case 3: {
    int64_t b = random(1, 3);
    return positionsOracle("rope", b, random(1, 3), random(1, 3),
                           2 * random(1, 2), b > 1 && random(0, 1));
  }
  case 4: {
    int64_t b = random(1, 3);
    return positionsOracle("position_scale", b, random(1, 3), random(1, 3),
                           random(1, 3), b > 1 && random(0, 1));
  }
  case 5:
    return batchMatmulOracle(random(1, 4), random(1, 4), random(1, 5),
                             random(1, 5), random(0, 1), random(0, 1));
  case 6:
    return swigluOracle(random(1, 9), random(1, 9), random(0, 1));
  case 7:
    return embeddingOracle(random(1, 7), random(1, 9), random(1, 7),
                           random(0, 1));
  case 8:
    return sampleOracle(random(1, 5), random(1, 9), random(0, 1));
  case 9: {
    const char *types[] = {"i8", "found", "static"};
    return quantizeOracle(random(1, 9), random(1, 9), types[random(0, 2)]);
  }
  case 10:
    return repeatKvOracle(random(1, 2), random(1, 4), random(1, 2),
                          random(1, 3), random(1, 3), random(0, 1));
  case 11:
  case 12:
  case 13:
  case 14:
    return randomExperts(random);
  case 15:
  case 16:
  case 17:
  case 18:
    return randomFusedOracle(random);
  default:
    return randomAttention(random);
  }
}

} // namespace mlir::llm
