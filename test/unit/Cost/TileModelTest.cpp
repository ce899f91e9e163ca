//===- TileModelTest.cpp - Traffic and room against a walk of the tiles ---===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

namespace {

Tiling randomTiling(const Oracle &oracle, Random &random) {
  Tiling tiling;
  for (size_t loop = 0; loop < oracle.loops.size(); ++loop)
    tiling.sizes.push_back(oracle.tileable[loop]
                               ? random(1, oracle.extents[loop])
                               : oracle.extents[loop]);
  tiling.order.resize(oracle.loops.size());
  std::iota(tiling.order.begin(), tiling.order.end(), 0);
  for (size_t last = tiling.order.size() - 1; last > 0; --last)
    std::swap(tiling.order[last], tiling.order[random(0, last)]);
  return tiling;
}

std::string describe(const Oracle &oracle, const Tiling &tiling) {
  std::string text = oracle.text + " tiles";
  for (unsigned loop : tiling.order)
    text += " " + oracle.loops[loop] + "=" + std::to_string(tiling.sizes[loop]);
  return text;
}

/// The bytes that 4,000 random tilings of random small ops move are those of
/// walking the tiles in order and moving a tile whenever another one is needed.
TEST(TileModelTest, TrafficMatchesAWalkOfTheTiles) {
  Random random(2);
  for (int round = 0; round < 1000; ++round) {
    Oracle oracle = randomOracle(random);
    OneOp op(oracle.text);
    Workload workload = op.workload();
    TileModel model(op.op, workload);
    for (int cut = 0; cut < 4; ++cut) {
      Tiling tiling = randomTiling(oracle, random);
      for (size_t buffer = 0; buffer < oracle.buffers.size(); ++buffer) {
        bool isLost =
            oracle.buffers[buffer].isKept && oracle.comesBack(buffer, tiling);
        Count bytes = model.trafficBytes(tiling, buffer);
        ASSERT_EQ(isLost, failed(bytes));
        if (isLost)
          continue;
        ASSERT_EQ(oracle.simulateTraffic(buffer, tiling), bytes)
            << oracle.buffers[buffer].name << " of "
            << describe(oracle, tiling);
      }
    }
  }
}

/// What arithmetic uses is what each tile touches.
TEST(TileModelTest, UseMatchesAWalkOfTheTiles) {
  Random random(5);
  for (int round = 0; round < 1000; ++round) {
    Oracle oracle = randomOracle(random);
    OneOp op(oracle.text);
    Workload workload = op.workload();
    if (workload.composition)
      continue; // an operand is swept over by the stages of its op
    TileModel model(op.op, workload);
    Tiling tiling = randomTiling(oracle, random);
    for (size_t buffer = 0; buffer < oracle.buffers.size(); ++buffer)
      ASSERT_EQ(oracle.simulateUse(buffer, tiling),
                model.usedBytes(tiling, buffer))
          << oracle.buffers[buffer].name << " of " << describe(oracle, tiling);
  }
}

/// Room for one tile of each buffer, by enumeration.
int64_t roomOf(const Oracle &oracle, const Tiling &tiling,
               const std::vector<int64_t> &sizes) {
  int64_t room = 0;
  for (size_t index = 0; index < oracle.buffers.size(); ++index) {
    const OracleBuffer &buffer = oracle.buffers[index];
    if (buffer.role == 't')
      continue;
    int64_t bytes = oracle.tileBytes(index, sizes);
    if (buffer.role == 'w' && oracle.comesBack(index, tiling)) {
      OracleBuffer sums = buffer;
      sums.wholeElements = 0;
      sums.bits = 32;
      Oracle inSums = oracle;
      inSums.buffers[index] = sums;
      bytes = std::max(bytes, inSums.tileBytes(index, sizes));
    }
    room += bytes;
  }
  return room;
}

/// A memory on the way holds all that as many inner loops touch as fit, and no
/// more; with each byte of room less, the memories behind it move no less.
TEST(TileModelTest, MemoriesOnTheWayHoldWhatFits) {
  Random random(6);
  int kept = 0, grown = 0;
  for (int round = 0; round < 1000; ++round) {
    Oracle oracle = randomOracle(random);
    OneOp op(oracle.text);
    Workload workload = op.workload();
    TileModel model(op.op, workload);
    Tiling tiling = randomTiling(oracle, random);
    std::vector<int64_t> sizes(tiling.sizes.begin(), tiling.sizes.end());
    int64_t room = random(1, 2 * roomOf(oracle, tiling, oracle.extents));
    std::optional<Tiling> expected;
    for (size_t place = tiling.order.size();; --place) {
      if (roomOf(oracle, tiling, sizes) > room)
        break;
      expected = tiling;
      expected->sizes.assign(sizes.begin(), sizes.end());
      if (place == 0)
        break;
      sizes[tiling.order[place - 1]] = oracle.extents[tiling.order[place - 1]];
    }
    std::optional<Tiling> found = model.growTilesInto(room, tiling);
    ASSERT_EQ(expected.has_value(), found.has_value())
        << describe(oracle, tiling) << " in " << room;
    if (!found)
      continue;
    ++kept;
    grown += found->sizes != tiling.sizes;
    ASSERT_EQ(expected->sizes, found->sizes)
        << describe(oracle, tiling) << " in " << room;
    ASSERT_EQ(tiling.order, found->order);
  }
  EXPECT_GT(kept, 300);
  EXPECT_GT(grown, 200);
}

/// Every order and every size of a 3 x 4 x 5 product: all 6 orders, all 60
/// tiles.
TEST(TileModelTest, EveryTilingOfASmallProduct) {
  Oracle oracle = matmulOracle(3, 5, 4, /*transposed=*/true, /*bias=*/true);
  OneOp op(oracle.text);
  Workload workload = op.workload();
  TileModel model(op.op, workload);
  SmallVector<unsigned, 6> order = {0, 1, 2};
  do {
    for (int64_t m = 1; m <= 3; ++m)
      for (int64_t n = 1; n <= 4; ++n)
        for (int64_t k = 1; k <= 5; ++k) {
          Tiling tiling{{m, n, k}, order};
          for (size_t buffer = 0; buffer < oracle.buffers.size(); ++buffer)
            ASSERT_EQ(oracle.simulateTraffic(buffer, tiling),
                      model.trafficBytes(tiling, buffer))
                << oracle.buffers[buffer].name << " of "
                << describe(oracle, tiling);
        }
  } while (std::next_permutation(order.begin(), order.end()));
}

/// By hand: 4 x 4 x 4 of bf16 and i8 in 2 x 2 x 2 tiles, order k, m, n. The
/// left operand's tile (m, k) changes 4 times and is never fetched again: 16
/// values, 32 bytes. The right one (k, n) changes with every one of the 8
/// tiles, 4 bytes each: 32 bytes, twice its size. Each of the 4 tiles of the
/// result is visited for both k: 16 values out as bf16 (32 bytes), and once 16
/// partial sums out and in again (128 bytes).
TEST(TileModelTest, ProductByHand) {
  Oracle oracle = matmulOracle(4, 4, 4, false, false);
  OneOp op(oracle.text);
  Workload workload = op.workload();
  TileModel model(op.op, workload);
  Tiling tiling{{2, 2, 2}, {2, 0, 1}}; // loops are m, n, k
  EXPECT_EQ(*model.trafficBytes(tiling, 0), 32);
  EXPECT_EQ(*model.trafficBytes(tiling, 1), 32);
  EXPECT_EQ(*model.trafficBytes(tiling, 2), 32 + 128);
}

/// The room for tiles is the bounding box of a tile's elements, twice where
/// there is a next tile.
TEST(TileModelTest, WorkingSetMatchesEnumeration) {
  Random random(3);
  for (int round = 0; round < 1000; ++round) {
    Oracle oracle = randomOracle(random);
    OneOp op(oracle.text);
    Workload workload = op.workload();
    TileModel model(op.op, workload);
    Tiling tiling = randomTiling(oracle, random);
    std::vector<int64_t> sizes(tiling.sizes.begin(), tiling.sizes.end());
    int64_t room = 0;
    for (size_t buffer = 0; buffer < oracle.buffers.size(); ++buffer) {
      bool hasNext = false;
      for (size_t loop = 0; loop < sizes.size(); ++loop)
        hasNext |= oracle.uses(oracle.buffers[buffer], loop) &&
                   sizes[loop] < oracle.extents[loop] &&
                   oracle.buffers[buffer].role != 't' &&
                   !oracle.buffers[buffer].isLate;
      ASSERT_EQ(model.tilesHeld(tiling, buffer), hasNext ? 2 : 1);
      room += (hasNext ? 2 : 1) * oracle.tileBytes(buffer, sizes);
    }
    ASSERT_EQ(*model.workingSetBytes(tiling), room) << describe(oracle, tiling);
  }
}

/// No tiling moves less than every element once, and one tile for everything
/// moves exactly that.
TEST(TileModelTest, CompulsoryBytesAreTheLeast) {
  Random random(4);
  for (int round = 0; round < 500; ++round) {
    Oracle oracle = randomOracle(random);
    OneOp op(oracle.text);
    Workload workload = op.workload();
    TileModel model(op.op, workload);
    Tiling tiling = randomTiling(oracle, random), whole = tiling;
    whole.sizes.assign(oracle.extents.begin(), oracle.extents.end());
    for (size_t buffer = 0; buffer < oracle.buffers.size(); ++buffer) {
      if (oracle.buffers[buffer].role == 't')
        continue;
      ASSERT_GE(*model.trafficBytes(tiling, buffer),
                *model.compulsoryBytes(buffer));
      ASSERT_EQ(*model.trafficBytes(whole, buffer),
                *model.compulsoryBytes(buffer));
    }
  }
}

} // namespace
