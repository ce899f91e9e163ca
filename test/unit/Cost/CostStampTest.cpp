//===- CostStampTest.cpp - What makes a cost stale ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

constexpr const char *tileText = "#llm.tile<search levels = [<\"sram\", sizes "
                                 "= {k = 8, m = 8, n = 8}, order = [m, n, k], "
                                 "buffers = {lhs = 1, out = 1, rhs = 1}>]>";
constexpr const char *otherTileText =
    "#llm.tile<search levels = [<\"sram\", sizes = {k = 4, m = 8, n = 8}, "
    "order = [m, n, k], "
    "buffers = {lhs = 2, out = 1, rhs = 2}>]>";

std::string stampOf(const std::string &op, const Target &target,
                    const char *tile = tileText) {
  OneOp one(op);
  FailureOr<OpOnTarget> context = OpOnTarget::get(one.op, target);
  EXPECT_TRUE(succeeded(context));
  auto attribute =
      dyn_cast_if_present<TileAttr>(parseAttribute(tile, &one.context));
  EXPECT_TRUE(attribute);
  return computeStamp(*context, attribute).str();
}

std::string matmul(const std::string &name = "", int64_t k = 8,
                   const std::string &type = "bf16") {
  return functionText("llm.matmul " +
                          (name.empty() ? "" : "\"" + name + "\" ") + "%0, %1",
                      {tensorText({8, k}, type), tensorText({k, 8}, type)});
}

std::string attention(const std::string &mask,
                      const std::string &scale = "0.5") {
  return functionText("llm.gqa_attn %0, %1, %2 mask " + mask + " scale " +
                          scale,
                      {tensorText({1, 4, 2, 8}), tensorText({1, 4, 2, 8}),
                       tensorText({1, 4, 2, 8})});
}

/// The same op, tile and machine have the same stamp in another context and
/// process.
TEST(CostStampTest, IsAFunctionOfItsArguments) {
  EXPECT_EQ(stampOf(matmul(), toyTarget(4096)),
            stampOf(matmul(), toyTarget(4096)));
  EXPECT_EQ(stampOf(matmul(), toyTarget(4096)).size(), 16u);
}

/// Names and the number of engines say nothing about the cost.
TEST(CostStampTest, NamesAndEngineCountsDoNotMatter) {
  std::string stamp = stampOf(matmul(), toyTarget(4096));
  EXPECT_EQ(stamp, stampOf(matmul("model.layers.0.q_proj"), toyTarget(4096)));
  Target target = toyTarget(4096);
  target.engines.front().count = 64;
  target.name = "renamed";
  target.description = "somewhere else";
  EXPECT_EQ(stamp, stampOf(matmul(), target));
}

/// Shapes, types, masks and the tile matter.
TEST(CostStampTest, OpAndTileMatter) {
  Target target = toyTarget(4096);
  std::string stamp = stampOf(matmul(), target);
  EXPECT_NE(stamp, stampOf(matmul("", 16), target));
  EXPECT_NE(stamp, stampOf(matmul("", 8, "i8"), target));
  EXPECT_NE(stamp, stampOf(matmul(), target, otherTileText));
  EXPECT_NE(stamp,
            stampOf(functionText("llm.matmul %0, %1 transpose_rhs",
                                 {tensorText({8, 8}), tensorText({8, 8})}),
                    target));
  EXPECT_NE(stampOf(attention("causal"), target),
            stampOf(attention("full"), target));
  EXPECT_NE(stampOf(functionText("llm.add %0, %1",
                                 {tensorText({8}), tensorText({8})}),
                    target),
            stampOf(functionText("llm.mul %0, %1",
                                 {tensorText({8}), tensorText({8})}),
                    target));
  EXPECT_NE(stampOf(functionText("llm.activation silu %0", {tensorText({8})}),
                    target),
            stampOf(functionText("llm.activation gelu %0", {tensorText({8})}),
                    target));
}

/// Every figure of the machine that a cost is made of matters, one by one; so
/// do the names of engine and private memory, which cost and tile repeat.
TEST(CostStampTest, EveryFigureOfTheTargetMatters) {
  std::string stamp = stampOf(matmul(), toyTarget(4096));
  auto expectChange = [&](const char *what,
                          llvm::function_ref<void(Target &)> change) {
    Target target = toyTarget(4096);
    change(target);
    EXPECT_NE(stamp, stampOf(matmul(), target)) << what;
  };
  using T = Target &;
  expectChange("clock", [](T t) { t.clockHz = 2000; });
  expectChange("bandwidth",
               [](T t) { t.memories.back().bytesPerSecond = 6001; });
  expectChange("lanes", [](T t) { t.memories.back().lanes = 512; });
  expectChange("capacity",
               [](T t) { t.memories.front().capacityBytes = 8192; });
  expectChange("port", [](T t) { t.engines.front().ports.clear(); });
  expectChange(
      "macs", [](T t) { t.engines.front().macRates.front().macsPerCycle = 9; });
  expectChange("type", [](T t) {
    t.engines.front().macRates.front().elementType = "f16";
  });
  expectChange("units", [](T t) { t.engines.front().units = 2; });
  expectChange("overhead", [](T t) { t.engines.front().overheadCycles = 1; });
  expectChange("alu", [](T t) { t.engines.front().aluPerCycle = 5; });
  expectChange("no special",
               [](T t) { t.engines.front().specialPerCycle = std::nullopt; });
  expectChange("compare", [](T t) { t.engines.front().comparePerCycle = 5; });
  expectChange("engine's name", [](T t) { t.engines.front().name = "tile"; });
  expectChange("memory's name", [](T t) {
    t.memories.front().name = "cache";
    t.engines.front().privateMemory = "cache";
  });
  expectChange("DRAM's name", [](T t) {
    t.memories.back().name = "hbm";
    t.engines.front().ports.front().memory = "hbm";
  });
}

} // namespace
