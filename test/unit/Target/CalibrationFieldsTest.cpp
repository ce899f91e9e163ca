//===- CalibrationFieldsTest.cpp - Fitted figures over a datasheet --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Files/Messages.h"
#include "llm/Target/Target.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// A target with this calibration in its second line.
std::string withCalibration(StringRef calibration) {
  return ("{\"calibration\":\n" + calibration + R"(,
"name": "toy",
"engines": {
"core": {
"kinds": ["matrix"],
"macs_per_cycle_per_unit": {"bf16": 4},
"femtojoules_per_mac": {"bf16": 500},
"kernels": {"attention": {"query_tile": 64}}
}
},
"memories": {"dram": {"bytes_per_second": 400000000}},
"links": {"ring": {"bytes_per_second_per_direction": 900000000}},
"power_limit_watts": 9
}
)")
      .str();
}

class CalibrationFields : public ::testing::Test {
protected:
  FailureOr<Target> parse(StringRef calibration, bool calibrated = true) {
    return parseTargetJson(withCalibration(calibration), "t.json", &context,
                           calibrated);
  }
  /// What is said of a calibration, whether it is used or not.
  std::string errorOf(StringRef calibration) {
    EXPECT_TRUE(failed(parse(calibration, false))) << calibration.str();
    std::string unused = messages.take();
    EXPECT_TRUE(failed(parse(calibration))) << calibration.str();
    std::string used = messages.take();
    EXPECT_EQ(used, unused);
    return used;
  }
  /// The same of an engine's fields.
  std::string errorOfEngine(StringRef fields) {
    return errorOf(("{\"fitted_on\": \"rows\",\n\"engines\": {\"core\": {" +
                    fields + "}}}")
                       .str());
  }

  MLIRContext context;
  Messages messages{&context};
};

TEST_F(CalibrationFields, Overlay) {
  constexpr StringRef text = R"({"fitted_on": "rows", "engines": {"core": {
    "sustained_clock_hz": 7, "femtojoules_per_mac": {"i8": 0},
    "macs_per_cycle_per_unit": {"i8": 5, "bf16": 3},
    "kernels": {"llm.add": {"launch_nanoseconds": 0}}}},
    "memories": {"dram": {"sustained_bytes_per_second": 390}}})";
  auto target = parse(text), datasheet = parse(text, false);
  ASSERT_TRUE(succeeded(target) && succeeded(datasheet)) << messages.take();
  EXPECT_EQ(target->fittedOn, "rows");
  EXPECT_EQ(target->engines[0].sustainedClockHz, 7);
  EXPECT_EQ(target->dram().sustainedBytesPerSecond, 390);
  EXPECT_EQ(target->dram().usableBytesPerSecond(), 390);
  EXPECT_EQ(target->dram().bytesPerSecond, 400000000);
  EXPECT_TRUE(target->engines[0].macEnergies ==
              (std::vector<MacEnergy>{{"bf16", 500}, {"i8", 0}}));
  EXPECT_TRUE(target->engines[0].macRates ==
              (std::vector<MacRate>{{"bf16", 3}, {"i8", 5}}));
  ASSERT_EQ(target->engines[0].kernels.size(), 2u);
  EXPECT_EQ(target->engines[0].kernels[1].launchNanoseconds, 0);

  EXPECT_EQ(datasheet->fittedOn, "");
  EXPECT_EQ(datasheet->dram().sustainedBytesPerSecond, std::nullopt);
  Target rest = *target;
  rest.fittedOn = "";
  rest.engines = datasheet->engines;
  rest.memories = datasheet->memories;
  EXPECT_TRUE(rest == *datasheet);
  auto without = parse("{\"fitted_on\": \"rows\"}", false);
  EXPECT_TRUE(*without == *datasheet);
}

TEST_F(CalibrationFields, FittedOn) {
  std::string said = "'calibration.fitted_on' must say which measurements the "
                     "figures were fitted on\n";
  EXPECT_EQ(errorOf("{}"), "t.json:2:1: " + said);
  EXPECT_EQ(errorOf("{\"fitted_on\": \"\"}"), "t.json:2:15: " + said);
  EXPECT_EQ(errorOf("{\"fitted_on\": 7}"),
            "t.json:2:15: 'calibration.fitted_on' must be a string, got 7\n");
  EXPECT_EQ(errorOf("7"), "t.json:2:1: 'calibration' must be a map of named "
                          "fields, got 7\n");
}

