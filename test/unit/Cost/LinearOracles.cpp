//===- LinearOracles.cpp - Products, norms and elementwise ops, by hand ---===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

namespace mlir::llm {

OracleBuffer scaledBuffer(const std::string &name, char role,
                          const std::vector<std::string> &indices,
                          int64_t matrices, int64_t rows, int64_t columns) {
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

Oracle layerNormOracle(int64_t rows, int64_t columns) {
  Oracle oracle = rmsNormOracle(rows, columns, /*weight=*/true);
  std::string vector = tensorText({columns}, "f32");
  oracle.text = functionText("llm.layernorm %0, %1, %2 epsilon 1.0e-5",
                             {tensorText({rows, columns}), vector, vector});
  oracle.buffers.push_back({"bias", 'r', {"d1"}, 32});
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

} // namespace mlir::llm
