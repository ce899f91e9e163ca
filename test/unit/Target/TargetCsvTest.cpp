//===- TargetCsvTest.cpp - Targets from a spreadsheet ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Files/Messages.h"
#include "llm/Target/Target.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

// With a byte order mark and the line ends of a spreadsheet program.
constexpr StringRef table =
    "\xEF\xBB\xBF"
    "field,NVL-AX,JGS,H100,TPU,\"Odd, one\"\r\n"
    "units (cores / SMs / CUs),32,192,132,1,\r\n"
    "clock_hz,2.5e9,1.5e9,1.83e9,,\r\n"
    "macs_per_cycle_per_unit_16bit,2048,,,,\r\n"
    "macs_per_cycle_per_unit_fp32,,8192,,,\r\n"
    "alu_per_cycle_per_unit,,,128,,\r\n"
    "special_per_cycle_per_unit,,,16,,\r\n"
    "compare_per_cycle_per_unit,,,64,,\r\n"
    "peak_dense_16bit_flops,3.2768e14,,9.894e14,9.18e14,1\r\n"
    "peak_dense_fp8_flops,,,1.979e15,,\r\n"
    "memory_bytes_per_second,367219703808,32985348833280,3.35e12,1.64e12,5\r\n"
    "memory_bytes,,,80e9,32e9,\r\n"
    "last_level_cache_bytes,37748736,125829120,50e6,,7\r\n"
    "link_bytes_per_second_per_direction,,,4.5e11,,\r\n";

class TargetCsv : public ::testing::Test {
protected:
  FailureOr<Target> parse(StringRef text, StringRef column) {
    return parseTargetCsv(text, "t.csv", column, &context);
  }
  std::string errorOf(StringRef text, StringRef column) {
    EXPECT_TRUE(failed(parse(text, column))) << text.str();
    return messages.take();
  }

  MLIRContext context;
  Messages messages{&context};
};

TEST_F(TargetCsv, GivenRates) {
  auto target = parse(table, "NVL-AX");
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_EQ(target->name, "NVL-AX");
  EXPECT_EQ(target->clockHz, 2500000000);
  EXPECT_TRUE(target->clockIsGiven);
  ASSERT_EQ(target->engines.size(), 1u);
  const Engine &chip = target->engines[0];
  EXPECT_EQ(chip.name, "chip");
  EXPECT_EQ(chip.count, 1);
  EXPECT_EQ(chip.units, 32);
  EXPECT_TRUE(chip.macRates ==
              (std::vector<MacRate>{{"f16", 2048}, {"bf16", 2048}}));
  EXPECT_EQ(chip.aluPerCycle, std::nullopt);
  EXPECT_EQ(target->privateMemoryOf(chip)->capacityBytes, 37748736);
  EXPECT_EQ(target->dram().name, "dram");
  EXPECT_EQ(target->dram().bytesPerSecond, 367219703808);
  EXPECT_EQ(target->dram().capacityBytes, 0); // not given
  EXPECT_TRUE(target->links.empty());
  auto jgs = parse(table, "JGS");
  EXPECT_TRUE(jgs->engines[0].macRates ==
              (std::vector<MacRate>{{"f32", 8192}}));
}

// 9.894e14 / (2 x 132 x 1.83e9) = 2047.9 and 1.979e15 / (2 x 132 x 1.83e9) =
// 4096.3
TEST_F(TargetCsv, RatesFromPeak) {
  auto target = parse(table, "H100");
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_TRUE(target->engines[0].macRates ==
              (std::vector<MacRate>{{"f8E4M3FN", 4096},
                                    {"f8E5M2", 4096},
                                    {"f16", 2047},
                                    {"bf16", 2047}}));
  EXPECT_EQ(target->engines[0].aluPerCycle, 128);
  EXPECT_EQ(target->engines[0].specialPerCycle, 16);
  EXPECT_EQ(target->engines[0].comparePerCycle, 64);
  EXPECT_EQ(target->dram().capacityBytes, 80000000000);
  EXPECT_TRUE(target->links == (std::vector<Link>{{"link", 450000000000, 2}}));
}

// A quoted name; one unit, the stated tick, and a rate of at least 1.
TEST_F(TargetCsv, Defaults) {
  auto target = parse(table, "Odd, one");
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_EQ(target->clockHz, 1000000000);
  EXPECT_FALSE(target->clockIsGiven);
  EXPECT_EQ(target->engines[0].units, 1);
  EXPECT_TRUE(target->engines[0].macRates ==
              (std::vector<MacRate>{{"f16", 1}, {"bf16", 1}}));
}

TEST_F(TargetCsv, OnlyColumn) {
  auto target = parse("field,Mine\nmacs_per_cycle_per_unit_16bit,1024\n"
                      "memory_bytes_per_second,4e11\n"
                      "last_level_cache_bytes,8388608\n",
                      "");
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_EQ(target->name, "Mine");
}

