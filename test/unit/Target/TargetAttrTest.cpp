//===- TargetAttrTest.cpp - Targets as DLTI attributes --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Files/Messages.h"
#include "llm/Target/Target.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

class TargetAttr : public ::testing::Test {
protected:
  TargetAttr() { context.loadDialect<DLTIDialect>(); }

  /// A module with the device `"toy" = #dlti.target_device_spec<...>`.
  OwningOpRef<ModuleOp> parseDevice(StringRef fields) {
    return parse(("\"toy\" = #dlti.target_device_spec<" + fields + ">").str());
  }
  OwningOpRef<ModuleOp> parse(StringRef devices) {
    std::string text = ("module attributes {dlti.target_system_spec = "
                        "#dlti.target_system_spec<" +
                        devices + ">} {}")
                           .str();
    auto module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context), "t.mlir");
    EXPECT_TRUE(module) << messages.take();
    return module;
  }
  std::string errorOf(StringRef fields) {
    auto module = parseDevice(fields);
    EXPECT_TRUE(module && failed(readTarget(*module))) << fields.str();
    return messages.take();
  }

  MLIRContext context;
  Messages messages{&context};
};

constexpr StringRef sound = R"(
  "clock_hz" = 1000 : i64,
  "engines" = #dlti.map<"core" = #dlti.map<
    "kinds" = ["matrix"], "macs_per_cycle_per_unit" = #dlti.map<bf16 = 8>>>,
  "memories" = #dlti.map<"dram" = #dlti.map<"bytes_per_second" = 9 : ui64>>)";

std::string print(ModuleOp module) {
  std::string text;
  ::llvm::raw_string_ostream(text) << module;
  return text;
}

// Every preset, printed and parsed in another context, is the same target
// again.
TEST_F(TargetAttr, PresetsRoundTrip) {
  for (const std::string &name : presetNames()) {
    auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
    FailureOr<Target> target = loadPreset(name, &context, emitError);
    ASSERT_TRUE(succeeded(target)) << messages.take();
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    EXPECT_FALSE(hasTarget(*module));
    writeTarget(*module, *target);
    EXPECT_TRUE(hasTarget(*module));

    MLIRContext other;
    other.loadDialect<DLTIDialect>();
    std::string text = print(*module);
    auto parsed = parseSourceString<ModuleOp>(text, ParserConfig(&other));
    ASSERT_TRUE(parsed) << text;
    FailureOr<Target> read = readTarget(*parsed);
    ASSERT_TRUE(succeeded(read)) << text;
    EXPECT_TRUE(*read == *target) << text;
    EXPECT_EQ(print(*parsed), text);
  }
}

// The keys are those of the JSON form; what is not given is not written.
TEST_F(TargetAttr, Text) {
  Target target;
  target.name = "a \"b\".c";
  target.clockHz = 1000000000;
  target.clockIsGiven = false;
  Engine core;
  core.name = "core";
  core.kinds = EngineKind::Vector;
  core.specialPerCycle = 2;
  target.engines = {core};
  target.memories = {{"dram", 0, 7, 8}};
  ASSERT_TRUE(target.check().empty());
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  writeTarget(*module, target);
  EXPECT_EQ(
      print(*module),
      "module attributes {dlti.target_system_spec = "
      "#dlti.target_system_spec<\"a \\22b\\22.c\" = "
      "#dlti.target_device_spec<\"clock_hz\" = 1000000000 : i64, "
      "\"clock_is_given\" = false, "
      "\"engines\" = #dlti.map<\"core\" = #dlti.map<\"kinds\" = [\"vector\"], "
      "\"count\" = 1 : i64, \"units\" = 1 : i64, "
      "\"special_per_cycle_per_unit\" = 2 : i64, "
      "\"overhead_cycles\" = 0 : i64>>, "
      "\"memories\" = #dlti.map<\"dram\" = #dlti.map<"
      "\"bytes_per_second\" = 7 : i64, \"lanes\" = 8 : i64>>>>} {\n}");
  FailureOr<Target> read = readTarget(*module);
  ASSERT_TRUE(succeeded(read)) << messages.take();
  EXPECT_TRUE(*read == target);
  target.clockHz = 3;
  target.clockIsGiven = true;
  writeTarget(*module, target); // replaces
  EXPECT_TRUE(*readTarget(*module) == target);
}

// Written by hand: types as keys, any integer type.
TEST_F(TargetAttr, HandWritten) {
  auto module = parseDevice(sound);
  FailureOr<Target> target = readTarget(*module);
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_EQ(target->name, "toy");
  EXPECT_EQ(target->engines[0].macRates[0].elementType, "bf16");
  EXPECT_EQ(target->dram().bytesPerSecond, 9);
}

