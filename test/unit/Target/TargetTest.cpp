//===- TargetTest.cpp - Queries and consistency of targets ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Target.h"
#include "../Files/Messages.h"
#include "llm/Target/Figures.h"
#include "llm/Support/Units.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <functional>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// Two cores with a private memory, a DMA queue, and two shared memories.
Target makeTarget() {
  Target target;
  target.name = "toy";
  target.clockHz = 1000;
  Engine core;
  core.name = "core";
  core.kinds.insert(EngineKind::Matrix);
  core.kinds.insert(EngineKind::Vector);
  core.count = 2;
  core.units = 3;
  core.macRates = {{"bf16", 100}, {"f64", 10}, {"i8", 200}};
  core.aluPerCycle = 7;
  core.privateMemory = "sram";
  core.ports = {{"dram", 333}};
  Engine dma;
  dma.name = "dma";
  dma.kinds.insert(EngineKind::Memory);
  target.engines = {core, dma};
  target.memories = {
      {"sram", 64}, {"l2", 0, 5000, 16}, {"dram", 1 << 20, 1000}};
  return target;
}

class TargetTest : public ::testing::Test {
protected:
  std::string check() const { return ::llvm::join(target.check(), "\n"); }

  /// "rate type" for contractions of a type on the core, or "none".
  std::string macs(Type type) {
    std::string used;
    auto rate = Target::macsPerCycle(target.engines[0], type, used);
    return rate ? std::to_string(*rate) + " " + used : "none";
  }
  void setRates(std::vector<std::string> types) {
    target.engines[0].macRates.clear();
    int64_t rate = 1;
    for (const std::string &type : types)
      target.engines[0].macRates.push_back({type, rate++});
    target.engines[0].units = 1;
  }

  MLIRContext context;
  Messages messages{&context};
  Builder b{&context};
  Target target = makeTarget();
};

TEST_F(TargetTest, Queries) {
  EXPECT_EQ(check(), "");
  EXPECT_EQ(target.findMemory("l2"), &target.memories[1]);
  EXPECT_EQ(target.findMemory("l3"), nullptr);
  auto shared = target.sharedMemories();
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared[0], &target.memories[1]);
  EXPECT_EQ(&target.dram(), &target.memories[2]);
  EXPECT_EQ(target.privateMemoryOf(target.engines[0]), &target.memories[0]);
  EXPECT_EQ(target.privateMemoryOf(target.engines[1]), nullptr);
  EXPECT_EQ(target.findEngine(EngineKind::Memory), &target.engines[1]);
  EXPECT_EQ(target.findEngine(EngineKind::Network), nullptr);
  EngineKindSet both = EngineKind::Matrix;
  both.insert(EngineKind::Vector);
  EXPECT_EQ(target.findEngine(both), &target.engines[0]);
  both.insert(EngineKind::Memory);
  EXPECT_EQ(target.findEngine(both), nullptr);
}

// 1024 lanes of 1000 B/s: a port of 333 B/s takes ceil(340.99) of them.
TEST_F(TargetTest, PortLanes) {
  const Memory &dram = target.dram();
  Engine &core = target.engines[0];
  EXPECT_EQ(target.portLanes(core, dram), 341);
  EXPECT_EQ(target.portBytesPerSecond(core, dram), 333);
  EXPECT_EQ(target.portLanes(core, target.memories[1]), 16); // no port: all
  core.ports[0].bytesPerSecond = 1;                          // 1.02 lanes
  EXPECT_EQ(target.portLanes(core, dram), 2);
  target.memories[2].lanes = 10; // 0.01 lanes
  EXPECT_EQ(target.portLanes(core, dram), 1);
  // 2^60 lanes x 2^60 B/s needs 120 bits.
  target.memories[2] = {"dram", 0, int64_t(1) << 60, int64_t(1) << 60};
  core.ports[0].bytesPerSecond = int64_t(1) << 59;
  EXPECT_EQ(target.portLanes(core, target.dram()), int64_t(1) << 59);
}