TEST_F(CalibrationFields, Parts) {
  EXPECT_EQ(
      errorOf("{\"fitted_on\": \"rows\",\n\"engines\": {\"gpu\": {}},\n"
              "\"memories\": {\"hbm\": {}},\n\"links\": {\"pcie\": {}}}"),
      "t.json:3:20: 'calibration.engines.gpu' is calibrated, but 'engines' has "
      "no 'gpu'\n"
      "t.json:4:21: 'calibration.memories.hbm' is calibrated, but 'memories' "
      "has no 'hbm'\n"
      "t.json:5:19: 'calibration.links.pcie' is calibrated, but 'links' has no "
      "'pcie'\n");
  EXPECT_EQ(
      errorOf("{\"fitted_on\": \"rows\",\n\"engine\": {}}"),
      "t.json:3:11: 'calibration.engine' is not a known field; did you "
      "mean 'engines'? (known here: fitted_on, engines, memories, links)\n");
}

// Neither what does not exist, nor what is no figure to be fitted.
TEST_F(CalibrationFields, UnknownFields) {
  std::string known =
      " (known here: count, units, alu_per_cycle_per_unit, "
      "special_per_cycle_per_unit, compare_per_cycle_per_unit, "
      "sustained_clock_hz, boost_clock_hz, unit_memory_bytes, "
      "accumulator_bytes_per_unit, "
      "stream_bytes_per_kilocycle_per_unit, mac_granule_m, mac_granule_n, "
      "mac_granule_k, overhead_cycles, macs_per_cycle_per_unit, "
      "femtojoules_per_mac, kernels)\n";
  EXPECT_EQ(
      errorOfEngine("\"sustained_clok_hz\": 1"),
      "t.json:3:43: 'calibration.engines.core.sustained_clok_hz' is not a "
      "known field; did you mean 'sustained_clock_hz'?" +
          known);
  EXPECT_EQ(errorOfEngine("\"private_memory\": \"sram\""),
            "t.json:3:40: 'calibration.engines.core.private_memory' is not a "
            "known field" +
                known);
  std::string said =
      errorOfEngine("\"kernels\": {\"llm.add\": {\"key_tyle\": 1}}");
  EXPECT_EQ(
      said.substr(0, said.find(" (known")),
      "t.json:3:58: 'calibration.engines.core.kernels.llm.add.key_tyle' is "
      "not a known field; did you mean 'key_tile'?");
  EXPECT_EQ(
      errorOf("{\"fitted_on\": \"rows\",\n\"memories\": {\"dram\": "
              "{\"rate\": 1}}}"),
      "t.json:3:31: 'calibration.memories.dram.rate' is not a known "
      "field (known here: capacity_bytes, bytes_per_second, lanes, "
      "sustained_bytes_per_second, femtojoules_per_byte, bytes_per_engine)\n");
}

TEST_F(CalibrationFields, WrongNumbers) {
  EXPECT_EQ(errorOfEngine("\"sustained_clock_hz\": 0"),
            "t.json:3:44: 'calibration.engines.core.sustained_clock_hz' must "
            "be a positive whole number, got 0\n");
  EXPECT_EQ(errorOfEngine("\"femtojoules_per_mac\": {\"i8\": -1}"),
            "t.json:3:52: 'calibration.engines.core.femtojoules_per_mac.i8' "
            "must be a whole number of at least 0, got -1\n");
}

/// What the target's problems are reported as when the calibration is used.
class CalibratedProblems : public CalibrationFields {
protected:
  std::string problemsOf(StringRef fields) {
    EXPECT_TRUE(
        failed(parse(("{\"fitted_on\": \"rows\",\n\"engines\": {\"core\": {" +
                      fields + "}}}")
                         .str())));
    return messages.take();
  }
};

