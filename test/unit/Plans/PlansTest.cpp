//===- PlansTest.cpp - Plans of linalg programs without the ops -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Planning/Split.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Scheduling/Solvers.h"
#include "llm/Target/Target.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

class PlansTest : public ::testing::Test {
protected:
  PlansTest() {
    DialectRegistry registry;
    registry.insert<PlansDialect, func::FuncDialect, linalg::LinalgDialect>();
    registerExternalModels(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }
  /// What is said of a text that is refused.
  std::string refusalOf(StringRef text) {
    std::string said;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
    EXPECT_FALSE(parse(text));
    return said;
  }
  static std::string textOf(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    return text;
  }

  MLIRContext context;
};

std::string productWith(const std::string &attribute) {
  return "func.func @f(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, "
         "%c: tensor<16x8xf32>) -> tensor<16x8xf32> {\n"
         "  %r = linalg.matmul " +
         attribute +
         " ins(%a, %b : tensor<16x32xf32>, tensor<32x8xf32>) "
         "outs(%c : tensor<16x8xf32>) -> tensor<16x8xf32>\n"
         "  return %r : tensor<16x8xf32>\n}\n";
}

} // namespace

TEST_F(PlansTest, ALinalgProgramIsTiledCostedAndScheduled) {
  OwningOpRef<ModuleOp> module = parse(productWith(""));
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  FailureOr<Program> program = Program::analyze(function);
  ASSERT_TRUE(succeeded(program));
  FailureOr<Target> target = loadPreset(
      "npu", &context, [&] { return emitError(UnknownLoc::get(&context)); });
  ASSERT_TRUE(succeeded(target));
  WorkloadOpInterface product = program->ops().front().op;
  FailureOr<OpOnTarget> onTarget = OpOnTarget::get(product, *target);
  ASSERT_TRUE(succeeded(onTarget));
  FailureOr<TileAttr> tile = searchTile(*onTarget);
  ASSERT_TRUE(succeeded(tile));
  FailureOr<CostAttr> cost = computeCost(*onTarget, *tile);
  ASSERT_TRUE(succeeded(cost));
  // 16 x 8 x 32 products, each once.
  EXPECT_EQ(cost->getParts().front().getWork("mac"), 4096);
  product->setAttr(LlmDialect::tileAttrName, *tile);
  product->setAttr(LlmDialect::costAttrName, *cost);
  FailureOr<scheduling::Problem> problem = makeProblem(*program, {0u}, *target);
  ASSERT_TRUE(succeeded(problem));
  std::optional<scheduling::Solution> solution =
      scheduling::scheduleList(*problem);
  ASSERT_TRUE(solution);
  EXPECT_TRUE(scheduling::verify(*problem, *solution).empty());

  // As text and as bytecode, it is the same plan.
  std::string text = textOf(*module);
  OwningOpRef<ModuleOp> again = parse(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(textOf(*again), text);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  ASSERT_TRUE(succeeded(writeBytecodeToFile(*module, os)));
  OwningOpRef<ModuleOp> read = parse(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(textOf(*read), text);
}

TEST_F(PlansTest, WrongPlansAreRefused) {
  EXPECT_NE(refusalOf(productWith("{llm.tile = 3 : i64}"))
                .find("attribute 'llm.tile' must be a #llm.tile"),
            std::string::npos);
  EXPECT_NE(refusalOf(productWith("{llm.tiles = 3 : i64}"))
                .find("has unknown attribute 'llm.tiles'"),
            std::string::npos);
  EXPECT_NE(refusalOf(productWith("{llm.tile = #llm.tles<>}"))
                .find("unknown attribute 'tles' in dialect 'llm'"),
            std::string::npos);
}

TEST_F(PlansTest, TypesAreRead) {
  OwningOpRef<ModuleOp> module =
      parse("func.func private @f(!llm.kv_cache<batch = 1, kv_heads = 2, "
            "head_dim = 8, capacity = 4, f32>)");
  ASSERT_TRUE(module);
  EXPECT_TRUE(isa<KvCacheType>(
      (*module->getOps<func::FuncOp>().begin()).getArgumentTypes().front()));
  EXPECT_NE(refusalOf("func.func private @f(!llm.kv_cach<2>)")
                .find("unknown type 'kv_cach' in dialect 'llm'"),
            std::string::npos);
}
