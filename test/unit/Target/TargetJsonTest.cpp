//===- TargetJsonTest.cpp - Targets from JSON -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Files/Messages.h"
#include "llm/Target/Target.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

// One member a line, so that the lines of messages can be counted.
constexpr StringRef sound = R"({
"name": "toy",
"engines": {
"core": {
"kinds": ["matrix", "vector"],
"units": 2,
"macs_per_cycle_per_unit": {"bf16": 4},
"private_memory": "sram",
"port_bytes_per_second": {"dram": 100000000}
}
},
"memories": {
"sram": {"capacity_bytes": 64},
"dram": {"bytes_per_second": 400000000}
}
}
)";

class TargetJson : public ::testing::Test {
protected:
  FailureOr<Target> parse(StringRef text) {
    return parseTargetJson(text, "t.json", &context);
  }
  /// What is said when `from`, somewhere in the sound text, becomes `to`.
  std::string errorOf(StringRef from, StringRef to) {
    std::string text = sound.str();
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    text.replace(at, from.size(), to.str());
    EXPECT_TRUE(failed(parse(text))) << text;
    return messages.take();
  }

  MLIRContext context;
  Messages messages{&context};
};

// It keeps nothing where it is not said how much of it is whose; a mere passage
// needs no room.
TEST_F(TargetJson, SecondSharedMemory) {
  std::string text = sound.str();
  StringRef dram = "\"dram\": {\"bytes_per_second\": 400000000}";
  text.insert(text.find(dram.str()), "\"l2\": {\"bytes_per_second\": 8e12},\n");
  auto target = parse(text);
  ASSERT_TRUE(succeeded(target));
  EXPECT_EQ(target->sharedMemories().size(), 2u);
  EXPECT_EQ(messages.take(), "");
  text.insert(text.find("8e12"), "8e12, \"capacity_bytes\": ");
  ASSERT_TRUE(succeeded(parse(text)));
  EXPECT_EQ(messages.take(),
            "t.json:14:7: 'memories.l2' keeps nothing: all bytes pass it from "
            "and to 'dram'. Say with bytes_per_engine in how much of it each "
            "engine keeps tiles that come back, or leave capacity_bytes out\n");
}

TEST_F(TargetJson, Defaults) {
  auto target = parse(sound);
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_EQ(target->name, "toy");
  EXPECT_EQ(target->description, "");
  EXPECT_EQ(target->clockHz, 1000000000);
  EXPECT_FALSE(target->clockIsGiven);
  const Engine &core = target->engines[0];
  EXPECT_EQ(core.count, 1);
  EXPECT_EQ(core.units, 2);
  EXPECT_EQ(core.aluPerCycle, std::nullopt);
  EXPECT_EQ(core.overheadCycles, 0);
  EXPECT_EQ(target->dram().capacityBytes, 0);
  EXPECT_EQ(target->dram().lanes, 1024);
  EXPECT_EQ(target->portLanes(core, target->dram()), 256);
}

TEST_F(TargetJson, Clock) {
  auto withClock = [&](StringRef fields) {
    return parse(("{" + fields + sound.drop_front()).str());
  };
  auto given = withClock("\"clock_hz\": 2.5e9,");
  EXPECT_EQ(given->clockHz, 2500000000);
  EXPECT_TRUE(given->clockIsGiven);
  auto tick = withClock("\"clock_hz\": 5, \"clock_is_given\": false,");
  EXPECT_EQ(tick->clockHz, 5);
  EXPECT_FALSE(tick->clockIsGiven);
  EXPECT_TRUE(failed(withClock("\"clock_is_given\": true,")));
  EXPECT_TRUE(failed(withClock("\"clock_is_given\": 1,")));
  EXPECT_EQ(messages.take(),
            "t.json:1:20: 'clock_is_given' is true and 'clock_hz' is missing\n"
            "t.json:1:20: 'clock_is_given' must be true or false, got 1\n");
}

