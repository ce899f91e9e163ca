//===- EvaluationTest.cpp - Tests of evaluate() ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Evaluation.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

/// One engine at 500 MHz that takes 8 bytes and 1024 products in a cycle, 64
/// sums, and 100 cycles before anything happens; a megabyte beside it holds all
/// that an op touches.
static const char *const machine = R"(
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "edge" = #dlti.target_device_spec<
      "clock_hz" = 500000000 : i64,
      "engines" = #dlti.map<"core" = #dlti.map<
        "kinds" = ["matrix", "vector"], "count" = 1 : i64, "units" = 1 : i64,
        "macs_per_cycle_per_unit" = #dlti.map<"bf16" = 1024 : i64>,
        "alu_per_cycle_per_unit" = 64 : i64, "private_memory" = "sram",
        "overhead_cycles" = 100 : i64>>,
      "memories" = #dlti.map<
        "sram" = #dlti.map<"capacity_bytes" = 1048576 : i64>,
        "dram" = #dlti.map<"bytes_per_second" = 4000000000 : i64,
                           "lanes" = 8 : i64>>>>} {
)";

/// A product and a sum. By hand, for bf16 of 2 bytes:
///
///   up   64 x 256 x 128 products, / 1024 = 2048 cycles; 32768 + 65536 + 16384
///        bytes, / 8 = 14336. 14336 + 100 = 14436.
///   sum  3 x 16384 bytes, / 8 = 6144. 6144 + 100 = 6244.
///
/// One after the other, 20680 cycles of 2 ns.
static const char *const block = R"(
  func.func @block(%x: tensor<64x256xbf16>, %y: tensor<64x128xbf16>)
      -> tensor<64x128xbf16> {
    %w = llm.weight "up.weight" : tensor<128x256xbf16>
    %up = llm.matmul "up" %x, %w transpose_rhs
        : tensor<64x256xbf16>, tensor<128x256xbf16>
    %sum = llm.add "sum" %up, %y : tensor<64x128xbf16>, tensor<64x128xbf16>
    return %sum : tensor<64x128xbf16>
  }
)";

namespace {
class EvaluationTest : public testing::Test {
protected:
  EvaluationTest() {
    context.loadDialect<LlmDialect, func::FuncDialect, DLTIDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back(diagnostic.str());
    });
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }
  static std::string print(ModuleOp module) {
    std::string text;
    ::llvm::raw_string_ostream(text) << module;
    return text;
  }
  /// That the call has failed, with one error, and has left the module alone.
  void expectRefused(ModuleOp module, StringRef options, StringRef error) {
    std::string before = print(module);
    EXPECT_TRUE(failed(evaluate(module, options)));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].find(error.str()), std::string::npos) << errors[0];
    EXPECT_EQ(print(module), before);
  }

  MLIRContext context;
  std::vector<std::string> errors;
};
} // namespace

TEST_F(EvaluationTest, saysWhenOpsRun) {
  auto module = parse(machine + std::string(block) + "}");
  FailureOr<Evaluation> made = evaluate(*module, PipelineOptions());
  ASSERT_TRUE(succeeded(made));
  Evaluation evaluation = std::move(*made); // the target stays where it is
  EXPECT_EQ(evaluation.target().name, "edge");
  ASSERT_EQ(evaluation.reports().size(), 1u);
  const Report &report = evaluation.reports().front();
  EXPECT_EQ(report.target, &evaluation.target());
  EXPECT_EQ(report.functionName(), "block");
  EXPECT_EQ(report.timeline.schedule().getMakespanCycles(), 20680);
  EXPECT_DOUBLE_EQ(report.makespanMicroseconds(), 41.36);
  ASSERT_EQ(report.ops.size(), 2u);
  EXPECT_EQ(report.ops[0].name, "up");
  EXPECT_EQ(report.ops[0].endCycle, 14436);
  EXPECT_EQ(report.ops[1].startCycle, 14436);
  EXPECT_EQ(report.ops[1].figures.cycles, 6244);
}

TEST_F(EvaluationTest, leavesAPlanThatIsReadAgain) {
  auto module = parse(machine + std::string(block) + "}");
  EXPECT_TRUE(failed(Evaluation::read(*module)));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("run --llm-tile first"), std::string::npos);
  ASSERT_TRUE(succeeded(evaluate(*module, "")));
  module->walk([](WorkloadOpInterface op) {
    for (StringRef name : {LlmDialect::tileAttrName, LlmDialect::costAttrName,
                           LlmDialect::slotsAttrName})
      EXPECT_TRUE(op->hasAttr(name)) << name.str();
  });
  std::string before = print(*module);
  FailureOr<Evaluation> evaluation = Evaluation::read(*module);
  ASSERT_TRUE(succeeded(evaluation));
  EXPECT_EQ(evaluation->reports()[0].timeline.schedule().getMakespanCycles(),
            20680);
  EXPECT_EQ(print(*module), before);
}

/// Two engines take 8 bytes in a cycle together, so that each op takes as long,
/// and two functions are two reports.
TEST_F(EvaluationTest, takesOptionsAndSeveralFunctions) {
  auto module = parse(std::string(machine) + block +
                      "func.func private @declared() "
                      "func.func @empty() { return } }");
  FailureOr<Evaluation> evaluation =
      evaluate(*module, "engines=2 policy=earliest granularity=op verify=true");
  ASSERT_TRUE(succeeded(evaluation));
  EXPECT_EQ(evaluation->target().engines[0].count, 2);
  ASSERT_EQ(evaluation->reports().size(), 2u);
  ScheduleAttr schedule = evaluation->reports()[0].timeline.schedule();
  EXPECT_EQ(schedule.getPolicy(), "earliest");
  EXPECT_EQ(schedule.getMakespanCycles(), 20680);
  EXPECT_EQ(evaluation->reports()[1].functionName(), "empty");
  EXPECT_EQ(evaluation->reports()[1].makespanMicroseconds(), 0);
}

TEST_F(EvaluationTest, refusesOptions) {
  auto module = parse(machine + std::string(block) + "}");
  expectRefused(*module, "speed=9",
                "cannot read 'speed=9' as options of --llm-pipeline: "
                "<Pass-Options-Parser>: no such option speed");
  errors.clear();
  expectRefused(*module, "policy=best", "cannot read 'policy=best' as options");
}

TEST_F(EvaluationTest, refusesAModuleWithoutFunctions) {
  auto module = parse("func.func private @declared()");
  expectRefused(*module, "", "the module has no function with a body");
}

TEST_F(EvaluationTest, refusesAModuleThatDoesNotVerify) {
  auto module = parse(machine + std::string(block) + "}");
  module->walk([](func::ReturnOp op) { op->eraseOperand(0); });
  expectRefused(*module, "", "has 0 operands, but enclosing function");
}

TEST_F(EvaluationTest, failsWhereAPassFails) {
  auto module = parse(machine + std::string(block) + "}");
  expectRefused(*module, "target=abacus", "abacus");
}
