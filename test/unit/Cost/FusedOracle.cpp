//===- FusedOracle.cpp - What kernels of several ops touch ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

namespace mlir::llm {

/// A function whose arguments have these types, around a kernel of these ops,
/// the last of which gives %r.
static std::string fusedText(const std::vector<std::string> &types,
                             const std::vector<std::string> &ops,
                             const std::string &result) {
  std::string text = "func.func @f(";
  for (size_t index = 0; index < types.size(); ++index)
    text += (index ? ", %" : "%") + std::to_string(index) + ": " + types[index];
  text += ") {\n  %f = llm.fused {\n";
  for (const std::string &op : ops)
    text += "    " + op + "\n";
  return text + "    llm.yield %r : " + result + "\n  } : " + result +
         "\n  return\n}\n";
}

static OracleBuffer kept(OracleBuffer buffer, bool isInPlace) {
  buffer.isKept = true;
  buffer.isInPlace = isInPlace;
  return buffer;
}

static OracleBuffer late(OracleBuffer buffer) {
  buffer.isLate = true;
  return buffer;
}

/// A product and its residual.
static Oracle productAndSum(int64_t m, int64_t k, int64_t n) {
  std::string out = tensorText({m, n});
  Oracle oracle;
  oracle.text = fusedText({tensorText({m, k}), tensorText({k, n}, "i8"), out},
                          {"%p = llm.matmul %0, %1 : " + tensorText({m, k}) +
                               ", " + tensorText({k, n}, "i8"),
                           "%r = llm.add %2, %p : " + out + ", " + out},
                          out);
  oracle.loops = {"m", "n", "k"};
  oracle.extents = {m, n, k};
  oracle.tileable = {true, true, true};
  oracle.stages = {{"m", "n", "k"}, {"m", "n"}};
  oracle.buffers = {{"matmul.lhs", 'r', {"m", "k"}, 16},
                    {"matmul.rhs", 'r', {"k", "n"}, 8},
                    kept({"matmul.out", 't', {"m", "n"}, 16}, true),
                    late({"add.lhs", 'r', {"m", "n"}, 16}),
                    {"add.out", 'w', {"m", "n"}, 16}};
  return oracle;
}

/// A product of what a norm gives; the reduction is the row of the norm.
static Oracle normAndProduct(int64_t m, int64_t k, int64_t n) {
  Oracle oracle;
  std::string x = tensorText({m, k}), w = tensorText({n, k}, "i8");
  oracle.text =
      fusedText({x, tensorText({k}, "f32"), w},
                {"%n = llm.rmsnorm %0, %1 epsilon 1.0e-5 : " + x + ", " +
                     tensorText({k}, "f32"),
                 "%r = llm.matmul %n, %2 transpose_rhs : " + x + ", " + w},
                tensorText({m, n}));
  oracle.loops = {"m", "k", "n"};
  oracle.extents = {m, k, n};
  oracle.tileable = {true, false, true};
  oracle.stages = {{"m", "k"}, {"m"}, {"m", "k"}, {"m", "n", "k"}};
  oracle.buffers = {{"rmsnorm.x", 'r', {"m", "k"}, 16},
                    kept({"rmsnorm.out", 't', {"m", "k"}, 16}, false),
                    {"rmsnorm.weight", 'r', {"k"}, 32},
                    {"matmul.rhs", 'r', {"n", "k"}, 8},
                    {"matmul.out", 'w', {"m", "n"}, 16}};
  return oracle;
}

/// A product whose rows are (b, s) and whose columns are (h, d), rotated.
static Oracle productAndRope(int64_t b, int64_t s, int64_t h, int64_t d,
                             int64_t k) {
  Oracle oracle;
  std::string flat = tensorText({b * s, h * d}),
              heads = tensorText({b, s, h, d});
  oracle.text = fusedText(
      {tensorText({b * s, k}), tensorText({h * d, k}, "i8")},
      {"%p = llm.matmul %0, %1 transpose_rhs : " + tensorText({b * s, k}) +
           ", " + tensorText({h * d, k}, "i8"),
       "%e = tensor.expand_shape %p [[0, 1], [2, 3]] output_shape " +
           listText({b, s, h, d}) + " : " + flat + " into " + heads,
       "%r = llm.rope %e at 3 theta 1.0e4 : " + heads},
      heads);
  oracle.loops = {"b", "s", "h", "d", "k"};
  oracle.extents = {b, s, h, d, k};
  oracle.tileable = {true, true, true, false, true};
  oracle.stages = {oracle.loops, {"s", "d"}, {"b", "s", "h", "d"}};
  oracle.buffers = {{"matmul.lhs", 'r', {"b", "s", "k"}, 16},
                    {"matmul.rhs", 'r', {"h", "d", "k"}, 8},
                    kept({"matmul.out", 't', {"b", "s", "h", "d"}, 16}, true),
                    {"rope.out", 'w', {"b", "s", "h", "d"}, 16}};
  return oracle;
}

/// Gate and up as one product of 2 f columns: column i of one half belongs to
/// column i of the other one, or column 2 i to column 2 i + 1.
static Oracle halvesAndSwiglu(int64_t m, int64_t k, int64_t f, bool isEven) {
  Oracle oracle;
  std::string both = tensorText({m, 2 * f}), half = tensorText({m, f}),
              sizes = " [" + std::to_string(m) + ", " + std::to_string(f) +
                      "] [1, " + (isEven ? "2" : "1") + "] : " + both + " to " +
                      half;
  oracle.text = fusedText({tensorText({m, k}), tensorText({k, 2 * f}, "i8")},
                          {"%p = llm.matmul %0, %1 : " + tensorText({m, k}) +
                               ", " + tensorText({k, 2 * f}, "i8"),
                           "%g = tensor.extract_slice %p[0, 0]" + sizes,
                           "%u = tensor.extract_slice %p[0, " +
                               std::to_string(isEven ? 1 : f) + "]" + sizes,
                           "%r = llm.swiglu %g, %u : " + half + ", " + half},
                          half);
  std::string side = isEven ? "matmul.n.1" : "matmul.n.0";
  std::vector<std::string> columns = {side, "d1"};
  oracle.loops = {"m", side, "d1", "k"};
  oracle.extents = {m, 2, f, k};
  oracle.tileable = {true, false, true, true};
  if (isEven) {
    columns = {"d1", side};
    oracle.loops = {"m", "d1", side, "k"};
    oracle.extents = {m, f, 2, k};
    oracle.tileable = {true, true, false, true};
  }
  oracle.stages = {oracle.loops, {"m", "d1"}};
  oracle.buffers = {
      {"matmul.lhs", 'r', {"m", "k"}, 16},
      {"matmul.rhs", 'r', {"k", columns[0], columns[1]}, 8},
      kept({"matmul.out", 't', {"m", columns[0], columns[1]}, 16}, false),
      {"swiglu.out", 'w', {"m", "d1"}, 16}};
  return oracle;
}

/// A product for each expert, rounded to fewer bits: the sums need room of
/// their own.
static Oracle expertsAndQuantize(Random &random) {
  Oracle oracle = groupedMatmulOracle(
      random(1, 4), 1, random(1, 6), random(1, 4), random(1, 4),
      /*transposed=*/false, /*bias=*/false, /*isScaled=*/false, random);
  int64_t m = oracle.extents[0], n = oracle.extents[1], k = oracle.extents[2],
          experts = oracle.rowsPerExpert.size();
  std::string x = tensorText({m, k}), w = tensorText({experts, k, n}, "i8");
  oracle.text = fusedText(
      {x, w},
      {"%p = llm.grouped_matmul %0, %1 rows_per_expert " +
           listText(oracle.rowsPerExpert) + " top_k 1 : " + x + ", " + w,
       "%r = llm.quantize %p to i8 : " + tensorText({m, n})},
      tensorText({m, n}, "i8"));
  oracle.stages.push_back({"m", "n"});
  oracle.buffers[2] = kept({"grouped_matmul.out", 't', {"m", "n"}, 16}, false);
  oracle.buffers[0].name = "grouped_matmul.lhs";
  oracle.buffers[1].name = "grouped_matmul.rhs";
  oracle.buffers.push_back({"quantize.out", 'w', {"m", "n"}, 8});
  return oracle;
}

Oracle randomFusedOracle(Random &random, int64_t most) {
  switch (random(0, 4)) {
  case 0:
    return productAndSum(random(1, most), random(1, most), random(1, most));
  case 1:
    return normAndProduct(random(1, most), random(1, most), random(1, most));
  case 2:
    return productAndRope(random(2, most / 2), random(2, most / 2),
                          random(2, most / 2), 4, random(1, most / 2));
  case 3:
    return halvesAndSwiglu(random(1, most - 2), random(1, most - 2),
                           random(2, most - 1), random(0, 1));
  default:
    return expertsAndQuantize(random);
  }
}

} // namespace mlir::llm
