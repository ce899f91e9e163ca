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