TEST_F(TargetAttr, NoTarget) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  EXPECT_TRUE(failed(readTarget(*module)));
  EXPECT_EQ(messages.take(),
            "the module has no target: no 'dlti.target_system_spec'; run "
            "--llm-target first\n");
  (*module)->setAttr("dlti.target_system_spec",
                     Builder(&context).getUnitAttr());
  EXPECT_TRUE(hasTarget(*module));
  EXPECT_TRUE(failed(readTarget(*module)));
  EXPECT_EQ(messages.take(), "'dlti.target_system_spec' must be a "
                             "#dlti.target_system_spec\n");
}

// Descriptions that others wrote are refused with the path of what is not
// understood.
TEST_F(TargetAttr, Foreign) {
  auto two = parse("\"CPU\" = #dlti.target_device_spec<\"a\" = 1>, "
                   "\"GPU\" = #dlti.target_device_spec<\"a\" = 1>");
  EXPECT_TRUE(failed(readTarget(*two)));
  EXPECT_EQ(
      messages.take(),
      "t.mlir:1:1: 'dlti.target_system_spec' must hold one device, got 2\n");
  EXPECT_EQ(
      errorOf("\"L1_cache_size_in_bytes\" = 4096 : ui32"),
      "t.mlir:1:1: target 'toy': 'L1_cache_size_in_bytes' is not a known "
      "field (known here: description, clock_hz, clock_is_given, engines, "
      "memories, links, fitted_on, measured, calibration, power_limit_watts, "
      "idle_watts, burst_percent, burst_microseconds, energy_follows_clock)\n"
      "t.mlir:1:1: target 'toy': 'engines' is missing\n"
      "t.mlir:1:1: target 'toy': 'memories' is missing\n");
  auto unnamed =
      parse(("\"\" = #dlti.target_device_spec<" + sound + ">").str());
  EXPECT_TRUE(failed(readTarget(*unnamed)));
  EXPECT_EQ(messages.take(),
            "t.mlir:1:1: target '': 'name' must not be empty\n");
}

TEST_F(TargetAttr, Garbled) {
  auto engines = [&](StringRef text) {
    std::string said = errorOf(("\"engines\" = #dlti.map<\"core\" = " + text +
                                ">, \"memories\" = #dlti.map<\"dram\" = "
                                "#dlti.map<\"bytes_per_second\" = 9>>")
                                   .str());
    StringRef prefix = "t.mlir:1:1: target 'toy': 'engines.core";
    EXPECT_TRUE(StringRef(said).starts_with(prefix)) << said;
    return said.substr(prefix.size());
  };
  EXPECT_EQ(engines("4"), "' must be a map of named fields, got 4\n");
  EXPECT_EQ(engines("f32"), "' must be a map of named fields, got f32\n");
  EXPECT_EQ(engines("#dlti.map<\"kinds\" = [\"vector\"], \"count\" = -1>"),
            ".count' must be a positive whole number, got -1\n");
  EXPECT_EQ(
      engines("#dlti.map<\"kinds\" = [\"vector\"], \"count\" = 4.0 : f32>"),
      ".count' must be a positive whole number, got 4.000000e+00 : f32\n");
  EXPECT_EQ(engines("#dlti.map<\"kinds\" = [\"vector\"], \"count\" = true>"),
            ".count' must be a positive whole number, got true\n");
  EXPECT_EQ(
      engines("#dlti.map<\"kinds\" = [\"vector\"], "
              "\"count\" = 100000000000000000000 : i128>"),
      ".count' must be a positive whole number, got 100000000000000000000: it "
      "does not fit in 64 bits\n");
  EXPECT_EQ(
      engines("#dlti.map<\"kinds\" = [3]>"),
      ".kinds[0]' must be \"matrix\", \"vector\", \"memory\" or \"network\", "
      "got 3\n");
  EXPECT_EQ(
      engines("#dlti.map<\"kinds\" = [\"vector\"], f32 = 1>").substr(0, 32),
      ".f32' is not a known field (know");
  EXPECT_EQ(engines("#dlti.map<\"kinds\" = {a = 1}>"),
            ".kinds' must be a list of engine kinds, got {a = 1 : i64}\n");
  EXPECT_EQ(engines("#dlti.map<\"kinds\" = dense<0> : tensor<2xi8>>"),
            ".kinds' must be a list of engine kinds, got dense<0> : "
            "tensor<2xi8>\n");
}

} // namespace
