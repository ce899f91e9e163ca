//===- MeasuredScheduleTest.cpp - Tests of schedules that were measured ---===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/MeasuredSchedule.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

/// At 500 MHz a nanosecond is half a cycle; 8 lanes of 1 byte in a cycle.
static const char *const program = R"(
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "edge" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<"core" = #dlti.map<
        "kinds" = ["matrix", "vector"], "count" = 2 : i64, "units" = 1 : i64,
        "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 1024 : i64>,
        "alu_per_cycle_per_unit" = 64 : i64, "private_memory" = "sram">>,
      "memories" = #dlti.map<
        "sram" = #dlti.map<"capacity_bytes" = 1048576 : i64>,
        "dram" = #dlti.map<"bytes_per_second" = 4000000000 : i64,
                           "lanes" = 8 : i64>>>>} {
  func.func @block(%x: tensor<64x128xbf16>) -> tensor<64x128xbf16> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %before = llm.add "before" %x, %x : tensor<64x128xbf16>, tensor<64x128xbf16>
    %sum = scf.for %i = %zero to %three step %one iter_args(%y = %before)
        -> tensor<64x128xbf16> {
      %a = llm.add "a" %y, %x : tensor<64x128xbf16>, tensor<64x128xbf16>
      %b = llm.add "b" %a, %x : tensor<64x128xbf16>, tensor<64x128xbf16>
      scf.yield %b : tensor<64x128xbf16>
    }
    return %sum : tensor<64x128xbf16>
  }
}
)";

namespace {
class MeasuredScheduleTest : public testing::Test {
protected:
  explicit MeasuredScheduleTest(StringRef text = program) {
    context.loadDialect<LlmDialect, func::FuncDialect, DLTIDialect,
                        arith::ArithDialect, scf::SCFDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
    module = parseSourceString<ModuleOp>(text, &context);
    PassManager manager(&context);
    manager.addPass(createLlmTilePass());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    function = *module->getOps<func::FuncOp>().begin();
  }

  LogicalResult write(ArrayRef<double> nanoseconds, unsigned threads = 1) {
    FailureOr<Target> target = readTarget(*module);
    FailureOr<Program> analyzed = Program::analyze(function);
    return writeMeasuredSchedule(*analyzed, *target, nanoseconds, threads,
                                 "by hand");
  }
  SlotsAttr slotsOf(StringRef name) {
    SlotsAttr slots;
    module->walk([&](Operation *op) {
      if (auto own = op->getAttrOfType<StringAttr>("name");
          own && own.getValue() == name)
        slots = op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
    });
    EXPECT_TRUE(slots) << name.str();
    return slots;
  }
  SlotRunAttr slotOf(StringRef name) {
    SlotsAttr slots = slotsOf(name);
    EXPECT_EQ(slots.getRuns().size(), 1u);
    return slots.getRuns().front();
  }
  void expectSlot(StringRef name, int64_t start, int64_t end, int64_t lanes) {
    SlotRunAttr slot = slotOf(name);
    EXPECT_EQ(slot.getStartCycle(), start);
    EXPECT_EQ(slot.getEndCycle(), end);
    EXPECT_EQ(slot.getEngine().getValue(), "core");
    EXPECT_EQ(slot.getIndex(), 0);
    EXPECT_EQ(getAmount(slot.getLanes(), "dram"), lanes);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::string message;
};
} // namespace

/// 3 x 16384 bytes in 24576 cycles are 2 bytes a cycle: 2 lanes; in 9830 cycles
/// 5.0002: 6 lanes; in 100 more than there are: 8.
TEST_F(MeasuredScheduleTest, SlotsAreAsLongAsOpsTook) {
  ASSERT_TRUE(succeeded(write({49152, 19660.4, 200})));
  expectSlot("before", 0, 24576, 2);
  expectSlot("a", 0, 9830, 6); // relative to its iteration
  expectSlot("b", 9830, 9930, 8);
  auto schedule =
      function->getAttrOfType<ScheduleAttr>(LlmDialect::scheduleAttrName);
  EXPECT_EQ(schedule.getPolicy().getValue(), "measured, by hand");
  EXPECT_TRUE(schedule.isMeasured());
  ASSERT_EQ(schedule.getLoops().size(), 1u);
  EXPECT_EQ(schedule.getLoops()[0].getStartCycle(), 24576);
  EXPECT_EQ(schedule.getLoops()[0].getPeriodCycles(), 9930);
  EXPECT_EQ(schedule.getMakespanCycles(), 24576 + 3 * 9930);
}

namespace {
/// Ops are cut in two there: arithmetic takes longer than the memory does.
class OnFastMemory : public MeasuredScheduleTest {
protected:
  OnFastMemory() : MeasuredScheduleTest(makeFast()) {
    PassManager manager(&context);
    manager.addPass(createLlmSchedulePass());
    EXPECT_TRUE(succeeded(manager.run(*module)));
  }

