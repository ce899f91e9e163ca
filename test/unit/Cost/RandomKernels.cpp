//===- RandomKernels.cpp - Random ops, random machines --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomKernels.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

unsigned llm::seedOf(unsigned test) {
  return test + 100 * testing::UnitTest::GetInstance()->random_seed();
}

int64_t llm::between(Random &random, int64_t low, int64_t high) {
  double share = double(random(0, 1000000)) / 1e6;
  return std::clamp(
      int64_t(double(low) * std::pow(double(high) / double(low), share)), low,
      high);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

ParsedOps::ParsedOps(ArrayRef<std::string> texts) : texts(texts) {
  DialectRegistry registry;
  registerExternalModels(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<LlmDialect, func::FuncDialect>();
  std::string all;
  for (auto [index, text] : llvm::enumerate(texts))
    all += "func.func @f" + std::to_string(index) + text.substr(12);
  module = parseSourceString<ModuleOp>(all, &context);
  EXPECT_TRUE(module);
  if (!module)
    return;
  // Of a kernel of several ops, the kernel, which is visited last.
  for (auto function : module->getOps<func::FuncOp>()) {
    WorkloadOpInterface found;
    function.walk([&](WorkloadOpInterface op) { found = op; });
    ops.push_back(found);
  }
  EXPECT_EQ(ops.size(), texts.size());
}

namespace {

OracleMask randomMask(Random &random, int64_t keys) {
  switch (random(0, 3)) {
  case 0:
    return {};
  case 1:
    return {true, between(random, 1, keys)};
  default:
    return {true};
  }
}

std::string attentionText(Random &random) {
  bool isDecode = random(0, 1);
  int64_t s = isDecode ? 1 : between(random, 2, 2000),
          t = s + random(0, 1) * between(random, 1, 4000),
          b = between(random, 1, isDecode ? 64 : 2), h = random(1, 8),
          d = 32 * random(1, 4);
  OracleMask mask = randomMask(random, t);
  if (random(0, 3) == 0)
    return mlaOracle(b, 16 * random(1, 8), s, t, 576, 512, mask).text;
  return attentionOracle("gqa_attn", b, h, random(1, 8), s, t, d, mask).text;
}

std::string contractionText(Random &random) {
  int64_t m = between(random, 1, 8192), n = between(random, 1, 16384),
          k = between(random, 1, 16384);
  switch (random(0, 2)) {
  case 0:
    return batchMatmulOracle(random(1, 32), between(random, 1, 512), k,
                             between(random, 1, 512), random(0, 1), false)
        .text;
  case 1:
    return groupedMatmulOracle(16, random(1, 4), between(random, 1, 512),
                               between(random, 1, 4096),
                               between(random, 1, 4096), true, random(0, 1),
                               false, random)
        .text;
  default:
    return matmulOracle(m, k, n, random(0, 1), random(0, 1)).text;
  }
}

std::string elementwiseText(Random &random) {
  int64_t rows = between(random, 1, 8192), columns = between(random, 1, 16384);
  switch (random(0, 4)) {
  case 0:
    return rmsNormOracle(rows, columns, random(0, 1)).text;
  case 1:
    return swigluOracle(rows, columns, random(0, 1)).text;
  case 2:
    return positionsOracle("rope", random(1, 4), between(random, 1, 4096),
                           random(1, 64), 64, false)
        .text;
  case 3:
    return softmaxOracle(1, random(1, 32), between(random, 1, 1024),
                         between(random, 1024, 4096), {random(0, 1) == 1},
                         false)
        .text;
  default:
    return addOracle(rows, columns).text;
  }
}

/// Linear attention in chunks, of which the last may have few tokens.
std::string recurrentText(Random &random) {
  int64_t b = random(1, 16), s = between(random, 1, 4000),
          keyHeads = random(1, 8), heads = keyHeads * random(1, 4),
          d = 32 * random(1, 4);
  std::string query = tensorText({b, s, keyHeads, d}),
              values = tensorText({b, s, heads, d}),
              gates = tensorText({b, s, heads}),
              state = "!llm.state<batch = " + std::to_string(b) + ", " +
                      std::to_string(heads) + "x" + std::to_string(d) + "x" +
                      std::to_string(d) + "xf32>",
              rule = random(0, 1) ? "delta" : "additive";
  return "func.func @f(%q: " + query + ", %v: " + values + ", %g: " + gates +
         ") {\n  %s = llm.state \"s\" : " + state +
         "\n  %y, %n = llm.linear_attn " + rule +
         " %q, %q, %v decay %g beta %g from %s chunk " +
         std::to_string(16 * random(1, 16)) + " scale 1.0 : " + query + ", " +
         query + ", " + values + ", " + gates + ", " + gates + ", " + state +
         "\n  return\n}\n";
}

/// A selection by heads that have weights, which make one score of theirs, or
/// by heads of their own, of keys or of blocks of them.
std::string selectionText(Random &random) {
  int64_t b = random(1, 16), s = between(random, 1, 2000),
          t = s + random(0, 1) * between(random, 1, 4000), h = random(1, 64);
  std::string query = tensorText({b, s, h, 128}),
              keys = tensorText({b, t, 1, 128}),
              weights = tensorText({b, s, h});
  bool isSum = random(0, 1);
  return "func.func @f(%q: " + query + ", %k: " + keys + ", %w: " + weights +
         ") {\n  %0 = llm.select_keys %q, %k" + (isSum ? " weights %w" : "") +
         (random(0, 1) ? " mask causal" : " mask full") + " scale 1.0 top 16" +
         (random(0, 1) ? " block 64" : "") + " : " + query + ", " + keys +
         (isSum ? ", " + weights : "") + "\n  return\n}\n";
}

} // namespace

std::string llm::randomText(Random &random) {
  switch (random(0, 5)) {
  case 0:
    return attentionText(random);
  case 1:
    return contractionText(random);
  case 2:
    return elementwiseText(random);
  case 3:
    return selectionText(random);
  case 4:
    return recurrentText(random);
  default:
    return randomFusedOracle(random, between(random, 8, 2048)).text;
  }
}

std::vector<std::string> llm::randomTexts(Random &random, size_t count) {
  std::vector<std::string> texts;
  for (size_t index = 0; index < count; ++index)
    texts.push_back(randomText(random));
  return texts;
}

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

namespace {

/// Half of the time nothing.
std::optional<int64_t> maybe(Random &random, int64_t low, int64_t high) {
  if (random(0, 1))
    return std::nullopt;
  return between(random, low, high);
}

KernelFigures randomFigures(StringRef name, Random &random) {
  KernelFigures figures;
  figures.kernel = name.str();
  figures.launchNanoseconds = maybe(random, 100, 10000);
  figures.splitNanoseconds = maybe(random, 100, 10000);
  figures.itemCycles = maybe(random, 10, 30000);
  figures.operandBytesPerKilocycle = maybe(random, 10000, 1000000);
  figures.cacheBytesPerKilocycle = maybe(random, 1000, 1000000);
  figures.itemBytesPerKilocycle = maybe(random, 1000, 1000000);
  figures.itemElements = maybe(random, 256, 4096);
  figures.itemRows = maybe(random, 1, 64);
  figures.rereadsRows = random(0, 1);
  figures.queryTile = 16 << random(0, 4);
  figures.keyTile = 16 << random(0, 4);
  figures.packsGroups = random(0, 1);
  figures.splitsUnpacked = random(0, 1);
  figures.packsWindows = random(0, 1);
  figures.packedHeads = maybe(random, 1, 64);
  figures.skipsMasked = random(0, 1);
  figures.aluPer1000Scores = maybe(random, 100, 20000);
  figures.loneBlockCycles = maybe(random, 10, 5000);
  figures.regroupNanoseconds = maybe(random, 100, 10000);
  figures.firstByteNanoseconds = maybe(random, 100, 10000);
  figures.writtenBytePercent = maybe(random, 100, 300);
  figures.residentBytesPerKilocycle = maybe(random, 1000, 1000000);
  figures.macsPercent = maybe(random, 10, 100);
  figures.overlapPercent = maybe(random, 0, 100);
  figures.streamsAhead = maybe(random, 0, 1);
  figures.rowCycles = maybe(random, 10, 30000);
  figures.chunkCycles = maybe(random, 10, 30000);
  figures.rowBytesPerKilocycle = maybe(random, 1000, 1000000);
  return figures;
}

/// Tiles of a library whose order has no reason, for up to four ranges of rows.
std::vector<ProductTile> randomTiles(const Engine &engine, Random &random) {
  std::vector<ProductTile> tiles;
  if (random(0, 1))
    return tiles;
  int64_t most = 0, ranges = random(0, 3);
  for (int64_t range = 0; range <= ranges; ++range) {
    most += between(random, 1, 300);
    for (int64_t count = random(1, 3); count > 0; --count) {
      ProductTile tile;
      if (range < ranges)
        tile.mostRows = most;
      tile.rows = 16 << random(0, 3);
      tile.columns = std::min<int64_t>(
          16 << random(0, 3), *engine.accumulatorBytes / (4 * tile.rows));
      tile.clusterRows = random(1, 3);
      tiles.push_back(tile);
    }
  }
  return tiles;
}

} // namespace

Target llm::randomTarget(Random &random) {
  Target target = toyTarget(between(random, 100000, 100000000));
  target.clockHz = between(random, 500000000, 3000000000);
  target.powerLimitWatts = maybe(random, 10, 1000);
  if (target.powerLimitWatts)
    target.idleWatts = random(0, *target.powerLimitWatts / 2);
  target.burstPercent = maybe(random, 100, 300);
  target.burstMicroseconds = maybe(random, 0, 2000);
  target.energyFollowsClock = maybe(random, 0, 1);
  Engine &core = target.engines.front();
  core.count = 1;
  core.ports.clear();
  core.units = between(random, 1, 200);
  core.macRates = {{"bf16", between(random, 16, 8192)},
                   {"f32", between(random, 16, 1024)},
                   {"i8", between(random, 16, 8192)}};
  core.macEnergies = {{"bf16", between(random, 100, 10000)}};
  core.aluPerCycle = between(random, 8, 512);
  core.specialPerCycle = between(random, 2, 128);
  core.comparePerCycle = between(random, 8, 512);
  core.sustainedClockHz = maybe(random, 500000000, 3000000000);
  core.unitMemoryBytes = maybe(random, 10000, 400000);
  core.costModel = CostModelKind::Kernels;
  core.accumulatorBytes = 16384 << random(0, 4);
  core.streamBytesPerKilocycle = maybe(random, 1000, 1000000);
  core.granuleM = 1 << random(0, 5);
  core.granuleN = 1 << random(0, 5);
  core.granuleK = 1 << random(0, 6);
  for (StringRef name : opClassNames())
    core.kernels.push_back(randomFigures(name, random));
  core.kernels.front().tiles = randomTiles(core, random);
  Memory &dram = target.memories.back();
  dram.bytesPerSecond = between(random, 100000000000, 10000000000000);
  dram.sustainedBytesPerSecond =
      maybe(random, 100000000000, dram.bytesPerSecond);
  dram.femtojoulesPerByte = maybe(random, 100, 100000);
  target.memories.front().femtojoulesPerByte = maybe(random, 100, 100000);
  EXPECT_TRUE(target.check().empty()) << target.check().front();
  return target;
}
