//===- TileSearchTest.cpp - The search against every legal tiling ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/TileSearch.h"
#include "Oracle.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Cycles, then bytes.
using Score = std::pair<int64_t, int64_t>;

/// The sizes that cut a loop into 1, 2, 3, 4, 6, 8, 12, .. tiles, down to tiles
/// of 1; long ones in steps of 16.
std::set<int64_t> familyOf(int64_t extent) {
  std::set<int64_t> sizes = {1};
  for (int64_t tiles : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
    int64_t size = (extent + tiles - 1) / tiles;
    if (size > 16)
      size = std::min(extent, (size + 15) / 16 * 16);
    sizes.insert(size);
  }
  return sizes;
}

/// All tilings of an op whose sizes are of the family, in all orders. Where no
/// tile has room for a row, over which each stage would sweep, one of each
/// buffer is held; where that has none either, rows are cut, inside of all
/// other loops.
class BruteForce {
public:
  BruteForce(const OpOnTarget &context, int64_t compute)
      : context(context), model(context.op, context.workload),
        compute(compute) {
    current.sizes.resize(context.workload.loops.size());
    current.order.resize(context.workload.loops.size());
  }

  std::optional<Score> run() {
    visitSizes(0);
    bool hasRows = llvm::any_of(context.workload.loops, [](const Loop &loop) {
      return loop.tiles == Loop::Tiles::PerStage;
    });
    if (!best && hasRows) {
      isHeldOnce = true;
      visitSizes(0);
      isHeldOnce = false;
    }
    if (!best) {
      cutsRows = true;
      visitSizes(0);
    }
    return best;
  }
  /// Nothing where a value inside of a kernel would be computed again.
  std::optional<Score> scoreOf(const Tiling &tiling) const {
    const Target &target = *context.target;
    Score score = {compute, 0};
    auto add = [&](const Memory &memory, const Tiling &tiles, auto count) {
      int64_t bytes = 0;
      for (unsigned buffer = 0; buffer < context.workload.buffers.size();
           ++buffer) {
        Count moved = (model.*count)(tiles, buffer);
        if (failed(moved))
          return false;
        bytes += *moved;
      }
      score.first =
          std::max(score.first, *memoryCycles(context, memory, bytes));
      score.second = std::max(score.second, bytes);
      return true;
    };
    for (auto [memory, tiles] : llvm::zip_equal(
             target.sharedMemories(), tilingsSeen(target, model, tiling)))
      if (!add(*memory, tiles, &TileModel::trafficBytes))
        return std::nullopt;
    const Memory &own = *context.tileMemory();
    if (own.bytesPerSecond > 0 && !add(own, tiling, &TileModel::usedBytes))
      return std::nullopt;
    return score;
  }

private:
  void visitSizes(size_t loop) {
    if (loop == current.sizes.size())
      return visitOrders();
    const Loop &cut = context.workload.loops[loop];
    bool isCut = cut.tiles == Loop::Tiles::PerStage
                     ? cutsRows
                     : cut.tiles != Loop::Tiles::Whole;
    std::set<int64_t> sizes =
        isCut ? familyOf(cut.extent) : std::set<int64_t>{cut.extent};
    for (int64_t size : sizes) {
      current.sizes[loop] = size;
      visitSizes(loop + 1);
    }
  }
  void visitOrders() {
    SmallVector<int64_t, 4> once(context.workload.buffers.size(), 1);
    int64_t room = isHeldOnce ? *model.workingSetBytes(current, once)
                              : *model.workingSetBytes(current);
    if (room > context.tileCapacityBytes())
      return;
    // Loops of one tile have no place in the order.
    SmallVector<unsigned, 6> cut, whole;
    for (unsigned loop = 0; loop < current.sizes.size(); ++loop)
      (model.trips(current, loop) > 1 ? cut : whole).push_back(loop);
    do {
      if (hasCutInsideOfRows(cut))
        continue;
      current.order = cut;
      current.order.append(whole);
      std::optional<Score> score = scoreOf(current);
      if (score && (!best || *score < *best))
        best = score;
    } while (std::next_permutation(cut.begin(), cut.end()));
  }

  bool hasCutInsideOfRows(ArrayRef<unsigned> cut) const {
    const auto *row = llvm::find_if(cut, [&](unsigned loop) {
      return context.workload.loops[loop].tiles == Loop::Tiles::PerStage;
    });
    return row != cut.end() && std::next(row) != cut.end();
  }

