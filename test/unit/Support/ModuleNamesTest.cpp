//===- ModuleNamesTest.cpp - The modules of a model in names --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/ModuleNames.h"
#include "gtest/gtest.h"

using namespace mlir::llm;

namespace {

TEST(ModuleNamesTest, TheModuleIsAllButTheLastPart) {
  EXPECT_EQ(moduleOf("model.layers.3.mlp.up_proj"), "model.layers.3.mlp");
  EXPECT_EQ(moduleOf("lm_head"), "");
  EXPECT_EQ(moduleOf(""), "");
}

TEST(ModuleNamesTest, DotsOfRangesSeparateNothing) {
  EXPECT_EQ(moduleOf("model.layers.{3..60}.mlp.gate"),
            "model.layers.{3..60}.mlp");
  EXPECT_EQ(layerOf("model.layers.{1,3..23}.mlp.gate"),
            "model.layers.{1,3..23}");
  // A brace that nothing closes is a letter as far as the name goes.
  EXPECT_EQ(moduleOf("a.{b.c"), "a");
}

TEST(ModuleNamesTest, ModulesAreNested) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(partsOfModule("model.layers.{3..60}.mlp"),
            (Parts{"model", "layers", "{3..60}", "mlp"}));
  EXPECT_EQ(partsOfModule("mlp"), Parts{"mlp"});
  EXPECT_EQ(partsOfModule("a."), (Parts{"a", ""}));
  EXPECT_EQ(partsOfModule(""), Parts());
}

TEST(ModuleNamesTest, OpsThatRunAsOneShareAModule) {
  EXPECT_EQ(moduleOf("model.layers.{}.mlp.up_proj+model.layers.{}.mlp.act"),
            "model.layers.{}.mlp");
  EXPECT_EQ(moduleOf("model.layers.{}.mlp.up_proj+model.layers.{}.norm"),
            "model.layers.{}");
  EXPECT_EQ(moduleOf("model.layers.1.norm+model.layers.10.norm"),
            "model.layers");
  EXPECT_EQ(layerOf("model.layers.1.norm+model.layers.10.norm"), "");
}

TEST(ModuleNamesTest, ShortNamesOfOpsThatRunAsOneCountAsInTheModuleOfTheFirst) {
  EXPECT_EQ(moduleOf("model.layers.{}.self_attn.q_proj+k_proj+v_proj"),
            "model.layers.{}.self_attn");
  EXPECT_EQ(moduleOf("model.layers.0.input_layernorm+self_attn.q_proj+k_proj"),
            "model.layers.0");
  EXPECT_EQ(layerOf("model.layers.0.mlp.down_proj+mlp_residual"),
            "model.layers.0");
}

TEST(ModuleNamesTest, OpsWithoutANameHaveNoModule) {
  EXPECT_EQ(moduleOf("linalg.matmul#3"), "");
  EXPECT_EQ(layerOf("linalg.matmul#3"), "");
}

TEST(ModuleNamesTest, TheLayerEndsWithItsNumber) {
  EXPECT_EQ(layerOf("model.layers.{}.self_attn.q_proj"), "model.layers.{}");
  EXPECT_EQ(layerOf("model.layers.12.input_layernorm"), "model.layers.12");
  EXPECT_EQ(layerOf("model.layers.3.experts.7.up"), "model.layers.3");
  EXPECT_EQ(layerOf("model.embed_tokens"), "");
  EXPECT_EQ(layerOf("model.block3.norm"), "");
}

} // namespace
