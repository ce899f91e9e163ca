//===- UnitKernelTest.cpp - What no op and no machine may break -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"
#include "llm/Cost/ClosedForm.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

namespace {

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// --gtest_shuffle --gtest_random_seed=N asks for other ops and machines.
unsigned seedOf(unsigned test) {
  return test + 100 * testing::UnitTest::GetInstance()->random_seed();
}

/// A number between the two, small ones as often as large ones.
int64_t between(Random &random, int64_t low, int64_t high) {
  double share = double(random(0, 1000000)) / 1e6;
  return std::clamp(
      int64_t(double(low) * std::pow(double(high) / double(low), share)), low,
      high);
}

/// Functions with one op each, parsed together.
class Ops {
public:
  explicit Ops(ArrayRef<std::string> texts) : texts(texts) {
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

  std::vector<std::string> texts;
  std::vector<WorkloadOpInterface> ops;

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  /// Ops that do not fit on a machine are passed over.
  ScopedDiagnosticHandler quiet{&context,
                                [](Diagnostic &) { return success(); }};
};

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

std::string tensor(ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "bf16>";
}

/// Linear attention in chunks, of which the last may have few tokens.
std::string recurrentText(Random &random) {
  int64_t b = random(1, 16), s = between(random, 1, 4000),
          keyHeads = random(1, 8), heads = keyHeads * random(1, 4),
          d = 32 * random(1, 4);
  std::string query = tensor({b, s, keyHeads, d}),
              values = tensor({b, s, heads, d}), gates = tensor({b, s, heads}),
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
  std::string query = tensor({b, s, h, 128}), keys = tensor({b, t, 1, 128}),
              weights = tensor({b, s, h});
  bool isSum = random(0, 1);
  return "func.func @f(%q: " + query + ", %k: " + keys + ", %w: " + weights +
         ") {\n  %0 = llm.select_keys %q, %k" + (isSum ? " weights %w" : "") +
         (random(0, 1) ? " mask causal" : " mask full") + " scale 1.0 top 16" +
         (random(0, 1) ? " block 64" : "") + " : " + query + ", " + keys +
         (isSum ? ", " + weights : "") + "\n  return\n}\n";
}

/// An op of the sizes of language models.
std::string randomText(Random &random) {
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

std::vector<std::string> randomTexts(Random &random, size_t count,
                                     std::string (*make)(Random &)) {
  std::vector<std::string> texts;
  for (size_t index = 0; index < count; ++index)
    texts.push_back(make(random));
  return texts;
}

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

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
  figures.rereadsRows = random(0, 1);
  figures.queryTile = 16 << random(0, 4);
  figures.keyTile = 16 << random(0, 4);
  figures.packsGroups = random(0, 1);
  figures.splitsUnpacked = random(0, 1);
  figures.packsWindows = random(0, 1);
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

/// A machine whose units share ops as tiles, with figures from nowhere.
Target randomTarget(Random &random) {
  Target target = toyTarget(between(random, 100000, 100000000));
  target.clockHz = between(random, 500000000, 3000000000);
  target.powerLimitWatts = maybe(random, 10, 1000);
  if (target.powerLimitWatts)
    target.idleWatts = random(0, *target.powerLimitWatts / 2);
  target.burstPercent = maybe(random, 100, 300);
  target.burstMicroseconds = maybe(random, 0, 2000);
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

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

struct Costed {
  TileAttr tile;
  PartCostAttr cost;
  int64_t cycles() const { return cost.getCycles(); }
  std::string text() const {
    std::string text;
    llvm::raw_string_ostream(text) << "\n" << tile << cost;
    return text;
  }
};

/// Nothing where no tile fits.
std::optional<Costed> costOf(WorkloadOpInterface op, const Target &target,
                             TileAttr tile = {}) {
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target);
  if (failed(context))
    return std::nullopt;
  FailureOr<TileAttr> chosen =
      tile ? FailureOr<TileAttr>(tile) : searchTile(*context);
  if (failed(chosen))
    return std::nullopt;
  FailureOr<CostAttr> cost = computeCost(*context, *chosen);
  if (failed(cost))
    return std::nullopt;
  return Costed{*chosen, cost->getParts().front()};
}

std::string describe(const std::string &text, const Target &target) {
  return text + describeForCost(target, target.engines.front());
}

/// The launch and the rest of an op are rounded up to whole cycles apart.
constexpr int64_t roundingCycles = 1;

/// No byte moves faster than the memory, and no multiply-accumulate is done
/// faster than at the peak of all units.
/// Whether the op fits on the machine.
bool expectAboveBounds(const Ops &ops, size_t index, const Target &target) {
  std::optional<Costed> found = costOf(ops.ops[index], target);
  if (!found)
    return false;
  OpOnTarget context = *OpOnTarget::get(ops.ops[index], target);
  TileModel model(context.op, context.workload);
  int64_t bytes = 0;
  for (auto [buffer, of] : llvm::enumerate(context.workload.buffers))
    if (of.role != Buffer::Role::Temporary)
      bytes += *model.compulsoryBytes(buffer);
  std::string where = describe(ops.texts[index], target);
  EXPECT_GE(found->cost.getBytes("dram"), bytes) << where;
  EXPECT_GE(found->cycles(), *memoryCycles(context, target.dram(), bytes))
      << where;
  // All of its energy, that of the private memory included, takes power; the
  // picojoule that is rounded up takes a cycle at most.
  EXPECT_GE(found->cycles() + roundingCycles,
            *powerCycles(target, found->cost.getEnergyPicojoules()))
      << where;
  std::string usedType;
  Type type = context.workload.macElementType();
  if (!type)
    return true;
  double rate =
      double(*Target::macsPerCycle(*context.engine, type, usedType)) *
      double(context.engine->sustainedClockHz.value_or(target.clockHz)) /
      double(target.clockHz);
  EXPECT_GE(double(found->cycles()),
            double(found->cost.getWork("mac")) / rate * (1 - 1e-12))
      << where;
  return true;
}

/// 1,500 ops on 150 machines with units, figures of kernels and power limits.
TEST(UnitKernelTest, NothingIsBelowTheBounds) {
  Random random(seedOf(11));
  Ops ops(randomTexts(random, 1500, randomText));
  int fitting = 0;
  for (int machine = 0; machine < 150 && !HasFailure(); ++machine) {
    Target target = randomTarget(random);
    for (int round = 0; round < 10; ++round)
      fitting += expectAboveBounds(ops, 10 * machine + round, target);
  }
  EXPECT_GE(fitting, 1300);
}

//===----------------------------------------------------------------------===//
// Better machines
//===----------------------------------------------------------------------===//

void raise(int64_t &value, Random &random) {
  constexpr double factors[] = {1.001, 1.01, 1.3, 2, 8};
  value = std::max(value + 1, int64_t(double(value) * factors[random(0, 4)]));
}
void raise(std::optional<int64_t> &value, Random &random) {
  if (value)
    raise(*value, random);
}
void lower(std::optional<int64_t> &value, Random &random) {
  if (value)
    value = random(0, *value);
}

using Improve = void (*)(Target &, Random &);

template <std::optional<int64_t> KernelFigures::*figure>
void raiseFigure(Target &target, Random &random) {
  for (KernelFigures &figures : target.engines.front().kernels)
    raise(figures.*figure, random);
}
template <std::optional<int64_t> KernelFigures::*figure>
void lowerFigure(Target &target, Random &random) {
  for (KernelFigures &figures : target.engines.front().kernels)
    lower(figures.*figure, random);
}
template <std::optional<int64_t> Engine::*figure>
void raiseRate(Target &target, Random &random) {
  raise(target.engines.front().*figure, random);
}

struct Improvement {
  const char *name;
  Improve improve;
};

/// What makes a machine better, one at a time.
const Improvement improvements[] = {
    {"memory",
     [](Target &target, Random &random) {
       Memory &dram = target.memories.back();
       raise(dram.sustainedBytesPerSecond ? *dram.sustainedBytesPerSecond
                                          : dram.bytesPerSecond,
             random);
       dram.bytesPerSecond =
           std::max(dram.bytesPerSecond, dram.usableBytesPerSecond());
     }},
    {"units",
     [](Target &target, Random &random) {
       raise(target.engines.front().units, random);
     }},
    {"sustained clock",
     [](Target &target, Random &random) {
       Engine &core = target.engines.front();
       core.sustainedClockHz = core.sustainedClockHz.value_or(target.clockHz);
       raise(core.sustainedClockHz, random);
     }},
    {"multiply-accumulates",
     [](Target &target, Random &random) {
       for (MacRate &rate : target.engines.front().macRates)
         raise(rate.macsPerCycle, random);
     }},
    {"power", [](Target &target,
                 Random &random) { raise(target.powerLimitWatts, random); }},
    {"power of a burst",
     [](Target &target, Random &random) {
       target.burstPercent =
           random(target.burstPercent.value_or(100), 1000);
     }},
    {"length of a burst",
     [](Target &target, Random &random) {
       target.burstMicroseconds =
           random(target.burstMicroseconds.value_or(0), 10000);
     }},
    {"energy of a multiply-accumulate",
     [](Target &target, Random &random) {
       int64_t &energy = target.engines.front().macEnergies.front().femtojoules;
       energy = random(0, energy);
     }},
    {"energy of a byte",
     [](Target &target, Random &random) {
       lower(target.memories.back().femtojoulesPerByte, random);
     }},
    {"cache",
     [](Target &target, Random &random) {
       raise(target.memories.front().capacityBytes, random);
     }},
    {"alu", raiseRate<&Engine::aluPerCycle>},
    {"special", raiseRate<&Engine::specialPerCycle>},
    {"compare", raiseRate<&Engine::comparePerCycle>},
    {"stream", raiseRate<&Engine::streamBytesPerKilocycle>},
    {"accumulators", raiseRate<&Engine::accumulatorBytes>},
    {"unit memory", raiseRate<&Engine::unitMemoryBytes>},
    {"operands", raiseFigure<&KernelFigures::operandBytesPerKilocycle>},
    {"cache rate", raiseFigure<&KernelFigures::cacheBytesPerKilocycle>},
    {"loads in flight", raiseFigure<&KernelFigures::itemBytesPerKilocycle>},
    {"launch", lowerFigure<&KernelFigures::launchNanoseconds>},
    {"split", lowerFigure<&KernelFigures::splitNanoseconds>},
    {"filling", lowerFigure<&KernelFigures::itemCycles>},
    {"softmax", lowerFigure<&KernelFigures::aluPer1000Scores>},
    {"lone blocks", lowerFigure<&KernelFigures::loneBlockCycles>},
    {"regrouping", lowerFigure<&KernelFigures::regroupNanoseconds>},
    {"first byte", lowerFigure<&KernelFigures::firstByteNanoseconds>},
    {"rows of scores", lowerFigure<&KernelFigures::rowCycles>},
    {"chunks", lowerFigure<&KernelFigures::chunkCycles>},
    {"scores of a row", raiseFigure<&KernelFigures::rowBytesPerKilocycle>},
    {"products",
     [](Target &target, Random &random) {
       for (KernelFigures &figures : target.engines.front().kernels)
         if (figures.macsPercent)
           figures.macsPercent = random(*figures.macsPercent, 100);
     }},
    {"overlap",
     [](Target &target, Random &random) {
       for (KernelFigures &figures : target.engines.front().kernels)
         if (figures.overlapPercent)
           figures.overlapPercent = random(*figures.overlapPercent, 100);
     }},
    {"written bytes",
     [](Target &target, Random &random) {
       for (KernelFigures &figures : target.engines.front().kernels)
         if (figures.writtenBytePercent)
           figures.writtenBytePercent =
               random(100, *figures.writtenBytePercent);
     }},
    {"resident bytes", raiseFigure<&KernelFigures::residentBytesPerKilocycle>},
};

void expectNoLonger(const Ops &ops, size_t index, const Target &target,
                    Random &random) {
  std::optional<Costed> before = costOf(ops.ops[index], target);
  if (!before)
    return;
  // The search enumerates three loops; of kernels with more (rows of a batch
  // that are rotated), a larger cache may find another one of these tiles.
  Workload workload = OpOnTarget::get(ops.ops[index], target)->workload;
  bool isEnumerated = countReuseLoops(workload) <= 3;
  for (const Improvement &improvement : improvements) {
    if (!isEnumerated && StringRef(improvement.name) == "cache")
      continue;
    Target better = target;
    improvement.improve(better, random);
    std::optional<Costed> after = costOf(ops.ops[index], better);
    ASSERT_TRUE(after) << improvement.name;
    EXPECT_LE(after->cycles(), before->cycles() + roundingCycles)
        << improvement.name << ", " << describe(ops.texts[index], target)
        << "\nbetter: " << describeForCost(better, better.engines.front())
        << before->text() << after->text();
  }
}

/// 600 ops, each on a machine of its own and 31 that are better in one way.
TEST(UnitKernelTest, BetterMachinesTakeNoLonger) {
  Random random(seedOf(12));
  Ops ops(randomTexts(random, 600, randomText));
  for (size_t index = 0; index < ops.ops.size() && !HasFailure(); ++index)
    expectNoLonger(ops, index, randomTarget(random), random);
}

/// With the same tile, a larger cache changes nothing.
TEST(UnitKernelTest, LargerCachesTakeNoLongerWithTheSameTile) {
  Random random(seedOf(13));
  Ops ops(randomTexts(random, 300, randomText));
  for (auto [op, text] : llvm::zip(ops.ops, ops.texts)) {
    Target target = randomTarget(random);
    std::optional<Costed> before = costOf(op, target);
    if (!before)
      continue;
    auto manual = TileAttr::get(op->getContext(), TileStrategy::Manual,
                                before->tile.getLevels(), {});
    raise(target.memories.front().capacityBytes, random);
    std::optional<Costed> after = costOf(op, target, manual);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->cycles(), before->cycles()) << describe(text, target);
  }
}

//===----------------------------------------------------------------------===//
// More work
//===----------------------------------------------------------------------===//

/// 400 products of a library whose tiles have no reason: one more row or
/// column, or many, take no less time.
TEST(UnitKernelTest, MoreOfALibrarysTilesTakesNoLess) {
  constexpr int count = 400;
  Random random(seedOf(17));
  std::vector<std::string> few, many;
  for (int index = 0; index < count; ++index) {
    int64_t m = between(random, 1, 1000), n = between(random, 1, 4096),
            k = between(random, 1, 4096), more = between(random, 1, 500);
    bool isRows = random(0, 1);
    auto text = [&](int64_t m, int64_t n) {
      return functionText("llm.matmul %0, %1",
                          {tensorText({m, k}), tensorText({k, n})});
    };
    few.push_back(text(m, n));
    many.push_back(text(m + (isRows ? more : 0), n + (isRows ? 0 : more)));
  }
  Ops before(few), after(many);
  int own = 0;
  for (int index = 0; index < count && !HasFailure(); ++index) {
    Target target = randomTarget(random);
    own += !target.engines.front().kernels.front().tiles.empty();
    std::optional<Costed> less = costOf(before.ops[index], target),
                          more = costOf(after.ops[index], target);
    ASSERT_TRUE(less && more);
    EXPECT_GE(more->cycles() + roundingCycles, less->cycles())
        << before.texts[index] << describe(after.texts[index], target)
        << less->text() << more->text();
  }
  EXPECT_GE(own, count / 3);
}

//===----------------------------------------------------------------------===//
// Fewer bytes
//===----------------------------------------------------------------------===//

/// An op with `wide` weights, or keys and values, beside bf16.
std::string weightsText(Random &random, const std::string &type) {
  int64_t m = between(random, 1, 4096), n = between(random, 1, 8192),
          k = 2 * between(random, 1, 4096);
  int64_t kind = random(0, 3), b = random(1, 8), s = between(random, 1, 1000),
          t = s + between(random, 1, 3000), h = random(1, 8), g = random(1, 8),
          d = 32 * random(1, 4), experts = random(1, 8);
  switch (kind) {
  case 0:
    return functionText(
        "llm.grouped_matmul %0, %1 rows_per_expert " +
            listText(std::vector<int64_t>(experts, m)) + " top_k 1",
        {tensorText({experts * m, k}), tensorText({experts, k, n}, type)});
  case 1:
    return functionText(
        "llm.mla_attn %0, %1 value_dim 512 mask causal scale "
        "0.5",
        {tensorText({b, s, 16 * h, 576}), tensorText({b, t, 1, 576}, type)});
  case 2:
    return functionText("llm.gqa_attn %0, %1, %2 mask causal scale 0.5",
                        {tensorText({b, s, h * g, d}),
                         tensorText({b, t, h, d}, type),
                         tensorText({b, t, h, d}, type)});
  default:
    return functionText("llm.matmul %0, %1 transpose_rhs",
                        {tensorText({m, k}), tensorText({n, k}, type)});
  }
}

/// 600 products and attentions: narrower weights, keys and values cost no time
/// where the arithmetic stays that of bf16.
TEST(UnitKernelTest, NarrowerWeightsTakeNoLonger) {
  constexpr size_t count = 600;
  auto make = [](const char *type) {
    Random random(seedOf(14));
    std::vector<std::string> texts;
    for (size_t index = 0; index < count; ++index)
      texts.push_back(weightsText(random, type));
    return texts;
  };
  Ops wide(make("bf16")), narrow(make("i8")), narrowest(make("i4"));
  Random random(seedOf(15));
  for (size_t index = 0; index < count && !HasFailure(); ++index) {
    Target target = randomTarget(random);
    std::optional<Costed> before = costOf(wide.ops[index], target);
    for (const Ops *ops : {&narrow, &narrowest}) {
      if (!before)
        break;
      std::optional<Costed> after = costOf(ops->ops[index], target);
      ASSERT_TRUE(after);
      EXPECT_LE(after->cycles(), before->cycles() + roundingCycles)
          << describe(ops->texts[index], target) << before->text()
          << after->text();
      before = after;
    }
  }
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// The closed form's edges, rounded down and then shrunk by a sixteenth, the
/// longest first, until two tiles of each operand fit where there is a next.
std::optional<Costed> costOfShrunkClosedForm(WorkloadOpInterface op,
                                             const Target &target) {
  OpOnTarget context = *OpOnTarget::get(op, target);
  std::optional<ClosedForm> form = ClosedForm::get(context);
  if (!form)
    return std::nullopt;
  TileLevelAttr level = form->getTile(context).getLevels().front();
  FailureOr<Tiling> tiling = readTiling(context, level);
  if (failed(tiling))
    return std::nullopt;
  TileModel model(op, context.workload);
  while (*model.workingSetBytes(*tiling) > context.tileCapacityBytes()) {
    int64_t &longest = *llvm::max_element(tiling->sizes);
    longest -= llvm::divideCeil(longest, 16);
  }
  SmallVector<std::pair<StringRef, int64_t>> sizes, held;
  for (auto [size, loop] : llvm::zip(tiling->sizes, context.workload.loops))
    sizes.push_back({loop.name, size});
  for (auto [index, buffer] : llvm::enumerate(context.workload.buffers))
    held.push_back({buffer.name, model.tilesHeld(*tiling, index)});
  MLIRContext *mlirContext = op->getContext();
  auto manual = TileLevelAttr::get(
      mlirContext, level.getMemory(), getAmounts(mlirContext, sizes),
      level.getOrder(), getAmounts(mlirContext, held), {});
  return costOf(op, target,
                TileAttr::get(mlirContext, TileStrategy::Manual, manual, {}));
}

Target preset(StringRef name, MLIRContext *context) {
  FailureOr<Target> target = loadPreset(
      name, context, [&] { return emitError(UnknownLoc::get(context)); });
  EXPECT_TRUE(succeeded(target));
  return *target;
}

std::string productText(Random &random, const std::string &type) {
  auto size = [&] { return between(random, 1, 65536); };
  int64_t m = size(), k = size(), n = size();
  return functionText("llm.matmul %0, %1",
                      {tensorText({m, k}, type), tensorText({k, n}, type)});
}

/// On the two parametric designs, 1,000 products each: the search is as fast as
/// the closed form's tile, made legal, and never above the machine's peak.
TEST(UnitKernelTest, TheSearchIsNoSlowerThanTheClosedForm) {
  for (auto [name, type] : {std::pair{"nvl-ax", "bf16"}, {"jgs", "f32"}}) {
    Random random(seedOf(16));
    std::vector<std::string> texts;
    for (int index = 0; index < 1000; ++index)
      texts.push_back(productText(random, type));
    Ops ops(texts);
    Target target = preset(name, ops.ops.front()->getContext());
    for (size_t index = 0; index < texts.size() && !HasFailure(); ++index) {
      std::optional<Costed> found = costOf(ops.ops[index], target),
                            form =
                                costOfShrunkClosedForm(ops.ops[index], target);
      ASSERT_TRUE(found && form);
      EXPECT_LE(found->cycles(), form->cycles())
          << texts[index] << found->text() << form->text();
      expectAboveBounds(ops, index, target);
    }
  }
}

} // namespace