TEST_F(TargetJson, UnknownFields) {
  EXPECT_EQ(
      errorOf("\"name\"", "\"clok_hz\": 1, \"name\""),
      "t.json:2:12: 'clok_hz' is not a known field; did you mean 'clock_hz'? "
      "(known here: name, description, clock_hz, clock_is_given, engines, "
      "memories, links, fitted_on, measured, calibration, power_limit_watts, "
      "idle_watts, burst_percent, burst_microseconds, energy_follows_clock)\n");
  EXPECT_EQ(
      errorOf("\"units\"", "\"colour\""),
      "t.json:6:11: 'engines.core.colour' is not a known field (known here: "
      "kinds, cost_model, macs_per_cycle_per_unit, private_memory, "
      "port_bytes_per_second, femtojoules_per_mac, kernels, count, units, "
      "alu_per_cycle_per_unit, special_per_cycle_per_unit, "
      "compare_per_cycle_per_unit, sustained_clock_hz, boost_clock_hz, "
      "unit_memory_bytes, "
      "accumulator_bytes_per_unit, stream_bytes_per_kilocycle_per_unit, "
      "mac_granule_m, mac_granule_n, mac_granule_k, overhead_cycles)\n");
  EXPECT_EQ(
      errorOf("\"bytes_per_second\"", "\"byte_per_second\""),
      "t.json:14:29: 'memories.dram.byte_per_second' is not a known field; "
      "did you mean 'bytes_per_second'? (known here: capacity_bytes, "
      "bytes_per_second, lanes, sustained_bytes_per_second, "
      "femtojoules_per_byte, bytes_per_engine)\n");
}

TEST_F(TargetJson, MissingFields) {
  EXPECT_EQ(errorOf("\"name\": \"toy\",", ""),
            "t.json:1:1: 'name' is missing\n");
  EXPECT_EQ(errorOf("\"kinds\": [\"matrix\", \"vector\"],", ""),
            "t.json:4:9: 'engines.core.kinds' is missing\n");
  EXPECT_EQ(errorOf("\"macs_per_cycle_per_unit\": {\"bf16\": 4},", ""),
            "t.json:4:9: 'engines.core.macs_per_cycle_per_unit' is missing or "
            "empty: an engine of kind \"matrix\" needs it\n");
  EXPECT_EQ(errorOf("{\"bf16\": 4}", "{}"),
            "t.json:7:28: 'engines.core.macs_per_cycle_per_unit' is missing or "
            "empty: an engine of kind \"matrix\" needs it\n");
  EXPECT_EQ(
      errorOf("{\"capacity_bytes\": 64}", "{}"),
      "t.json:13:9: 'memories.sram.capacity_bytes' is missing: tiles are cut "
      "for a private memory\n");
  EXPECT_TRUE(failed(parse("{}")));
  EXPECT_EQ(messages.take(), "t.json:1:1: 'name' is missing\n"
                             "t.json:1:1: 'engines' is missing\n"
                             "t.json:1:1: 'memories' is missing\n");
}

TEST_F(TargetJson, WrongKinds) {
  EXPECT_EQ(errorOf("\"toy\"", "7"),
            "t.json:2:9: 'name' must be a string, got 7\n");
  EXPECT_EQ(errorOf("\"toy\"", "\"\""),
            "t.json:2:9: 'name' must not be empty\n");
  EXPECT_EQ(
      errorOf("[\"matrix\", \"vector\"]", "\"matrix\""),
      "t.json:5:10: 'engines.core.kinds' must be a list of engine kinds, got "
      "\"matrix\"\n");
  EXPECT_EQ(
      errorOf("\"vector\"", "\"vectro\""),
      "t.json:5:21: 'engines.core.kinds[1]' must be \"matrix\", \"vector\", "
      "\"memory\" or \"network\", got \"vectro\"\n");
  EXPECT_EQ(
      errorOf("{\"bf16\": 4}", "4"),
      "t.json:7:28: 'engines.core.macs_per_cycle_per_unit' must be a map of "
      "named numbers, such as {\"bf16\": 4096}, got 4\n");
  EXPECT_EQ(errorOf("{\"capacity_bytes\": 64}", "null"),
            "t.json:13:9: 'memories.sram' must be a map of named fields, got "
            "null\n");
  EXPECT_EQ(
      errorOf("\"sram\",", "[\"sram\"],"),
      "t.json:8:19: 'engines.core.private_memory' must be a string, got a "
      "list\n");
  EXPECT_TRUE(failed(parse("[]")));
  EXPECT_EQ(
      messages.take(),
      "t.json:1:1: the target must be a map of named fields, got a list\n");
  EXPECT_TRUE(failed(parse("{")));
  EXPECT_NE(messages.take().find("invalid JSON"), std::string::npos);
}