TEST_F(CalibratedProblems, Kernels) {
  EXPECT_EQ(problemsOf("\"kernels\": {\"atention\": {\"item_cycles\": 0}}"),
            "t.json:10:12: 'engines.core.kernels.atention' is no class of ops; "
            "did you mean 'attention'? (classes: contraction, attention, "
            "attention_decode, attention_decode_mha, attention_decode_wide, "
            "selection, elementwise; or an op, as llm.add; "
            "either may be followed by @ and a library)\n");
  EXPECT_EQ(problemsOf("\"kernels\": {\"attention\": {\"item_cycles\": 0}}"),
            "t.json:10:26: 'engines.core.kernels.attention' is there twice\n");
  EXPECT_EQ(problemsOf("\"kernels\": {\"llm.add\": {\"is_default\": 1}}"),
            "t.json:10:12: 'engines.core.kernels.llm.add.is_default' is of "
            "the figures of a library, as in 'llm.add@vllm'; those without "
            "one count where no library has others\n");
  EXPECT_EQ(problemsOf("\"kernels\": {\"llm.add@a\": {\"is_default\": 1}, "
                       "\"llm.add@b\": {\"is_default\": 1}}"),
            "t.json:10:12: 'engines.core.kernels.llm.add@b.is_default' is 1 "
            "in 'llm.add@a', too; one library is the default\n");
  EXPECT_EQ(problemsOf("\"kernels\": {\"llm.add\": {}}"),
            "t.json:10:12: 'engines.core.kernels.llm.add' has no figures\n");
  EXPECT_EQ(problemsOf("\"kernels\": {\"llm.add\": {\"rereads_rows\": 2}}"),
            "t.json:10:12: 'engines.core.kernels.llm.add.rereads_rows' must be "
            "between 0 and 1, got 2\n");
  // What is behind a class or an op is one library.
  EXPECT_EQ(problemsOf("\"kernels\": {\"llm.add@\": {\"item_cycles\": 0}}"),
            "t.json:10:12: 'engines.core.kernels.llm.add@' names no library "
            "behind @\n");
  EXPECT_EQ(
      problemsOf("\"kernels\": {\"attention@a@b\": {\"item_cycles\": 0}}"),
      "t.json:10:12: 'engines.core.kernels.attention@a@b' has more than "
      "one @: only one library may follow it\n");
  EXPECT_EQ(
      problemsOf("\"kernels\": {\"attention@a#8\": {\"item_cycles\": 0}}"),
      "t.json:10:12: 'engines.core.kernels.attention@a#8' has a word behind #, "
      "which tells kernels of a library for different formats apart, and no "
      "formats\n");
  // Ops of dialects that are loaded are known; of others, nothing is.
  EXPECT_EQ(
      problemsOf("\"kernels\": {\"builtin.modul@fast\": {\"item_cycles\": 0}}"),
      "t.json:10:12: 'engines.core.kernels.builtin.modul@fast' is no op "
      "of dialect 'builtin'; did you mean 'builtin.module'?\n");
  EXPECT_TRUE(succeeded(
      parse("{\"fitted_on\": \"rows\", \"engines\": {\"core\": {\"kernels\": "
            "{\"other.op\": {\"item_cycles\": 0}}}}}")));
  EXPECT_EQ(problemsOf("\"femtojoules_per_mac\": {\"bf16\": 1}"),
            "t.json:9:33: 'engines.core.femtojoules_per_mac.bf16' is there "
            "twice\n");
}