  static std::string makeFast() {
    std::string text = program, slow = "4000000000 :";
    return text.replace(text.find(slow), slow.size(), "400000000000 :");
  }
  /// Engine, start and end of each part.
  std::vector<std::array<int64_t, 3>> partsOf(StringRef name) {
    std::vector<std::array<int64_t, 3>> parts;
    for (SlotRunAttr run : slotsOf(name).getRuns())
      for (int64_t i = 0; i < run.getCount(); ++i)
        parts.push_back({run.getIndex() + i * run.getIndexStride(),
                         run.getStartCycle() + i * run.getStartStride(),
                         run.getEndCycle() + i * run.getStartStride()});
    return parts;
  }
  void verify() {
    PassManager manager(&context);
    manager.addPass(createLlmVerifySchedulePass());
    EXPECT_TRUE(succeeded(manager.run(*module))) << message;
  }

  using Parts = std::vector<std::array<int64_t, 3>>;
};
} // namespace

TEST_F(OnFastMemory, OneThreadDoesPartsOneBehindTheOther) {
  ASSERT_TRUE(succeeded(write({49152, 20000, 200}, /*threads=*/1)));
  EXPECT_EQ(partsOf("a"), Parts({{0, 0, 5000}, {0, 5000, 10000}}));
  verify();
}

/// There are two engines: a third thread has none.
TEST_F(OnFastMemory, ThreadsDoPartsAtOnce) {
  for (unsigned threads : {2, 3}) {
    ASSERT_TRUE(succeeded(write({49152, 20000, 200}, threads)));
    EXPECT_EQ(partsOf("a"), Parts({{0, 0, 10000}, {1, 0, 10000}}));
    verify();
  }
}

TEST_F(MeasuredScheduleTest, OpsMayTakeNoTime) {
  ASSERT_TRUE(succeeded(write({0, 0.4, 0})));
  auto schedule =
      function->getAttrOfType<ScheduleAttr>(LlmDialect::scheduleAttrName);
  EXPECT_EQ(schedule.getMakespanCycles(), 0);
}

TEST_F(MeasuredScheduleTest, RefusesTimesThatDoNotFit) {
  EXPECT_TRUE(failed(write({1e30, 1, 1})));
  EXPECT_NE(message.find("more than 2^61 - 1 cycles"), std::string::npos)
      << message;
  EXPECT_FALSE(function->hasAttr(LlmDialect::scheduleAttrName));
}

TEST(MeasuredRules, WhatIsMeasuredObeysNoLengths) {
  MLIRContext context;
  context.loadDialect<LlmDialect>();
  auto with = [&](StringRef policy) {
    return ScheduleAttr::get(&context, StringAttr::get(&context, policy), 1, 1,
                             getAmounts(&context, {}), 1, StringAttr(), 0, {});
  };
  for (StringRef rule : {"S2", "S3", "S6"}) {
    EXPECT_FALSE(with("measured, by hand").obeys(rule));
    EXPECT_TRUE(with("list").obeys(rule));
  }
  EXPECT_TRUE(with("measured").obeys("S4"));
}