TEST_F(TargetJson, WrongNumbers) {
  auto units = [&](StringRef value) {
    std::string said = errorOf("\"units\": 2", ("\"units\": " + value).str());
    StringRef prefix =
        "t.json:6:10: 'engines.core.units' must be a positive whole "
        "number, got ";
    EXPECT_TRUE(StringRef(said).starts_with(prefix)) << said;
    return said.substr(prefix.size());
  };
  EXPECT_EQ(units("0"), "0\n");
  EXPECT_EQ(units("-1"), "-1\n");
  EXPECT_EQ(units("2.5"), "2.5: it has a fraction\n");
  EXPECT_EQ(units("1e40"), "1e40: it does not fit in 64 bits\n");
  EXPECT_EQ(units("\"2\""), "\"2\"; numbers have no quotes, and the unit in "
                            "the name of their field\n");
  EXPECT_EQ(units("true"), "true\n");
  EXPECT_EQ(units("2305843009213693952"), "2305843009213693952: the most is "
                                          "2,305,843,009,213,693,951\n");
  EXPECT_EQ(
      errorOf("\"units\": 2", "\"units\": 2305843009213693951"),
      "t.json:7:37: 'engines.core.macs_per_cycle_per_unit.bf16' times the "
      "2305843009213693951 units is above 2,305,843,009,213,693,951\n");
  EXPECT_EQ(
      errorOf("\"units\": 2", "\"count\": 1048577"),
      "t.json:6:10: 'engines.core.count' must be between 1 and 1,048,576, "
      "got 1048577\n");
  EXPECT_EQ(
      errorOf("\"units\": 2", "\"overhead_cycles\": -1"),
      "t.json:6:20: 'engines.core.overhead_cycles' must be a whole number of "
      "at least 0, got -1\n");
}