// What joins the devices of a link, and which library counts.
TEST_F(CalibrationFields, ShapesOfLinks) {
  std::string text = withCalibration("{\"fitted_on\": \"rows\"}");
  StringRef ring = "{\"bytes_per_second_per_direction\": 900000000}";
  auto errorOf = [&](StringRef field, StringRef others = "") {
    std::string link = "{\"bytes_per_second_per_direction\": 900000000, " +
                       field.str() + "}" + others.str();
    std::string changed = text;
    changed.replace(changed.find(ring.str()), ring.size(), link);
    EXPECT_TRUE(failed(parseTargetJson(changed, "t.json", &context)));
    // Without the place, which is that of the field.
    std::string all = messages.take(), errors;
    for (StringRef line : ::llvm::split(StringRef(all), '\n'))
      if (!line.empty())
        errors += line.split(": ").second.str() + "\n";
    return errors;
  };
  EXPECT_EQ(errorOf("\"devices\": 8, \"torus_x\": 4"),
            "'links.ring.devices' must be torus_x x torus_y x torus_z, 4\n");
  EXPECT_EQ(errorOf("\"devices\": 4, \"torus_y\": 4"),
            "'links.ring.torus_x' is missing: the dimensions of a torus are "
            "x, y and z in this order\n");
  EXPECT_EQ(errorOf("\"devices\": 8, \"torus_x\": 4, \"torus_z\": 2"),
            "'links.ring.torus_y' is missing: the dimensions of a torus are "
            "x, y and z in this order\n");
  EXPECT_EQ(
      errorOf("\"devices\": 4, \"torus_x\": 4, \"fully_connected\": 1"),
      "'links.ring.fully_connected' contradicts torus_x: a link is one or the "
      "other\n");
  EXPECT_EQ(errorOf("\"fully_connected\": 2"),
            "'links.ring.fully_connected' must be between 0 and 1, got 2\n");
  EXPECT_EQ(errorOf("\"devices\": 2",
                    ", \"rack\": {\"bytes_per_second_per_direction\": 1000, "
                    "\"devices\": 4, \"fully_connected\": 1}"),
            "'links.rack.fully_connected' is of the first link, 'ring', whose "
            "devices are neighbours\n");
  EXPECT_EQ(errorOf("\"two_shot_bytes_per_second\": 900000001"),
            "'links.ring.two_shot_bytes_per_second' is above "
            "bytes_per_second_per_direction, 900,000,000\n");
  EXPECT_EQ(errorOf("\"is_default\": 1"),
            "'links.ring.is_default' is of the figures of a library, as in "
            "'ring@nccl'; those without one count where no library has "
            "others\n");
  StringRef library = "{\"bytes_per_second_per_direction\": 1000, "
                      "\"is_default\": 1}";
  EXPECT_EQ(
      errorOf("\"devices\": 2",
              (", \"ring@a\": " + library + ", \"ring@b\": " + library).str()),
      "'links.ring@b.is_default' is 1 in 'ring@a', too; one library is "
      "the default\n");
}

TEST_F(CalibrationFields, LinksAndPower) {
  std::string text = withCalibration("{\"fitted_on\": \"rows\"}");
  auto errorAfter = [&](StringRef from, StringRef to) {
    std::string changed = text;
    changed.replace(changed.find(from.str()), from.size(), to.str());
    EXPECT_TRUE(failed(parseTargetJson(changed, "t.json", &context)));
    return messages.take();
  };
  EXPECT_EQ(errorAfter("{\"bytes_per_second_per_direction\": 900000000}", "{}"),
            "t.json:13:19: 'links.ring.bytes_per_second_per_direction' is "
            "missing\n");
  EXPECT_EQ(
      errorAfter(
          "_direction\": 900000000",
          "_direction\": 900000000, \"sustained_bytes_per_second\": 900000001"),
      "t.json:13:95: 'links.ring.sustained_bytes_per_second' is above "
      "bytes_per_second_per_direction, 900,000,000\n");
  EXPECT_EQ(
      errorAfter(
          "second\": 400000000",
          "second\": 400000000, \"sustained_bytes_per_second\": 400000001"),
      "t.json:12:84: 'memories.dram.sustained_bytes_per_second' is above "
      "bytes_per_second, 400,000,000\n");
  EXPECT_EQ(errorAfter("_direction\": 900000000",
                       "_direction\": 900000000, \"devices\": 1"),
            "t.json:13:76: 'links.ring.devices' must be a whole number of at "
            "least 2, got 1\n");
  EXPECT_EQ(errorAfter("\"power_limit_watts\": 9",
                       "\"power_limit_watts\": 9, \"idle_watts\": 9"),
            "t.json:14:39: 'idle_watts' must be below power_limit_watts\n");
  EXPECT_EQ(errorAfter("\"power_limit_watts\": 9",
                       "\"power_limit_watts\": 9, \"burst_percent\": 99"),
            "t.json:14:42: 'burst_percent' must be a whole number of at least "
            "100, got 99\n");
  EXPECT_EQ(errorAfter("\"links\": {\"ring\": {\"bytes_per_second_per_direction"
                       "\": 900000000}}",
                       "\"links\": 7"),
            "t.json:13:10: 'links' must be a map of named fields, got 7\n");
}

} // namespace
