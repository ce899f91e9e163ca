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
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <map>

using namespace mlir;
using namespace mlir::llm;

namespace {

class Presets : public ::testing::Test {
protected:
  Target load(StringRef name, bool calibrated = true) {
    auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
    FailureOr<Target> target =
        loadPreset(name, &context, emitError, calibrated);
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
  EXPECT_EQ(
      presetNames(),
      (std::vector<std::string>{
          "npu",      "npu-mxu-vpu",  "nvl-ax",    "jgs",      "a100-sxm",
          "a30",      "h100-sxm",     "h100-pcie", "h100-nvl", "h800-sxm",
          "h200-sxm", "b200-sxm",     "gb200",     "b300-sxm", "gb300",
          "l40s",     "l4",           "a40",       "a10",      "rtx4090",
          "rtx5090",  "rtx-pro-6000", "mi210",     "mi300x",   "mi325x",
          "gaudi3",   "trainium2",    "tpu-v5e",   "tpu-v5p",  "tpu-v6e"}));
  EXPECT_EQ(defaultPresetName, presetNames().front());
  for (const std::string &name : presetNames()) {
    Target target = load(name);
    EXPECT_EQ(target.name, name);
    EXPECT_FALSE(target.description.empty());
    EXPECT_TRUE(target.check().empty());
    bool isClockUnknown = name == "gaudi3" || name == "trainium2" ||
                          StringRef(name).starts_with("tpu-");
    EXPECT_EQ(target.clockIsGiven, !isClockUnknown);
    EXPECT_EQ(target.dram().name, "dram");
  }
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  EXPECT_TRUE(failed(loadPreset("h100", &context, emitError)));
  EXPECT_TRUE(failed(loadPreset("a100_sxm", &context, emitError)));
  std::string list =
      " (presets: npu, npu-mxu-vpu, nvl-ax, jgs, a100-sxm, a30, h100-sxm, "
      "h100-pcie, h100-nvl, h800-sxm, h200-sxm, b200-sxm, gb200, b300-sxm, "
      "gb300, l40s, l4, a40, a10, rtx4090, rtx5090, rtx-pro-6000, mi210, "
      "mi300x, mi325x, gaudi3, trainium2, tpu-v5e, tpu-v5p, tpu-v6e, host)\n";
  EXPECT_EQ(messages.take(),
            "no preset is called 'h100'; did you mean 'h100-sxm'?" + list +
                "no preset is called 'a100_sxm'; did you mean 'a100-sxm'?" +
                list);
}

// Fitted, carried, and of the datasheet alone, as the README says.
TEST_F(Presets, Calibrated) {
  for (StringRef name : presetNames()) {
    std::string fittedOn = load(name).fittedOn;
    auto isOneOf = [&](std::initializer_list<StringRef> names) {
      return ::llvm::is_contained(names, name);
    };
    StringRef begin = name == "a100-sxm"   ? "A100 80 GB kernel times"
                      : name == "h100-sxm" ? "H100 products in replayed graphs"
                      : name == "h200-sxm" ? "H200 products in replayed graphs"
                      : name == "b200-sxm" ? "B200 products in replayed graphs"
                      : name == "l40s"     ? "L40S products in replayed graphs"
                      : name == "l4"       ? "carried from l40s"
                      : name == "gaudi3"   ? "the largest published product"
                      : isOneOf({"a30", "mi210", "mi300x", "mi325x"})
                          ? "carried from a100-sxm"
                      : isOneOf({"gb200", "b300-sxm", "gb300"})
                          ? "carried from b200-sxm"
                      : isOneOf({"h100-pcie", "h100-nvl", "h800-sxm", "a40",
                                 "a10", "rtx4090", "rtx5090", "rtx-pro-6000"})
                          ? "carried from h100-sxm"
                          : "";
    EXPECT_EQ(fittedOn.empty(), begin.empty()) << name.str();
    EXPECT_TRUE(StringRef(fittedOn).starts_with(begin)) << fittedOn;
    Target datasheet = load(name, /*calibrated=*/false);
    EXPECT_EQ(datasheet.fittedOn, "");
    EXPECT_EQ(datasheet == load(name), fittedOn.empty());
  }
}

/// Without what a calibration may set: `base`'s figures in its place.
Target withoutOverlay(Target target, const Target &base) {
  target.fittedOn = base.fittedOn;
  Engine &engine = target.engines[0];
  const Engine &of = base.engines[0];
  engine.sustainedClockHz = of.sustainedClockHz;
  engine.streamBytesPerKilocycle = of.streamBytesPerKilocycle;
  engine.macEnergies = of.macEnergies;
  engine.kernels = of.kernels;
  target.memories.back().sustainedBytesPerSecond =
      base.memories.back().sustainedBytesPerSecond;
  for (Link &link : target.links)
    link.lowLatencyNanoseconds = link.stepNanoseconds =
        link.lowLatencyBytesPerSecond = link.bandwidthNanoseconds =
            link.exchangeNanoseconds = link.exchangePeerNanoseconds =
                link.exchangeLowLatencyBytesPerSecond =
                    link.exchangeBandwidthNanoseconds =
                        link.exchangeBytesPerSecond = link.ll128Nanoseconds =
                            link.ll128BytesPerSecond = link.sustainedBytesPerSecond =
                                link.oneShotNanoseconds =
                                    link.oneShotPeerNanoseconds =
                                        link.oneShotBytesPerSecond =
                                            link.twoShotNanoseconds =
                                                link.twoShotPeerNanoseconds =
                                                    link.twoShotBytesPerSecond =
                                                        link.p10Percent =
                                                            link.p90Percent =
                                                                std::nullopt;
  return target;
}

// The datasheet and the calibrated target differ by the overlay, and by nothing
// else.
TEST_F(Presets, Overlay) {
  Target target = load("a100-sxm");
  Target datasheet = load("a100-sxm", /*calibrated=*/false);
  EXPECT_TRUE(datasheet.engines[0].kernels.empty());
  EXPECT_EQ(datasheet.engines[0].streamBytesPerKilocycle, std::nullopt);
  EXPECT_EQ(datasheet.dram().sustainedBytesPerSecond, std::nullopt);
  EXPECT_FALSE(target.engines[0].kernels.empty());
  EXPECT_EQ(target.dram().sustainedBytesPerSecond, 1896300000000);
  EXPECT_TRUE(withoutOverlay(target, datasheet) == datasheet);
}

// Each preset's text is a target that is written and read again.
TEST_F(Presets, WrittenAndRead) {
  for (StringRef name : presetNames()) {
    Target target = load(name), datasheet = load(name, /*calibrated=*/false);
    std::string text;
    ::llvm::raw_string_ostream os(text);
    writeTargetJson(os, target, datasheet);
    for (bool calibrated : {true, false}) {
      auto read = parseTargetJson(text, "t.json", &context, calibrated);
      ASSERT_TRUE(succeeded(read)) << messages.take() << text;
      EXPECT_TRUE(*read == (calibrated ? target : datasheet)) << text;
    }
  }
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
  EXPECT_EQ(ops(target, WorkKind::Alu), 32 * 128); // assumed
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

// Peaks of the datasheets, in TFLOP/s: 2 x units x rate x clock.
TEST_F(Presets, Peaks) {
  struct Peak {
    StringRef name;
    Type type;
    double teraFlops;
  };
  Type bf16 = b.getBF16Type(), i8 = b.getI8Type(),
       f8 = Float8E4M3FNType::get(&context),
       f4 = Float4E2M1FNType::get(&context);
  for (const Peak &peak : {Peak{"h200-sxm", bf16, 989.4},
                           {"h200-sxm", f8, 1979},
                           {"b200-sxm", bf16, 2250},
                           {"b200-sxm", f8, 4500},
                           {"l40s", bf16, 362.05},
                           {"l40s", f8, 733},
                           {"a40", bf16, 149.7},
                           {"a40", i8, 299.3},
                           {"rtx4090", bf16, 165.2},
                           {"rtx4090", i8, 660.6},
                           {"mi210", bf16, 181},
                           {"a30", bf16, 165},
                           {"a30", i8, 330},
                           {"a10", bf16, 125},
                           {"a10", i8, 250},
                           {"l4", bf16, 121},
                           {"l4", f8, 242.5},
                           {"h100-pcie", bf16, 756.5},
                           {"h100-pcie", f8, 1513},
                           {"h100-nvl", bf16, 835.5},
                           {"h100-nvl", f8, 1671},
                           {"h800-sxm", bf16, 989.4},
                           {"gb200", bf16, 2500},
                           {"gb200", f4, 10000},
                           {"b300-sxm", bf16, 2250},
                           {"b300-sxm", f4, 13500},
                           {"b300-sxm", i8, 140},
                           {"gb300", bf16, 2500},
                           {"gb300", f4, 15000},
                           {"rtx5090", bf16, 209.5},
                           {"rtx5090", f4, 1676},
                           {"rtx-pro-6000", f4, 2000},
                           {"mi300x", bf16, 1307.4},
                           {"mi300x", f8, 2614.9},
                           {"mi325x", bf16, 1307.4},
                           {"gaudi3", bf16, 1835},
                           {"gaudi3", f8, 1835},
                           {"trainium2", bf16, 667},
                           {"trainium2", f8, 1299},
                           {"tpu-v5e", bf16, 197},
                           {"tpu-v5e", i8, 393},
                           {"tpu-v5p", bf16, 459},
                           {"tpu-v6e", bf16, 918},
                           {"tpu-v6e", i8, 1836}}) {
    Target target = load(peak.name);
    std::string used;
    auto rate = Target::macsPerCycle(target.engines[0], peak.type, used);
    ASSERT_TRUE(rate) << peak.name.str();
    // A clock of two decimals is that of the peak to 1.3%.
    EXPECT_NEAR(2e-12 * double(*rate) * double(target.clockHz), peak.teraFlops,
                0.013 * peak.teraFlops)
        << peak.name.str();
  }
}

/// The first block of the document in that language.
std::string codeBlock(StringRef document, StringRef language) {
  StringRef rest = document.split(("```" + language + "\n").str()).second;
  return rest.split("```").first.str();
}

/// What stands below a heading, to the next one.
StringRef section(StringRef document, StringRef heading) {
  StringRef rest = document.split(("\n" + heading + "\n").str()).second;
  return rest.split("\n#").first;
}

size_t countRows(StringRef text) {
  size_t rows = 0;
  for (; !text.empty(); text = text.split('\n').second)
    rows += text.starts_with("| `");
  return rows;
}

/// A row as Markdown; an empty cell is one blank.
std::string rowOf(const TargetFieldRow &row) {
  std::string text = ("| `" + row.key + "` |").str();
  for (StringRef cell : {row.unit, row.absent, row.meaning})
    text += (cell.empty() ? " |" : " " + cell + " |").str();
  return text;
}

class Documentation : public Presets {
protected:
  void SetUp() override {
    auto file = readInputFile(LLM_PRESETS_README);
    ASSERT_TRUE(static_cast<bool>(file)) << ::llvm::toString(file.takeError());
    buffer = std::move(*file);
    document = buffer->getBuffer();
  }

  std::unique_ptr<::llvm::MemoryBuffer> buffer;
  StringRef document;
};

// The README says of each field what the loader knows of it, and no more.
TEST_F(Documentation, Fields) {
  std::map<std::string, std::vector<std::string>> tables;
  for (const TargetFieldRow &row : targetFieldRows())
    tables[row.table.str()].push_back(rowOf(row));
  EXPECT_EQ(tables.size(), 7u);
  for (const auto &[name, rows] : tables) {
    std::string heading = "### " + name;
    heading[4] = ::llvm::toUpper(heading[4]);
    StringRef text = section(document, heading);
    EXPECT_EQ(countRows(text), rows.size()) << heading;
    for (const std::string &row : rows)
      EXPECT_TRUE(text.contains("\n" + row + "\n")) << heading << "\n" << row;
  }
}

TEST_F(Documentation, PresetsAndCsv) {
  StringRef intro = document.split("\n## ").first;
  EXPECT_EQ(countRows(intro), presetNames().size() + 1);
  for (const std::string &name : presetNames())
    EXPECT_TRUE(intro.contains("\n| `" + name + "` |")) << name;
  EXPECT_TRUE(intro.contains("\n| `host` |"));
  StringRef csv = section(document, "## CSV");
  EXPECT_EQ(countRows(csv), targetCsvFields().size());
  for (StringRef name : targetCsvFields())
    EXPECT_TRUE(csv.contains(("\n| `" + name + "` |").str())) << name.str();
}

// The examples load; that in JSON has every field.
TEST_F(Documentation, Examples) {
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
