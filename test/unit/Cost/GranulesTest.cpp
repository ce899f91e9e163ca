//===- GranulesTest.cpp - Products that do not fill an array --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

struct Granule {
  int64_t m, n, k;
};

/// One multiply-accumulate a cycle, vector work that takes a cycle for each
/// stage, and bytes that take none to speak of.
Target arrayTarget(Granule granule, int64_t capacityBytes = 1 << 30) {
  Target target = toyTarget(capacityBytes);
  Engine &core = target.engines[0];
  core.macRates = {{"bf16", 1}, {"f32", 1}, {"i8", 1}};
  core.aluPerCycle = core.specialPerCycle = core.comparePerCycle = int64_t(1)
                                                                   << 40;
  core.granuleM = granule.m;
  core.granuleN = granule.n;
  core.granuleK = granule.k;
  return target;
}

int64_t computeCyclesOf(const std::string &text, const Target &target) {
  OneOp op(text);
  OpOnTarget context = *OpOnTarget::get(op.op, target);
  FailureOr<TileAttr> tile = searchTile(context);
  EXPECT_TRUE(succeeded(tile)) << text;
  return computePartCost(context, *tile)->getComputeCycles();
}

int64_t roundUp(int64_t size, int64_t granule) {
  return (size + granule - 1) / granule * granule;
}

// 8 x 896 x 4096 on arrays of 128 x 128 x 128 with 32,768 multiply-accumulates
// a cycle: 8 rows take as long as 128, so 128 x 896 x 4096 / 32768 = 14,336
// cycles, where 8 x 896 x 4096 / 32768 = 896 would do without granules.
TEST(Granules, FewRows) {
  Target target = arrayTarget({128, 128, 128});
  target.engines[0].macRates = {{"bf16", 32768}};
  std::string text = matmulOracle(8, 4096, 896, false, false).text;
  EXPECT_EQ(computeCyclesOf(text, target), 14336);
  target.engines[0].granuleM = target.engines[0].granuleN =
      target.engines[0].granuleK = std::nullopt;
  EXPECT_EQ(computeCyclesOf(text, target), 896);
}

// Each axis by itself: 3 x 10 x 7 on granules of 4 x 8 x 2 is 4 x 16 x 8.
TEST(Granules, Axes) {
  EXPECT_EQ(computeCyclesOf(matmulOracle(3, 7, 10, false, false).text,
                            arrayTarget({4, 8, 2})),
            4 * 16 * 8);
  EXPECT_EQ(computeCyclesOf(matmulOracle(3, 7, 10, true, false).text,
                            arrayTarget({1, 8, 1})),
            3 * 16 * 7);
  // Products of a batch do not share granules: 5 of 3 x 10 x 7.
  EXPECT_EQ(computeCyclesOf(batchMatmulOracle(5, 3, 7, 10, false, false).text,
                            arrayTarget({4, 8, 2})),
            5 * 4 * 16 * 8);
}

// Attention of 2 sequences, 3 KV heads, 4 heads for each, 1 query, 30 keys of 5
// features, on granules of 16 x 8 x 4: for each KV head, scores of 4 rows, 30
// columns, 5 terms take 16 x 32 x 8, outputs of 4 rows, 5 columns and 30 terms
// 16 x 8 x 32. The three vector stages take a cycle each.
TEST(Granules, Attention) {
  std::string query = tensorText({2, 1, 12, 5}),
              keys = tensorText({2, 30, 3, 5});
  std::string text = functionText("llm.gqa_attn %0, %1, %2 mask full scale 1.0",
                                  {query, keys, keys});
  EXPECT_EQ(computeCyclesOf(text, arrayTarget({16, 8, 4})),
            2 * 3 * (16 * 32 * 8 + 16 * 8 * 32) + 3);
  EXPECT_EQ(computeCyclesOf(text, arrayTarget({1, 1, 1})),
            2 * 3 * (4 * 30 * 5 + 4 * 5 * 30) + 3);
}

// Rows of experts do not share granules: 3, 0, 1 and 6 rows of 10 on granules
// of 4 are 4 + 0 + 4 + 8.
TEST(Granules, Experts) {
  std::string text = functionText(
      "llm.grouped_matmul %0, %1 rows_per_expert [3, 0, 1, 6] top_k 1",
      {tensorText({10, 6}), tensorText({4, 6, 8})});
  EXPECT_EQ(computeCyclesOf(text, arrayTarget({4, 1, 1})), 16 * 8 * 6);
  EXPECT_EQ(computeCyclesOf(text, arrayTarget({1, 1, 1})), 10 * 8 * 6);
}

/// Tile by tile, as the array would see them.
int64_t enumerateSlots(std::array<int64_t, 3> extents,
                       std::array<int64_t, 3> sizes, Granule granule) {
  int64_t slots = 0;
  for (int64_t m = 0; m < extents[0]; m += sizes[0])
    for (int64_t n = 0; n < extents[1]; n += sizes[1])
      for (int64_t k = 0; k < extents[2]; k += sizes[2])
        slots += roundUp(std::min(sizes[0], extents[0] - m), granule.m) *
                 roundUp(std::min(sizes[1], extents[1] - n), granule.n) *
                 roundUp(std::min(sizes[2], extents[2] - k), granule.k);
  return slots;
}