// Rates are of one unit, results of the engine's three.
TEST_F(TargetTest, RatesOfAllUnits) {
  EXPECT_EQ(macs(b.getBF16Type()), "300 bf16");
  EXPECT_EQ(Target::opsPerCycle(target.engines[0], WorkKind::Alu), 21);
  EXPECT_EQ(Target::opsPerCycle(target.engines[0], WorkKind::Special),
            std::nullopt);
  EXPECT_EQ(Target::opsPerCycle(target.engines[0], WorkKind::Mac),
            std::nullopt);
  EXPECT_EQ(macs(b.getF32Type()), "30 f64");
  EXPECT_EQ(macs(b.getIntegerType(4)), "600 i8");
  EXPECT_EQ(macs(b.getIntegerType(8, /*isSigned=*/false)), "600 i8");
  EXPECT_EQ(macs(b.getI32Type()), "none");
  EXPECT_EQ(macs(b.getIndexType()), "none");
  EXPECT_EQ(macs(ComplexType::get(b.getF32Type())), "none");
}

// The next wider type of the class stands in, and of equal ones the first.
TEST_F(TargetTest, Fallback) {
  Type f4 = Float4E2M1FNType::get(&context);
  Type f8 = Float8E4M3FNType::get(&context);
  Type tf32 = FloatTF32Type::get(&context);
  setRates({"f32", "f16", "tf32", "f8E5M2", "f64", "bf16"});
  EXPECT_EQ(macs(f4), "4 f8E5M2");
  EXPECT_EQ(macs(f8), "4 f8E5M2");
  EXPECT_EQ(macs(b.getF16Type()), "2 f16");
  EXPECT_EQ(macs(b.getBF16Type()), "6 bf16");
  EXPECT_EQ(macs(tf32), "3 tf32");
  EXPECT_EQ(macs(b.getF32Type()), "1 f32");
  EXPECT_EQ(macs(b.getI8Type()), "none");
  setRates({"f32", "tf32", "bf16"});
  EXPECT_EQ(macs(b.getF16Type()), "3 bf16");
  EXPECT_EQ(macs(f8), "3 bf16");
  EXPECT_EQ(macs(b.getF64Type()), "none");
  setRates({"f32", "tf32"});
  EXPECT_EQ(macs(b.getF16Type()), "2 tf32");
  setRates({"tf32"});
  EXPECT_EQ(macs(b.getF32Type()), "none");
  setRates({"f32", "i32", "i8"});
  EXPECT_EQ(macs(b.getIntegerType(4)), "3 i8");
  EXPECT_EQ(macs(b.getIntegerType(16)), "2 i32");
}

TEST_F(TargetTest, SetComputeEngines) {
  auto at = [&] { return mlir::emitError(b.getUnknownLoc()); };
  std::string remark = "old";
  EXPECT_TRUE(succeeded(setComputeEngines(target, 8, at, remark)));
  EXPECT_EQ(target.engines[0].count, 8);
  EXPECT_EQ(target.engines[1].count, 1);
  EXPECT_EQ(remark,
            "8 x 'core' (3 units each) share one 'dram', whose rate and "
            "capacity are those of one device: this is no machine of 8 chips; "
            "--llm-shard=tp=8 and --llm-partition, or tp=8 of --llm-pipeline, "
            "cut a program over chips");
  EXPECT_TRUE(succeeded(setComputeEngines(target, 1, at, remark)));
  EXPECT_EQ(remark, "");
  target.engines[0].units = 1;
  EXPECT_TRUE(succeeded(setComputeEngines(target, 1048576, at, remark)));
  EXPECT_EQ(remark, "");
  EXPECT_EQ(check(), "");

  for (int64_t count : {int64_t(0), int64_t(-1), int64_t(1048577)}) {
    EXPECT_TRUE(failed(setComputeEngines(target, count, at, remark)));
    EXPECT_EQ(messages.take(),
              "the number of compute engines must be between 1 "
              "and 1,048,576, got " +
                  std::to_string(count) + "\n");
  }
  EXPECT_EQ(target.engines[0].count, 1048576);
  Target two = target;
  two.engines[1].kinds.insert(EngineKind::Vector);
  EXPECT_TRUE(failed(setComputeEngines(two, 2, at, remark)));
  EXPECT_EQ(
      messages.take(),
      "target 'toy' has several groups of compute engines (core, dma): name "
      "those to set the number of, as in 'core:2'\n");
  EXPECT_TRUE(succeeded(setEngines(two, "dma", 3, at, remark)));
  EXPECT_EQ(two.engines[1].count, 3);
  EXPECT_TRUE(failed(setEngines(two, "mxu", 3, at, remark)));
  EXPECT_EQ(messages.take(),
            "target 'toy' has no engines 'mxu' (engines: core, dma; "
            "--llm-list-targets shows other targets)\n");
  Target none = target;
  none.engines.erase(none.engines.begin());
  EXPECT_TRUE(failed(setComputeEngines(none, 2, at, remark)));
  EXPECT_EQ(messages.take(),
            "target 'toy' has no compute engines to set the number of\n");
}

