//===- AttentionOracles.cpp - Attention and its pieces, by hand -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

namespace mlir::llm {

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

Oracle selectedOracle(const std::string &op, int64_t b, int64_t h, int64_t g,
                      int64_t s, int64_t keys, int64_t d, OracleMask mask,
                      int64_t top, int64_t block, bool isGrouped) {
  bool isLatent = op == "mla_attn";
  int64_t slots = std::min(keys, top * block);
  Oracle oracle = isLatent
                      ? mlaOracle(b, g, s, keys, d, d, mask)
                      : attentionOracle("gqa_attn", b, h, g, s, keys, d, mask);
  std::string queries = tensorText({b, s, h * g, d}),
              stored = tensorText({b, keys, h, d}),
              chosen = tensorText({b, s, isGrouped ? h : 1, top}, "i32");
  std::vector<std::string> types = {queries, stored};
  if (isLatent)
    types[1] = tensorText({b, keys, 1, d}, "i8");
  else
    types.push_back(stored);
  types.push_back(chosen);
  std::string number = isLatent ? "%2" : "%3";
  oracle.text = functionText(
      (isLatent ? "llm.mla_attn %0, %1 value_dim " + std::to_string(d)
                : std::string("llm.gqa_attn %0, %1, %2")) +
          " selected " + number +
          (block > 1 ? " block " + std::to_string(block) : std::string()) +
          mask.text() + " scale 0.5",
      types);
  std::string listed = ", " + chosen;
  oracle.text.replace(oracle.text.rfind(listed), listed.size(),
                      " selected " + chosen);
  oracle.keys = keys;
  oracle.extents[oracle.loop("t")] = slots;
  for (OracleBuffer &buffer : oracle.buffers)
    if (buffer.name == "keys" || buffer.name == "values" ||
        buffer.name == "latents")
      buffer.indices.insert(buffer.indices.begin() + 1, "s");
  if (block > 1) {
    oracle.loops.push_back("k");
    oracle.extents.push_back(top);
    oracle.tileable.push_back(false);
  }
  OracleBuffer selection = {
      "selected",
      'r',
      {"b", "s", isGrouped ? "h" : "0", block > 1 ? "k" : "t"},
      32};
  oracle.buffers.insert(oracle.buffers.begin() + (isLatent ? 2 : 3), selection);
  return oracle;
}

Oracle selectKeysOracle(int64_t b, int64_t s, int64_t h, int64_t t, int64_t d,
                        OracleMask mask, int64_t top, int64_t block,
                        bool weights) {
  Oracle oracle;
  std::vector<std::string> types = {tensorText({b, s, h, d}),
                                    tensorText({b, t, 1, d}, "i8")};
  if (weights)
    types.push_back(tensorText({b, s, h}));
  oracle.text = functionText(
      std::string("llm.select_keys %0, %1") + (weights ? " weights %2" : "") +
          mask.text() + " scale 0.5 top " + std::to_string(top) +
          (block ? " block " + std::to_string(block) : std::string()),
      types);
  oracle.loops = {"b", "s", "h", "t", "d", "k"};
  oracle.extents = {b, s, h, t, d, top};
  oracle.tileable = {true, true, !weights, true, false, false};
  if (block) {
    oracle.loops.insert(oracle.loops.end() - 1, "n");
    oracle.extents.insert(oracle.extents.end() - 1, (t + block - 1) / block);
    oracle.tileable.push_back(false);
  }
  oracle.mask = mask;
  using Names = std::vector<std::string>;
  Names all = {"b", "s", "h", "t", "d"}, heads = {"b", "s", "h", "t"};
  Names pairs = weights ? Names{"b", "s", "t"} : heads,
        blocks = weights ? Names{"b", "s", "n"} : Names{"b", "s", "h", "n"};
  oracle.stages = {all};
  oracle.buffers = {{"query", 'r', {"b", "s", "h", "d"}, 16},
                    {"keys", 'r', {"b", "t", "0", "d"}, 8}};
  if (weights) {
    oracle.stages.push_back(heads);
    oracle.buffers.push_back({"weights", 'r', {"b", "s", "h"}, 16});
  }
  oracle.buffers.push_back(
      {"out", 'w', {"b", "s", weights ? "0" : "h", "k"}, 32});
  oracle.buffers.push_back({"scores", 't', pairs, 32});
  oracle.stages.push_back(pairs);
  if (block) {
    oracle.stages.push_back(blocks);
    oracle.buffers.push_back({"block_scores", 't', blocks, 32});
  }
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

} // namespace mlir::llm