TEST(Granules, TilesOneByOne) {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::array<int64_t, 3> extents, sizes; // m, n, k
    for (int axis = 0; axis < 3; ++axis) {
      extents[axis] = random(1, 60);
      sizes[axis] = random(1, extents[axis]);
    }
    Granule granule{random(1, 20), random(1, 20), random(1, 20)};
    Target target = arrayTarget(granule);
    OneOp op(
        matmulOracle(extents[0], extents[2], extents[1], false, false).text);
    OpOnTarget context = *OpOnTarget::get(op.op, target);
    MLIRContext *mlirContext = &op.context;
    auto name = [&](StringRef text) {
      return StringAttr::get(mlirContext, text);
    };
    auto level = TileLevelAttr::get(
        mlirContext, name("sram"),
        getAmounts(mlirContext,
                   {{"m", sizes[0]}, {"n", sizes[1]}, {"k", sizes[2]}}),
        {name("m"), name("n"), name("k")}, getAmounts(mlirContext, {}), {});
    auto tile = TileAttr::get(mlirContext, TileStrategy::Manual, {level}, {});
    FailureOr<PartCostAttr> cost = computePartCost(context, tile);
    ASSERT_TRUE(succeeded(cost));
    EXPECT_EQ(cost->getComputeCycles(),
              enumerateSlots(extents, sizes, granule));
  }
}

// The search cuts between granules as long as one fits: its tiles waste no more
// than the whole product does. Without room for one, it still finds a tile.
TEST(Granules, SearchFillsGranules) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    int64_t m = random(1, 200), n = random(1, 200), k = random(1, 200);
    Granule granule{8, 16, 32};
    std::string text = matmulOracle(m, k, n, false, false).text;
    EXPECT_EQ(computeCyclesOf(text, arrayTarget(granule, random(3000, 20000))),
              roundUp(m, 8) * roundUp(n, 16) * roundUp(k, 32))
        << m << " x " << n << " x " << k;
    EXPECT_GE(computeCyclesOf(text, arrayTarget(granule, 100)),
              roundUp(m, 8) * roundUp(n, 16) * roundUp(k, 32));
  }
}

// More of any axis takes no less time, a higher rate no more.
TEST(Granules, Monotone) {
  Random random(13);
  for (int trial = 0; trial < 60; ++trial) {
    int64_t m = random(1, 70), n = random(1, 70), k = random(1, 70);
    Target target = arrayTarget({random(1, 24), random(1, 24), random(1, 24)});
    auto cycles = [&](int64_t m, int64_t n, int64_t k) {
      return computeCyclesOf(matmulOracle(m, k, n, false, false).text, target);
    };
    int64_t before = cycles(m, n, k);
    EXPECT_GE(before, m * n * k);
    EXPECT_GE(cycles(m + random(0, 9), n + random(0, 9), k + random(0, 9)),
              before);
    target.engines[0].macRates = {{"bf16", 2}};
    EXPECT_LE(cycles(m, n, k), before);
  }
}

// Parts are products of their own: 6 of 10 columns in 2 parts are 3 each, which
// take a granule of 4 each.
TEST(Granules, Parts) {
  OneOp op(matmulOracle(4, 4, 6, false, false).text);
  Target target = arrayTarget({4, 4, 4});
  OpOnTarget context = *OpOnTarget::get(op.op, target);
  FailureOr<TileAttr> tile = searchTile(context);
  ASSERT_TRUE(succeeded(tile));
  auto inTwo =
      TileAttr::get(&op.context, tile->getStrategy(), tile->getLevels(),
                    getAmounts(&op.context, {{"n", 2}}));
  FailureOr<CostAttr> cost = computeCost(context, inTwo);
  ASSERT_TRUE(succeeded(cost));
  ASSERT_EQ(cost->getParts().size(), 1u);
  EXPECT_EQ(cost->getParts()[0].getCount(), 2);
  EXPECT_EQ(cost->getParts()[0].getComputeCycles(), 4 * 4 * 4);
}

//===----------------------------------------------------------------------===//
// Rates of vector work
//===----------------------------------------------------------------------===//

// Work without a rate is an error that names the field, not free; with one, a
// higher rate takes no longer.
TEST(VectorRates, MissingIsAnError) {
  using Field = std::optional<int64_t> Engine::*;
  const std::pair<Field, const char *> fields[] = {
      {&Engine::aluPerCycle, "alu"},
      {&Engine::specialPerCycle, "special"},
      {&Engine::comparePerCycle, "compare"}};
  std::string text =
      functionText("llm.softmax %0 mask full", {tensorText({1, 2, 3, 40})});
  for (auto [field, name] : fields) {
    Target target = toyTarget(1 << 20);
    OneOp op(text);
    std::string message;
    ScopedDiagnosticHandler handler(&op.context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str();
      return success();
    });
    target.engines[0].*field = std::nullopt;
    OpOnTarget context = *OpOnTarget::get(op.op, target);
    EXPECT_TRUE(failed(computeCycles(context)));
    EXPECT_TRUE(failed(searchTile(context)));
    EXPECT_NE(message.find(std::string("does ") + name +
                           " work, for which engine 'core' of target 'toy' "
                           "gives no rate: the target needs engines.core." +
                           name + "_per_cycle_per_unit"),
              std::string::npos)
        << message;
    int64_t before = maxCount;
    for (int64_t rate : {1, 2, 3, 64}) {
      target.engines[0].*field = rate;
      int64_t cycles = *computeCycles(context);
      EXPECT_LE(cycles, before);
      before = cycles;
    }
  }
}

} // namespace
