//===- PresetsTest.cpp - Built-in targets and their documentation ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Files/Messages.h"
#include "llm/Files/InputFile.h"
#include "llm/Target/Target.h"
#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

class Presets : public ::testing::Test {
protected:
  Target load(StringRef name) {
    FailureOr<Target> target = loadPreset(name, &context, [&] {
      return mlir::emitError(UnknownLoc::get(&context));
    });
    EXPECT_TRUE(succeeded(target)) << messages.take();
    return succeeded(target) ? *target : Target();
  }
  static int64_t macs(const Target &target, Type type, StringRef expectedType) {
    std::string used;
    auto rate = Target::macsPerCycle(target.engines[0], type, used);
    EXPECT_EQ(used, expectedType);
    return rate.value_or(0);
  }
  static int64_t ops(const Target &target, WorkKind kind) {
    return Target::opsPerCycle(target.engines[0], kind).value_or(0);
  }

  MLIRContext context;
  Messages messages{&context};
  Builder b{&context};
};

TEST_F(Presets, Names) {
  EXPECT_EQ(presetNames(), (std::vector<std::string>{"npu", "nvl-ax", "jgs",
                                                     "a100-sxm", "h100-sxm"}));
  EXPECT_EQ(defaultPresetName, presetNames().front());
  for (const std::string &name : presetNames()) {
    Target target = load(name);
    EXPECT_EQ(target.name, name);
    EXPECT_FALSE(target.description.empty());
    EXPECT_TRUE(target.check().empty());
    EXPECT_TRUE(target.clockIsGiven);
    EXPECT_EQ(target.dram().name, "dram");
  }
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  EXPECT_TRUE(failed(loadPreset("h100", &context, emitError)));
  EXPECT_TRUE(failed(loadPreset("a100_sxm", &context, emitError)));
  EXPECT_EQ(
      messages.take(),
      "no preset is called 'h100' (presets: npu, nvl-ax, jgs, a100-sxm, "
      "h100-sxm)\n"
      "no preset is called 'a100_sxm'; did you mean 'a100-sxm'? (presets: npu, "
      "nvl-ax, jgs, a100-sxm, h100-sxm)\n");
}

// A quarter of the memory's 1024 lanes for each core: four of them saturate it.
TEST_F(Presets, Npu) {
  Target npu = load("npu");
  const Engine &core = *npu.findEngine(EngineKind::Matrix);
  const Engine &dma = *npu.findEngine(EngineKind::Memory);
  EXPECT_EQ(core.count, 4);
  EXPECT_EQ(dma.count, 2);
  EXPECT_EQ(npu.clockHz, 1000000000);
  EXPECT_EQ(npu.privateMemoryOf(core)->capacityBytes, 8 * 1024 * 1024);
  EXPECT_EQ(npu.dram().capacityBytes, int64_t(16) << 30);
  EXPECT_EQ(npu.dram().bytesPerSecond, 400000000000);
  EXPECT_EQ(npu.portLanes(core, npu.dram()), 256);
  EXPECT_EQ(npu.portLanes(dma, npu.dram()), 256);
  EXPECT_EQ(macs(npu, b.getBF16Type(), "bf16"), 4096);
  EXPECT_EQ(macs(npu, b.getF32Type(), "f32"), 1024);
  EXPECT_EQ(macs(npu, Float8E5M2Type::get(&context), "f8E5M2"), 8192);
  EXPECT_EQ(macs(npu, b.getIntegerType(4), "i8"), 8192);
  EXPECT_EQ(ops(npu, WorkKind::Alu), 256);
  EXPECT_EQ(ops(npu, WorkKind::Special), 64);
  EXPECT_EQ(ops(npu, WorkKind::Compare), 256);
  EXPECT_NE(npu.description.find("invented"), std::string::npos);
}

// 32 x 2048 = 65,536 MACs a cycle; 342 GiB/s; 36 MiB.
TEST_F(Presets, NvlAx) {
  Target target = load("nvl-ax");
  EXPECT_EQ(target.clockHz, 2500000000);
  EXPECT_EQ(macs(target, b.getF16Type(), "f16"), 65536);
  EXPECT_EQ(macs(target, b.getBF16Type(), "bf16"), 65536);
  EXPECT_EQ(target.dram().bytesPerSecond, 367219703808);
  EXPECT_EQ(target.dram().bytesPerSecond, int64_t(342) << 30);
  EXPECT_EQ(target.privateMemoryOf(target.engines[0])->capacityBytes, 36 << 20);
  EXPECT_EQ(target.portLanes(target.engines[0], target.dram()), 1024);
  EXPECT_EQ(ops(target, WorkKind::Alu), 0); // not modelled
  std::string used;
  EXPECT_FALSE(Target::macsPerCycle(target.engines[0], b.getF32Type(), used));
}