// A cost stays valid when only counts, names or the prose change.
TEST_F(TargetTest, DescribeForCost) {
  std::string before = describeForCost(target, target.engines[0]);
  EXPECT_EQ(before,
            "clock_hz=1000 kinds=matrix,vector, units=3 "
            "alu_per_cycle_per_unit=7 overhead_cycles=0 "
            "mac.bf16=100 mac.f64=10 mac.i8=200 private=64 "
            "l2: capacity_bytes=0 bytes_per_second=5000 lanes=16 port_lanes=16 "
            "dram: capacity_bytes=1048576 bytes_per_second=1000 lanes=1024 "
            "port_lanes=341");
  target.engines[0].count = 5;
  target.engines[1].count = 5;
  target.description = "other";
  target.name = "other";
  EXPECT_EQ(describeForCost(target, target.engines[0]), before);
  for (auto change : std::vector<std::function<void(Target &)>>{
           [](Target &t) { t.clockHz = 1001; },
           [](Target &t) { t.engines[0].units = 4; },
           [](Target &t) { t.engines[0].overheadCycles = 1; },
           [](Target &t) { t.engines[0].comparePerCycle = 7; },
           [](Target &t) { t.engines[0].ports.clear(); },
           [](Target &t) { t.memories[0].capacityBytes = 65; },
           [](Target &t) { t.memories[1].bytesPerSecond = 1; },
           [](Target &t) { t.memories[2].sustainedBytesPerSecond = 900; },
           [](Target &t) { t.powerLimitWatts = 1; },
           [](Target &t) { t.burstPercent = 120; },
           [](Target &t) { t.energyFollowsClock = 1; },
           [](Target &t) {
             t.engines[0].macEnergies = {{"i8", 1}};
           },
           [](Target &t) { t.engines[0].kernels.push_back({"llm.add"}); },
           [](Target &t) {
             t.links = {{"ring", 1, 2}};
           }}) {
    Target changed = target;
    change(changed);
    EXPECT_FALSE(changed == target);
    EXPECT_NE(describeForCost(changed, changed.engines[0]), before);
  }
}

Target withKernels() {
  Target target = makeTarget();
  KernelFigures any, fast, slow, add;
  any.kernel = "attention";
  any.launchNanoseconds = 5;
  any.replayNanoseconds = 4;
  any.queryTile = 64;
  fast.kernel = "attention@fast";
  fast.queryTile = 128;
  slow.kernel = "elementwise@slow";
  slow.launchNanoseconds = 9;
  add.kernel = "llm.add@fast";
  add.itemElements = 7;
  target.engines[0].kernels = {any, fast, slow, add};
  return target;
}

