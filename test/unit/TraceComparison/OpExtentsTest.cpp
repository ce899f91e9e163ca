//===- OpExtentsTest.cpp - Tests of ops beside sizes of traces ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/TraceComparison/OpExtents.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

/// Four tokens of width 48; 6 heads of 16 features on 2 heads of keys, of which
/// there are 10.
static const char *const ops = R"(
  func.func @ops(%x: tensor<4x48xf32>, %q: tensor<1x4x6x16xf32>,
                 %k: tensor<1x10x2x16xf32>, %ids: tensor<4xi32>) {
    %w = llm.weight "norm.weight" : tensor<48xf32>
    %table = llm.weight "table" : tensor<99x48xf32>
    %0 = llm.rmsnorm "norm" %x, %w epsilon 1.0e-5 : tensor<4x48xf32>, tensor<48xf32>
    %1 = llm.add "add" %x, %x : tensor<4x48xf32>, tensor<4x48xf32>
    %2 = llm.rope "rope" %q at 6 theta 1.0e4 : tensor<1x4x6x16xf32>
    %3 = llm.gqa_attn "attn" %q, %k, %k mask full scale 1.0
        : tensor<1x4x6x16xf32>, tensor<1x10x2x16xf32>, tensor<1x10x2x16xf32>
    %4 = llm.embedding "embed" %ids, %table : tensor<4xi32>, tensor<99x48xf32>
    %cache = llm.kv_cache "cache" : <batch = 1, kv_heads = 2, head_dim = 16, capacity = 64, f32>
    %rows = tensor.extract_slice %k[0, 0, 0, 0] [1, 4, 2, 16] [1, 1, 1, 1]
        : tensor<1x10x2x16xf32> to tensor<1x4x2x16xf32>
    %5 = llm.kv_write "write" %cache, %rows, %rows at 6
        : !llm.kv_cache<batch = 1, kv_heads = 2, head_dim = 16, capacity = 64, f32>,
          tensor<1x4x2x16xf32>, tensor<1x4x2x16xf32>
    return
  }
)";

namespace {
using Sizes = std::vector<std::vector<int64_t>>;

class OpExtentsTest : public testing::Test {
protected:
  OpExtentsTest() {
    context.loadDialect<LlmDialect, func::FuncDialect, tensor::TensorDialect>();
    module = parseSourceString<ModuleOp>(ops, &context);
    module->walk([&](WorkloadOpInterface op) {
      extents[op.getWorkloadName()] = OpExtents(op);
    });
  }
  static TracedOperands makeOperands(const Sizes &all) {
    TracedOperands operands;
    for (const std::vector<int64_t> &sizes : all)
      operands.tensors.push_back({{sizes.begin(), sizes.end()}, ""});
    return operands;
  }
  bool explain(StringRef op, const Sizes &all, bool isWhole) {
    return extents.at(op).explain(makeOperands(all), isWhole);
  }
  bool isWhole(StringRef op, const Sizes &all) {
    return explain(op, all, true);
  }
  bool isPart(StringRef op, const Sizes &all) {
    return explain(op, all, false);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::map<StringRef, OpExtents> extents;
};
} // namespace

TEST_F(OpExtentsTest, FrameworksReshapeAndTranspose) {
  EXPECT_TRUE(isWhole("norm", {{1, 4, 48}, {}, {48}, {}}));
  EXPECT_TRUE(isWhole("add", {{2, 2, 48}, {2, 2, 48}}));
  // Heads before tokens, as PyTorch has them.
  EXPECT_TRUE(isWhole("attn", {{1, 6, 4, 16}, {1, 2, 10, 16}, {1, 2, 10, 16}}));
  EXPECT_TRUE(isWhole("embed", {{99, 48}, {1, 4}}));
}

TEST_F(OpExtentsTest, OfACacheToolsShowAnyRoom) {
  // Blocks of 16 keys each for keys and values; where the rows go.
  EXPECT_TRUE(isWhole(
      "write", {{4, 2, 16}, {4, 2, 16}, {7, 16, 2, 16}, {7, 16, 2, 16}, {4}}));
  EXPECT_FALSE(isPart("write", {{4, 2, 16}, {7, 15, 2, 15}}));
  EXPECT_FALSE(isPart("write", {{7, 16, 2, 16}}));
  EXPECT_FALSE(isPart("attn", {{1, 6, 4, 16}, {7, 16, 2, 16}}));
}

TEST_F(OpExtentsTest, OtherSizesAreOtherOps) {
  EXPECT_FALSE(isPart("norm", {{1, 4, 48}, {8}}));
  EXPECT_FALSE(isPart("add", {{5, 48}, {5, 48}}));
  EXPECT_FALSE(isPart("attn", {{1, 6, 4, 16}, {1, 2, 11, 16}}));
  EXPECT_FALSE(isPart("embed", {{98, 48}, {1, 4}}));
  // No tensor says nothing.
  EXPECT_FALSE(isPart("add", {{}, {1}}));
}

TEST_F(OpExtentsTest, PartsAreAlongSomeLoops) {
  // Scores of all heads, and keys that are repeated for them.
  EXPECT_TRUE(isPart("attn", {{1, 6, 4, 10}}));
  EXPECT_FALSE(isWhole("attn", {{1, 6, 4, 10}}));
  EXPECT_TRUE(isPart("attn", {{6, 4, 16}, {6, 16, 10}}));
  // Angles are of tokens and features, for all heads.
  EXPECT_TRUE(isWhole("rope", {{1, 6, 4, 16}, {1, 1, 4, 16}}));
  EXPECT_FALSE(isWhole("rope", {{1, 1, 4, 16}}));
}

TEST_F(OpExtentsTest, TheLargestMayBeKnownAlone) {
  auto isLargestKnown = [&](StringRef op, const Sizes &all) {
    return extents.at(op).explainLargest(makeOperands(all));
  };
  EXPECT_TRUE(isLargestKnown("attn", {{1, 5}, {1, 2, 10, 16}}));
  EXPECT_FALSE(isLargestKnown("attn", {{1, 6, 4, 16}, {1, 2, 13, 16}}));
  EXPECT_TRUE(isLargestKnown("add", {{}, {1}}));
  EXPECT_TRUE(OpExtents().explainLargest(makeOperands({{3, 5}})));
  EXPECT_FALSE(OpExtents().explain(makeOperands({{3, 5}}), /*isWhole=*/false));
}

TEST_F(OpExtentsTest, CountsBeyondBoundsAreNoSizes) {
  EXPECT_FALSE(isPart("add", {{int64_t(1) << 30, int64_t(1) << 30}}));
}