  const OpOnTarget &context;
  TileModel model;
  bool isHeldOnce = false, cutsRows = false;
  int64_t compute;
  Tiling current;
  std::optional<Score> best;
};

/// On one machine: the search finds a tile exactly when there is a legal one,
/// and none of the family is better.
void expectBest(const std::string &text, int64_t capacity, Random &random) {
  OneOp op(text);
  Target target = toyTarget(capacity);
  target.memories.back().bytesPerSecond = 6000 << random(0, 6);
  FailureOr<OpOnTarget> context = OpOnTarget::get(op.op, target);
  ASSERT_TRUE(succeeded(context)) << text;
  int64_t compute = *computeCycles(*context);
  BruteForce bruteForce(*context, compute);
  std::optional<Score> best = bruteForce.run();
  ScopedDiagnosticHandler quiet(&op.context,
                                [](Diagnostic &) { return success(); });
  FailureOr<TileAttr> found = searchTile(*context);
  ASSERT_EQ(succeeded(found), best.has_value()) << text << capacity << " bytes";
  if (!best)
    return;
  FailureOr<Tiling> tiling = readTiling(*context, found->getLevels().front());
  ASSERT_TRUE(succeeded(tiling)) << text;
  Score score = *bruteForce.scoreOf(*tiling);
  // The search enumerates three loops. Queries that share selected keys have
  // more to reuse.
  bool isShared = llvm::any_of(context->workload.buffers,
                               [](const Buffer &buffer) {
                                 return buffer.isGathered;
                               });
  if ((context->workload.composition || isShared) &&
      countReuseLoops(context->workload) + isShared > 3) {
    EXPECT_GE(score, *best) << text << capacity << " bytes";
    best = score;
  }
  EXPECT_EQ(score, *best) << text << capacity << " bytes";

  // Its cost is legal, and neither below the compulsory bytes nor above the
  // peak rate.
  FailureOr<CostAttr> cost = computeCost(*context, *found);
  ASSERT_TRUE(succeeded(cost)) << text;
  PartCostAttr part = cost->getParts().front();
  int64_t compulsory = 0;
  TileModel model(op.op, context->workload);
  for (auto [index, buffer] : llvm::enumerate(context->workload.buffers))
    if (buffer.role != Buffer::Role::Temporary)
      compulsory += *model.compulsoryBytes(index);
  EXPECT_GE(part.getBytes("dram"), compulsory) << text;
  EXPECT_EQ(part.getBytes("dram"), best->second) << text;
  EXPECT_EQ(part.getCycles(), best->first) << text;
  EXPECT_LE(part.getWorkingSetBytes(), capacity) << text;
  for (auto [kind, rate] :
       {std::pair{"mac", 16}, {"alu", 4}, {"special", 1}, {"compare", 4}})
    EXPECT_GE(part.getComputeCycles() * rate, part.getWork(kind))
        << kind << " of " << text;
}

/// 600 random small ops, with caches from too small to ample. Attention with
/// sinks is the next test.
TEST(TileSearchTest, NoTilingOfTheFamilyIsBetter) {
  Random random(6);
  for (int round = 0; round < 600 && !HasFailure();) {
    std::string text = randomOracle(random).text;
    int64_t capacity = random(8, int64_t(1) << random(4, 11));
    if (text.find("gqa_attn") != std::string::npos &&
        text.find("sinks") != std::string::npos)
      continue;
    expectBest(text, capacity, random);
    ++round;
  }
}

/// The few bytes of the sinks do not decide what is cut: the tile is the same
/// as without them.
TEST(TileSearchTest, SinksDoNotDecide) {
  auto search = [](bool sinks) {
    Oracle oracle =
        attentionOracle("gqa_attn", 7, 2, 4, 64, 64, 16, {true}, sinks);
    OneOp op(oracle.text);
    Target target = toyTarget(20000);
    FailureOr<OpOnTarget> context = OpOnTarget::get(op.op, target);
    FailureOr<TileAttr> tile = searchTile(*context);
    TileLevelAttr level = tile->getLevels().front();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << level.getSizes();
    for (StringAttr loop : level.getOrder())
      os << " " << loop;
    return text;
  };
  EXPECT_EQ(search(true), search(false));
}

