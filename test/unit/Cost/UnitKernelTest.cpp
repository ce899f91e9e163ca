//===- UnitKernelTest.cpp - What no op and no machine may break -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomKernels.h"
#include "llm/Cost/ClosedForm.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

namespace {

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
bool expectAboveBounds(const ParsedOps &ops, size_t index,
                       const Target &target) {
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
  EXPECT_GE(
      found->cycles() + roundingCycles,
      *powerCycles(target, found->cost.getEnergyPicojoules(), found->cycles()))
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
  ParsedOps ops(randomTexts(random, 1500));
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
    {"energy that follows the clock",
     [](Target &target, Random &) { target.energyFollowsClock = 1; }},
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

void expectNoLonger(const ParsedOps &ops, size_t index, const Target &target,
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
  ParsedOps ops(randomTexts(random, 600));
  for (size_t index = 0; index < ops.ops.size() && !HasFailure(); ++index)
    expectNoLonger(ops, index, randomTarget(random), random);
}

/// With the same tile, a larger cache changes nothing.
TEST(UnitKernelTest, LargerCachesTakeNoLongerWithTheSameTile) {
  Random random(seedOf(13));
  ParsedOps ops(randomTexts(random, 300));
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
  ParsedOps before(few), after(many);
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
  ParsedOps wide(make("bf16")), narrow(make("i8")), narrowest(make("i4"));
  Random random(seedOf(15));
  for (size_t index = 0; index < count && !HasFailure(); ++index) {
    Target target = randomTarget(random);
    std::optional<Costed> before = costOf(wide.ops[index], target);
    for (const ParsedOps *ops : {&narrow, &narrowest}) {
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
    ParsedOps ops(texts);
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