// A library's figures stand over those of none, each figure by itself.
TEST_F(TargetTest, SelectKernels) {
  Target target = withKernels();
  EXPECT_EQ(check(), "");
  EXPECT_EQ(kernelLibraries(target),
            (std::vector<std::string>{"fast", "slow"}));
  selectKernels(target, "fast", /*replayed=*/true);
  ASSERT_EQ(target.engines[0].kernels.size(), 2u);
  KernelFigures attention =
      target.engines[0].kernelFigures("attention", "llm.attention");
  EXPECT_EQ(attention.queryTile, 128);
  EXPECT_EQ(attention.launchNanoseconds, 4);
  EXPECT_EQ(
      target.engines[0].kernelFigures("elementwise", "llm.add").itemElements,
      7);
  EXPECT_TRUE(kernelLibraries(target).empty());
}

// The default library of a kernel counts until one is chosen that has it, too.
TEST_F(TargetTest, DefaultLibrary) {
  Target target = withKernels();
  std::vector<KernelFigures> &kernels = target.engines[0].kernels;
  kernels[1].isDefault = 1;
  kernels[1].itemCycles = 7;
  EXPECT_EQ(check(), "");
  auto tileOf = [](const Target &target) {
    return target.engines[0].kernelFigures("attention", "").queryTile;
  };
  EXPECT_EQ(tileOf(target), 128);
  Target slow = target;
  selectKernels(slow, "slow", /*replayed=*/false);
  EXPECT_EQ(tileOf(slow), 128);
  KernelFigures other = kernels[1];
  other.kernel = "attention@slow";
  other.isDefault = std::nullopt;
  other.queryTile = 32;
  kernels.push_back(other);
  EXPECT_EQ(tileOf(target), 128);
  slow = target;
  selectKernels(slow, "slow", /*replayed=*/false);
  EXPECT_EQ(tileOf(slow), 32);
  EXPECT_EQ(figuresOfDefault(target, "attention").front(),
            "engines.core.kernels.attention@fast.item_cycles");
}

// A library may have kernels for some formats only. It is the default of these,
// or is chosen for them; the others keep theirs.
TEST_F(TargetTest, LibraryOfFormats) {
  Target target = withKernels();
  std::vector<KernelFigures> &kernels = target.engines[0].kernels;
  kernels[1].isDefault = 1;
  kernels[1].formats = {"fp8", "nvfp4"};
  KernelFigures other = kernels[1];
  other.kernel = "attention@slow";
  other.isDefault = std::nullopt;
  other.formats = {"nvfp4", "int8"};
  other.queryTile = 32;
  kernels.push_back(other);
  EXPECT_EQ(check(), "");
  auto tilesOf = [](const Target &target) {
    std::vector<std::optional<int64_t>> tiles;
    for (StringRef format : {"", "fp8", "nvfp4", "int8"})
      tiles.push_back(
          target.engines[0].kernelFigures("attention", "", format).queryTile);
    return tiles;
  };
  using Tiles = std::vector<std::optional<int64_t>>;
  EXPECT_EQ(tilesOf(target), (Tiles{64, 128, 128, 64}));
  Target slow = target;
  selectKernels(slow, "slow", /*replayed=*/false);
  EXPECT_EQ(tilesOf(slow), (Tiles{64, 128, 32, 32}));
  EXPECT_TRUE(slow.check().empty());
  // Rows of other formats have nothing of it to calibrate.
  EXPECT_EQ(figuresOfDefault(target, "attention", "nvfp4"),
            std::vector<std::string>());
  kernels[1].itemCycles = 7;
  EXPECT_EQ(figuresOfDefault(target, "attention", "nvfp4"),
            std::vector<std::string>{
                "engines.core.kernels.attention@fast.item_cycles"});
  EXPECT_EQ(figuresOfDefault(target, "attention", "int8"),
            std::vector<std::string>());
  kernels[1].itemCycles = std::nullopt;
  // What is chosen for all formats replaces every default.
  kernels.back().formats.clear();
  slow = target;
  selectKernels(slow, "slow", /*replayed=*/false);
  EXPECT_EQ(tilesOf(slow), (Tiles{32, 32, 32, 32}));
  // Those of the op for some formats stand over those of the class for all.
  KernelFigures narrow = kernels.back();
  narrow.kernel = "llm.gqa_attn@slow";
  narrow.formats = {"f8E4M3FN"};
  narrow.queryTile = 16;
  kernels.push_back(narrow);
  slow = target;
  selectKernels(slow, "slow", /*replayed=*/false);
  auto tileOf = [&](StringRef format) {
    return slow.engines[0]
        .kernelFigures("attention", "llm.gqa_attn", format)
        .queryTile;
  };
  EXPECT_EQ(tileOf("f8E4M3FN"), 16);
  EXPECT_EQ(tileOf(""), 32);
  // A library may have several of one name, each for its formats.
  narrow.kernel = "llm.gqa_attn@slow#4";
  narrow.formats = {"nvfp4"};
  narrow.queryTile = 8;
  kernels.push_back(narrow);
  EXPECT_EQ(check(), "");
  EXPECT_EQ(kernelLibraries(target),
            (std::vector<std::string>{"fast", "slow"}));
  slow = target;
  selectKernels(slow, "slow", /*replayed=*/false);
  EXPECT_EQ(tileOf("nvfp4"), 8);
  EXPECT_EQ(tileOf("f8E4M3FN"), 16);
  EXPECT_EQ(tileOf(""), 32);
  kernels.back().itemCycles = 7;
  EXPECT_EQ(figuresOfGroup(target, "llm.gqa_attn", "slow").back(),
            "engines.core.kernels.llm.gqa_attn@slow#4.item_cycles");
  // The figures of a class are also those of its steps.
  KernelFigures step;
  step.kernel = "attention_decode@slow";
  step.itemCycles = 5;
  kernels.push_back(step);
  EXPECT_EQ(figuresOfGroup(target, "attention", "slow").back(),
            "engines.core.kernels.attention_decode@slow.item_cycles");
}