TEST_F(TargetCsv, Columns) {
  EXPECT_EQ(
      errorOf(table, ""),
      "t.csv:1:1: column= must say which device to take, such as "
      "column=NVL-AX of --llm-target (columns: NVL-AX, JGS, H100, TPU, Odd, "
      "one)\n");
  EXPECT_EQ(
      errorOf(table, "h100"),
      "t.csv:1:1: no column is called 'h100'; did you mean 'H100'? (columns: "
      "NVL-AX, JGS, H100, TPU, Odd, one)\n");
  EXPECT_EQ(errorOf("field,A,A\n", "A"),
            "t.csv:1:1: several columns are called 'A' (columns: A, A)\n");
  EXPECT_EQ(errorOf("", "A"), "t.csv:1:1: the table is empty\n");
}

TEST_F(TargetCsv, Fields) {
  EXPECT_EQ(
      errorOf("field,A\nunits,1\ncolour,2\nclok_hz,3\n", "A"),
      "t.csv:3:1: 'colour' is not a known field (known: units, clock_hz, "
      "macs_per_cycle_per_unit_16bit, macs_per_cycle_per_unit_fp32, "
      "alu_per_cycle_per_unit, special_per_cycle_per_unit, "
      "compare_per_cycle_per_unit, "
      "peak_dense_16bit_flops, peak_dense_fp8_flops, memory_bytes_per_second, "
      "memory_bytes, last_level_cache_bytes, "
      "link_bytes_per_second_per_direction)\n"
      "t.csv:4:1: 'clok_hz' is not a known field; did you mean 'clock_hz'? "
      "(known: "
      "units, clock_hz, macs_per_cycle_per_unit_16bit, "
      "macs_per_cycle_per_unit_fp32, alu_per_cycle_per_unit, "
      "special_per_cycle_per_unit, compare_per_cycle_per_unit, "
      "peak_dense_16bit_flops, "
      "peak_dense_fp8_flops, "
      "memory_bytes_per_second, memory_bytes, last_level_cache_bytes, "
      "link_bytes_per_second_per_direction)\n");
  EXPECT_EQ(errorOf("field,A\nunits,1\nunits (SMs),2\n", "A"),
            "t.csv:3:13: the field 'units' is there twice\n");
  EXPECT_EQ(errorOf("field,A,B\nunits,1\n", "A"),
            "t.csv:2:1: this row has 2 cells, the first one 3\n");
}

TEST_F(TargetCsv, Numbers) {
  EXPECT_EQ(
      errorOf("field,A\nunits,1.5\n", "A"),
      "t.csv:2:7: 'units' must be a positive whole number, got '1.5': it has "
      "a fraction\n");
  EXPECT_EQ(
      errorOf("field,A\nunits, \"1,000\"\n", "A"),
      "t.csv:2:8: 'units' must be a positive whole number, got '1,000': it is "
      "no number\n");
  for (const char *text : {"0", "-3", "2305843009213693952"})
    EXPECT_EQ(errorOf((Twine("field,A\nunits,") + text).str(), "A"),
              std::string("t.csv:2:7: 'units' must be between 1 and "
                          "2,305,843,009,213,693,951, got '") +
                  text + "'\n");
  // What stands in another device's column does not matter.
  EXPECT_EQ(
      errorOf("field,A,B\nunits,x,1\n", "B"),
      "t.csv:1:9: 'B' gives no 'memory_bytes_per_second': every op waits for "
      "it\n");
}

TEST_F(TargetCsv, MissingFigures) {
  EXPECT_EQ(
      errorOf(table, "TPU"),
      "t.csv:1:23: 'TPU' gives no 'last_level_cache_bytes': tiles are cut for "
      "it; add the capacity of the memory next to the units\n");
  EXPECT_EQ(errorOf("field,A\nmemory_bytes_per_second,1\n"
                    "last_level_cache_bytes,1\n",
                    "A"),
            "t.csv:1:7: 'A' gives no rate of multiply-accumulates: one of "
            "'macs_per_cycle_per_unit_16bit', 'macs_per_cycle_per_unit_fp32', "
            "'peak_dense_16bit_flops', 'peak_dense_fp8_flops' is needed\n");
  EXPECT_EQ(
      errorOf("field,A\nmemory_bytes_per_second,1\nunits,1e18\n"
              "last_level_cache_bytes,1\nmacs_per_cycle_per_unit_fp32,1e18\n",
              "A"),
      "t.csv:1:7: 'A': 'engines.chip.macs_per_cycle_per_unit.f32' times the "
      "1000000000000000000 units is above 2,305,843,009,213,693,951\n");
}

TEST_F(TargetCsv, Files) {
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  SmallString<128> path;
  ASSERT_FALSE(::llvm::sys::fs::createTemporaryFile("target", "CSV", path));
  ::llvm::FileRemover remover(path);
  std::error_code error;
  ::llvm::raw_fd_ostream(path, error) << table;
  auto target = loadTargetFile(path, "JGS", &context, emitError);
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_TRUE(*target == *parse(table, "JGS"));
}

} // namespace
