//===- ExpertOracles.cpp - Experts, embedding and sampling, by hand -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

namespace mlir::llm {

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

} // namespace mlir::llm