// The figures of a step stand over those of attention and of its op, and those
// of a step whose heads share no keys over these.
TEST_F(TargetTest, KernelsOfSteps) {
  Target target = withKernels();
  for (auto [name, tile] : {std::pair{"llm.gqa_attn", 1},
                            {"attention_decode", 2},
                            {"attention_decode_mha", 3}}) {
    KernelFigures own;
    own.kernel = name;
    own.queryTile = tile;
    target.engines[0].kernels.push_back(own);
  }
  EXPECT_EQ(check(), "");
  auto tileOf = [&](StringRef opClass) {
    return target.engines[0].kernelFigures(opClass, "llm.gqa_attn").queryTile;
  };
  EXPECT_EQ(tileOf("attention"), 1);
  EXPECT_EQ(tileOf("attention_decode"), 2);
  EXPECT_EQ(tileOf("attention_decode_mha"), 3);
  target.engines[0].kernels.pop_back();
  EXPECT_EQ(tileOf("attention_decode_mha"), 2);
  EXPECT_EQ(widestClassOf("attention_decode_mha"), "attention");
  EXPECT_EQ(widestClassOf("selection"), "selection");
}

TEST_F(TargetTest, SelectLibrary) {
  auto at = [&] { return mlir::emitError(b.getUnknownLoc()) << "here: "; };
  Target target = withKernels();
  EXPECT_TRUE(succeeded(selectLibrary(target, "slow", at)));
  EXPECT_EQ(target.engines[0]
                .kernelFigures("elementwise", "llm.mul")
                .launchNanoseconds,
            9);
  // Of several, each has its own, and the last one counts.
  target = withKernels();
  target.engines[0].kernels[2].kernel = "attention@slow";
  EXPECT_TRUE(succeeded(selectLibrary(target, "fast,slow", at)));
  KernelFigures attention = target.engines[0].kernelFigures("attention", "");
  EXPECT_EQ(attention.queryTile, 128);
  EXPECT_EQ(attention.launchNanoseconds, 9);
  target = withKernels();
  EXPECT_TRUE(failed(selectLibrary(target, "fats", at)));
  EXPECT_TRUE(failed(selectLibrary(target, "fast,vllm", at)));
  EXPECT_TRUE(target == withKernels());
  Target none = makeTarget();
  EXPECT_TRUE(failed(selectLibrary(none, "fast", at)));
  EXPECT_EQ(messages.take(),
            "here: target 'toy' has no figures of library 'fats'; did you "
            "mean 'fast'? (libraries: fast, slow)\n"
            "here: target 'toy' has no figures of library 'vllm' (libraries: "
            "fast, slow)\n"
            "here: target 'toy' has no figures of library 'fast' (it has none "
            "of any library)\n");
}