TEST_F(TargetJson, Contradictions) {
  EXPECT_EQ(errorOf("[\"matrix\", \"vector\"]", "[]"),
            "t.json:5:10: 'engines.core.kinds' must name at least one kind\n"
            "t.json:3:12: 'engines' must hold an engine of kind \"matrix\" or "
            "\"vector\"\n");
  EXPECT_EQ(errorOf("\"matrix\", \"vector\"", "\"memory\""),
            "t.json:3:12: 'engines' must hold an engine of kind \"matrix\" or "
            "\"vector\"\n");
  std::string said = errorOf("\"bf16\"", "\"bf61\"");
  EXPECT_NE(
      said.find("t.json:7:37: 'engines.core.macs_per_cycle_per_unit.bf61' is "
                "not a known element type; did you mean 'bf16'? (known: "
                "f4E2M1FN, "),
      std::string::npos)
      << said;
  EXPECT_EQ(
      errorOf("\"sram\",", "\"srma\","),
      "t.json:8:19: 'engines.core.private_memory' names no memory of the "
      "target; did you mean 'sram'? (its memories: sram, dram)\n"
      "t.json:13:9: 'memories.sram' has no bytes_per_second, and no engine "
      "names it as its private_memory\n");
  EXPECT_EQ(errorOf("{\"capacity_bytes\": 64}",
                    "{\"capacity_bytes\": 64, \"bytes_per_engine\": 8}"),
            "t.json:13:52: 'memories.sram.bytes_per_engine' is for a shared "
            "memory between engines and the last one, 'dram': tiles that come "
            "back are kept nearer than that\n");
  std::string tooFew =
      errorOf("\"dram\": {\"bytes",
              "\"l2\": {\"capacity_bytes\": 64, \"bytes_per_second\": 9, "
              "\"bytes_per_engine\": 65}, \"dram\": {\"bytes");
  EXPECT_NE(tooFew.find("'memories.l2.bytes_per_engine' times the target's"),
            std::string::npos)
      << tooFew;
  EXPECT_EQ(
      errorOf("{\"dram\": 100000000}", "{\"hbm\": 100}"),
      "t.json:9:34: 'engines.core.port_bytes_per_second.hbm' names no memory "
      "of the target (its memories: sram, dram)\n");
  EXPECT_EQ(
      errorOf("{\"dram\": 100000000}", "{\"sram\": 100}"),
      "t.json:9:35: 'engines.core.port_bytes_per_second.sram' is a port to a "
      "private memory, of which each engine has one of its own\n");
  EXPECT_EQ(
      errorOf("{\"dram\": 100000000}", "{\"dram\": 400000001}"),
      "t.json:9:35: 'engines.core.port_bytes_per_second.dram' is above the "
      "memory's own 400,000,000 bytes per second\n");
  EXPECT_EQ(
      errorOf("{\"capacity_bytes\": 64}",
              "{\"capacity_bytes\": 64, \"lanes\": 8}"),
      "t.json:13:41: 'memories.sram.lanes' cuts a rate that engines share "
      "into lanes, and this memory is a private one\n");
  EXPECT_EQ(errorOf("\"port_bytes_per_second\": {\"dram\": 100000000}\n}\n},\n"
                    "\"memories\": {\n\"sram\": {\"capacity_bytes\": 64},\n"
                    "\"dram\": {\"bytes_per_second\": 400000000}",
                    "\"count\": 1}},\n\"memories\": {\n"
                    "\"sram\": {\"capacity_bytes\": 64}"),
            "t.json:10:13: 'memories' must hold a shared memory, one with "
            "bytes_per_second: where values live between ops\n");
}

// All that is wrong is said at once.
TEST_F(TargetJson, SeveralErrors) {
  EXPECT_EQ(
      errorOf("\"units\": 2", "\"units\": 0, \"count\": []"),
      "t.json:6:22: 'engines.core.count' must be a positive whole number, got "
      "a list\n"
      "t.json:6:10: 'engines.core.units' must be a positive whole number, got "
      "0\n");
}

// Arguments are reported where the user gave them, the text at its own place.
TEST_F(TargetJson, Files) {
  auto emitError = [&] {
    return mlir::emitError(FileLineColLoc::get(&context, "pass", 1, 1));
  };
  EXPECT_TRUE(failed(loadTargetFile("/nowhere.json", "", &context, emitError)));
  EXPECT_EQ(messages.take(),
            "pass:1:1: cannot read '/nowhere.json': No such file "
            "or directory\n");
  EXPECT_TRUE(failed(loadTargetFile("a.json", "X", &context, emitError)));
  EXPECT_EQ(messages.take(),
            "pass:1:1: column= is for CSV files, and 'a.json' is "
            "read as JSON\n");
  SmallString<128> path;
  ASSERT_FALSE(::llvm::sys::fs::createTemporaryFile("target", "json", path));
  ::llvm::FileRemover remover(path);
  std::error_code error;
  ::llvm::raw_fd_ostream(path, error) << sound;
  auto target = loadTargetFile(path, "", &context, emitError);
  ASSERT_TRUE(succeeded(target)) << messages.take();
  EXPECT_TRUE(*target == *parse(sound));
}

} // namespace