// 192 x 8192 = 1,572,864 MACs a cycle, in f32 whatever the type; 30 TiB/s; 120
// MiB.
TEST_F(Presets, Jgs) {
  Target target = load("jgs");
  EXPECT_EQ(target.clockHz, 1500000000);
  EXPECT_EQ(macs(target, b.getF32Type(), "f32"), 1572864);
  EXPECT_EQ(macs(target, b.getBF16Type(), "f32"), 1572864);
  EXPECT_EQ(target.dram().bytesPerSecond, int64_t(30) << 40);
  EXPECT_EQ(target.privateMemoryOf(target.engines[0])->capacityBytes,
            120 << 20);
}

// 108 SMs x 1024 x 2 x 1.41 GHz = 311.9 TFLOPS, the datasheet's 312.
TEST_F(Presets, A100) {
  Target target = load("a100-sxm");
  EXPECT_EQ(macs(target, b.getBF16Type(), "bf16"), 110592);
  EXPECT_EQ(macs(target, b.getI8Type(), "i8"), 221184);
  EXPECT_EQ(macs(target, b.getF32Type(), "f32"), 6912);
  EXPECT_EQ(macs(target, Float8E4M3FNType::get(&context), "f16"), 110592);
  EXPECT_EQ(ops(target, WorkKind::Alu), 6912);
  EXPECT_EQ(ops(target, WorkKind::Special), 1728);
  EXPECT_EQ(ops(target, WorkKind::Compare), 6912);
  EXPECT_EQ(target.dram().bytesPerSecond, 2039000000000);
  EXPECT_EQ(target.dram().capacityBytes, 80000000000);
}

// 132 SMs x 2048 x 2 x 1.83 GHz = 989.5 TFLOPS, the datasheet's 989.4.
TEST_F(Presets, H100) {
  Target target = load("h100-sxm");
  EXPECT_EQ(macs(target, b.getF16Type(), "f16"), 270336);
  EXPECT_EQ(macs(target, Float8E4M3FNType::get(&context), "f8E4M3FN"), 540672);
  EXPECT_EQ(macs(target, b.getI8Type(), "i8"), 540672);
  EXPECT_EQ(macs(target, b.getF32Type(), "f32"), 16896);
  EXPECT_EQ(ops(target, WorkKind::Alu), 16896);
  EXPECT_EQ(ops(target, WorkKind::Special), 2112);
  EXPECT_EQ(ops(target, WorkKind::Compare), 8448);
  EXPECT_EQ(target.dram().bytesPerSecond, 3350000000000);
}

/// The first block of the document in that language.
std::string codeBlock(StringRef document, StringRef language) {
  StringRef rest = document.split(("```" + language + "\n").str()).second;
  return rest.split("```").first.str();
}

// Each field that the loaders know has its row in the README, each row is a
// field, and the examples there load.
TEST_F(Presets, Documentation) {
  auto buffer = readInputFile(LLM_PRESETS_README);
  ASSERT_TRUE(static_cast<bool>(buffer))
      << ::llvm::toString(buffer.takeError());
  StringRef document = (*buffer)->getBuffer();
  auto [json, csv] = document.split("\n## CSV\n");
  std::vector<StringRef> known = targetJsonFields();
  for (StringRef preset : {"npu", "nvl-ax", "jgs", "a100-sxm", "h100-sxm"})
    known.push_back(preset); // they have a table too
  auto expectRows = [](StringRef text, const std::vector<StringRef> &names) {
    size_t rows = 0;
    for (StringRef rest = text; !rest.empty(); rest = rest.split('\n').second)
      rows += rest.starts_with("| `");
    EXPECT_EQ(rows, names.size());
    for (StringRef name : names)
      EXPECT_TRUE(text.contains(("\n| `" + name + "` |").str())) << name.str();
  };
  expectRows(json, known);
  expectRows(csv, targetCsvFields());

  std::string example = codeBlock(document, "json");
  auto target = parseTargetJson(example, "README", &context);
  EXPECT_TRUE(succeeded(target)) << messages.take();
  for (StringRef field : targetJsonFields())
    EXPECT_TRUE(StringRef(example).contains(("\"" + field + "\":").str()))
        << field.str();
  for (StringRef column : {"MyChip", "Other"})
    EXPECT_TRUE(succeeded(
        parseTargetCsv(codeBlock(document, "csv"), "README", column, &context)))
        << messages.take();
}

} // namespace