// Links have libraries, too. One that is named for its kernels leaves the
// default of links, and one that a link has replaces it.
TEST_F(TargetTest, SelectLibraryOfLinks) {
  auto at = [&] { return mlir::emitError(b.getUnknownLoc()) << "here: "; };
  Target target = withKernels();
  Link own, other;
  own.name = "ring@stack";
  own.bytesPerSecond = 1;
  own.isDefault = 1;
  own.bandwidthNanoseconds = 7;
  other = own;
  other.name = "ring@plain";
  other.isDefault = std::nullopt;
  other.bandwidthNanoseconds = 9;
  target.links = {{"ring", 1, 2}, own, other};
  EXPECT_EQ(kernelLibraries(target),
            (std::vector<std::string>{"fast", "slow", "stack", "plain"}));
  auto startOf = [](const Target &target) {
    return target.withDefaultLibrary(target.links.front()).bandwidthNanoseconds;
  };
  EXPECT_EQ(startOf(target), 7);
  Target fast = target, plain = target;
  EXPECT_TRUE(succeeded(selectLibrary(fast, "fast", at)));
  EXPECT_EQ(startOf(fast), 7);
  EXPECT_TRUE(succeeded(selectLibrary(plain, "plain", at)));
  EXPECT_EQ(startOf(plain), 9);
  EXPECT_EQ(plain.links.size(), 1u);
}

// Everything that only code can get wrong; the rest is tested on files.
TEST_F(TargetTest, CheckFindsAll) {
  Target sound = target;
  auto problemsAfter = [&](function_ref<void(Target &)> change) {
    target = sound;
    change(target);
    return check();
  };
  EXPECT_EQ(problemsAfter([](Target &t) { t.name = ""; }),
            "'name' must not be empty");
  EXPECT_EQ(
      problemsAfter([](Target &t) { t.clockHz = 0; }),
      "'clock_hz' must be between 1 and 2,305,843,009,213,693,951, got 0");
  EXPECT_EQ(problemsAfter([](Target &t) { t.engines[1].name = "core"; }),
            "'engines.core' is there twice");
  EXPECT_EQ(problemsAfter([](Target &t) { t.engines[1].name = ""; }),
            "'engines' must not hold an empty name");
  EXPECT_EQ(problemsAfter([](Target &t) { t.memories[1].name = "dram"; }),
            "'memories.dram' is there twice");
  EXPECT_EQ(problemsAfter([](Target &t) {
              t.engines[0].macRates.push_back({"bf16", 1});
            }),
            "'engines.core.macs_per_cycle_per_unit.bf16' is there twice");
  EXPECT_EQ(problemsAfter([](Target &t) {
              t.engines[0].ports.push_back({"dram", 1});
            }),
            "'engines.core.port_bytes_per_second.dram' is there twice");
  EXPECT_EQ(problemsAfter([](Target &t) { t.engines[0].specialPerCycle = 0; }),
            "'engines.core.special_per_cycle_per_unit' must be between 1 and "
            "2,305,843,009,213,693,951, got 0");
  EXPECT_EQ(problemsAfter([](Target &t) { t.engines[0].overheadCycles = -1; }),
            "'engines.core.overhead_cycles' must be between 0 and "
            "2,305,843,009,213,693,951, got -1");
  EXPECT_EQ(
      problemsAfter([](Target &t) { t.engines.clear(); }),
      "'engines' must hold an engine of kind \"matrix\" or \"vector\"\n"
      "'memories.sram' has no bytes_per_second, and no engine names it as its "
      "private_memory");
}

} // namespace