/// 150 products with edges beyond the granule of 16.
TEST(TileSearchTest, NoTilingOfAProductIsBetter) {
  Random random(7);
  for (int round = 0; round < 150 && !HasFailure(); ++round) {
    Oracle oracle = matmulOracle(random(1, 70), random(1, 70), random(1, 70),
                                 random(0, 1), random(0, 1));
    expectBest(oracle.text, random(64, int64_t(1) << random(7, 15)), random);
  }
}

/// 60 attentions with more queries and keys.
TEST(TileSearchTest, NoTilingOfAttentionIsBetter) {
  Random random(8);
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    int64_t s = random(1, 24), t = random(s, 40);
    Oracle oracle = attentionOracle("gqa_attn", 1, 1, random(1, 3), s, t, 4,
                                    {/*isCausal=*/random(0, 1) == 1});
    expectBest(oracle.text, random(128, int64_t(1) << random(8, 14)), random);
  }
}

/// Where several memories have a rate, none of the family is faster by more
/// than a 64th, which the search gives for bytes that others compete for.
void expectFast(const std::string &text, int64_t capacity, Random &random) {
  OneOp op(text);
  Target target = toyTarget(capacity);
  target.memories.back().bytesPerSecond = 6000 << random(0, 4);
  target.engines.front().count = 1; // it competes with nobody
  if (random(0, 1))
    target.engines.front().ports.clear();
  target.memories.front().bytesPerSecond = random(0, 1) ? 90000 : 0;
  if (random(0, 2) > 0) {
    Memory cache;
    cache.name = "cache";
    cache.bytesPerSecond = 12000 << random(0, 4);
    cache.bytesPerEngine = random(1, 4 * capacity);
    target.memories.insert(target.memories.end() - 1, cache);
  }
  ASSERT_EQ(target.check(), std::vector<std::string>());
  FailureOr<OpOnTarget> context = OpOnTarget::get(op.op, target);
  ASSERT_TRUE(succeeded(context)) << text;
  ScopedDiagnosticHandler quiet(&op.context,
                                [](Diagnostic &) { return success(); });
  BruteForce bruteForce(*context, /*compute=*/0);
  std::optional<Score> best = bruteForce.run();
  FailureOr<TileAttr> found = searchTile(*context);
  ASSERT_EQ(succeeded(found), best.has_value()) << text << capacity << " bytes";
  if (!best)
    return;
  FailureOr<PartCostAttr> cost = computePartCost(*context, *found);
  ASSERT_TRUE(succeeded(cost)) << text;
  int64_t others = target.sharedMemories().size();
  EXPECT_LE(cost->getMemoryCycles(),
            best->first + best->first * others / 64 + 1)
      << text << capacity << " bytes";
}

/// 300 random small ops. Of kernels of several ops not all loops are searched.
TEST(TileSearchTest, NoTilingOfTheFamilyIsFasterThroughSeveralMemories) {
  Random random(9);
  for (int round = 0; round < 300 && !HasFailure();) {
    std::string text = randomOracle(random).text;
    int64_t capacity = random(8, int64_t(1) << random(4, 11));
    if (text.find("llm.fused") != std::string::npos ||
        text.find("sinks") != std::string::npos)
      continue;
    expectFast(text, capacity, random);
    ++round;
  }
}

/// The same answer every time.
TEST(TileSearchTest, IsDeterministic) {
  auto search = [] {
    OneOp op(matmulOracle(60, 50, 70, true, false).text);
    Target target = toyTarget(3000);
    std::string text;
    llvm::raw_string_ostream(text)
        << *searchTile(*OpOnTarget::get(op.op, target));
    return text;
  };
  EXPECT_EQ(search(), search());
}

/// Where not even the smallest tile fits, the error says how many bytes are
/// missing. A tile of one iteration of a bf16 x i8 product takes two tiles of 2
/// + 1 + 2 bytes.
TEST(TileSearchTest, SaysHowManyBytesAreMissing) {
  OneOp op(matmulOracle(4, 4, 4, false, false).text);
  Target target = toyTarget(7);
  std::string message;
  ScopedDiagnosticHandler keep(&op.context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(searchTile(*OpOnTarget::get(op.op, target))));
  EXPECT_NE(message.find("takes 10 bytes of 'sram', which has 7: 3 too many"),
            std::string::npos)
      << message;
}

} // namespace
