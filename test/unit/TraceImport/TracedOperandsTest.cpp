//===- TracedOperandsTest.cpp - Tests of sizes in args --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceImport/TracedOperands.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

/// "f32 [1, 2] i32 [3]", and "-" for what is no tensor.
static std::string show(StringRef args) {
  std::optional<TracedOperands> operands = TracedOperands::read(args);
  if (!operands)
    return "nothing";
  std::string text;
  for (const TracedTensor &tensor : operands->tensors) {
    text += text.empty() ? "" : " ";
    if (tensor.sizes.empty()) {
      text += "-";
      continue;
    }
    text += tensor.type + " [";
    for (int64_t size : tensor.sizes)
      text += (text.back() == '[' ? "" : ", ") + std::to_string(size);
    text += "]";
  }
  return text;
}

TEST(TracedOperands, AreThoseOfPyTorch) {
  EXPECT_EQ(show(R"({"Input Dims": [[2, 3], [], [0, 4], 5, ["x"], [[6], [7]]],
                     "Input type": ["float", "Scalar"]})"),
            "float [2, 3] - - - - -");
  EXPECT_EQ(show(R"({"Input dims": [[8]], "Input Types": []})"), " [8]");
  EXPECT_EQ(show(R"({"Input Dims": [[1, 9223372036854775807], [-1]]})"), "- -");
}

/// Innermost first in the file.
TEST(TracedOperands, AreThoseOfGgml) {
  EXPECT_EQ(show(R"({"sources": [{"ne": [64, 32, 1, 1], "type": "f16"},
                     {"type": "f32"}, 7, {"ne": [3]}]})"),
            "f16 [1, 1, 32, 64] - -  [3]");
}

TEST(TracedOperands, AreNotThereInOtherArgs) {
  for (const char *args :
       {"", "{", "[]", "{}", R"({"Input Dims": 3})", R"({"sources": {}})"})
    EXPECT_EQ(show(args), "nothing") << args;
}

/// "m x n x k", or why not; empty for what is no product.
static std::string product(StringRef name, StringRef args) {
  ProductReading read = readProduct(name, *TracedOperands::read(args));
  if (!read.sizes)
    return read.whyNot.str();
  return std::to_string(read.sizes->m) + " x " + std::to_string(read.sizes->n) +
         " x " + std::to_string(read.sizes->k);
}

TEST(TracedOperands, SayWhatProductsAre) {
  const char *plain = R"({"Input Dims": [[5, 4, 3], [3, 7]]})";
  EXPECT_EQ(product("aten::mm", plain), "20 x 7 x 3");
  EXPECT_EQ(product("aten::matmul", plain), "20 x 7 x 3");
  EXPECT_EQ(product("aten::add", plain), "");
  EXPECT_EQ(product("aten::linear", plain), "sizes that do not fit together");
  EXPECT_EQ(product("aten::linear", R"({"Input Dims": [[4, 3], [7, 3], [7]]})"),
            "4 x 7 x 3");
  EXPECT_EQ(
      product("aten::addmm", R"({"Input Dims": [[4, 7], [4, 3], [3, 7]]})"),
      "4 x 7 x 3");
  // Scales are matrices, too.
  EXPECT_EQ(product("aten::_scaled_mm",
                    R"({"Input Dims": [[4, 3], [3, 7], [4, 1], [1, 7]]})"),
            "4 x 7 x 3");
  EXPECT_EQ(product("aten::bmm", R"({"Input Dims": [[1, 4, 3], [1, 3, 7]]})"),
            "4 x 7 x 3");
  EXPECT_EQ(product("aten::bmm", R"({"Input Dims": [[2, 4, 3], [2, 3, 7]]})"),
            "products in a batch, each with a matrix of its own");
  EXPECT_EQ(product("aten::mm", R"({"Input Dims": [[4, 3], [3]]})"),
            "a product that is not with one matrix");
  EXPECT_EQ(product("MUL_MAT q", R"({"sources": [{"ne": [3, 7, 1, 1]},
                                                 {"ne": [3, 4, 2, 1]}]})"),
            "8 x 7 x 3");
  EXPECT_EQ(product("MUL_MAT kq", R"({"sources": [{"ne": [3, 7, 2, 1]},
                                                  {"ne": [3, 4, 2, 1]}]})"),
            "products in a batch, each with a matrix of its own");
}
