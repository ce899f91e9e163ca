//===- ReasonsTest.cpp - Who is told why something cannot be --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/OpOnTarget.h"
#include "llm/Diagnostics/Warnings.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {
/// What the user was told, and an op to tell it about.
class Reason : public ::testing::Test {
protected:
  Reason()
      : told(&context, [this](Diagnostic &diagnostic) {
          heard.push_back(diagnostic.str());
          return success();
        }) {
    context.loadDialect<LlmDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {"
        "  %y = llm.add %x, %x : tensor<4x8xbf16>, tensor<4x8xbf16>"
        "  return %y : tensor<4x8xbf16> }",
        &context);
    module->walk([&](WorkloadOpInterface found) { op = found; });
  }

  MLIRContext context;
  std::vector<std::string> heard;
  ScopedDiagnosticHandler told;
  OwningOpRef<ModuleOp> module;
  WorkloadOpInterface op;
};

FailureOr<int> refuseFive(Reasons reasons, Operation *op) {
  return reasons.refuse(op) << "has " << 5;
}
} // namespace

// The user is told as by emitOpError, and the caller sees a failure.
TEST_F(Reason, IsToldToTheUser) {
  EXPECT_TRUE(failed(refuseFive(Reasons(), op)));
  EXPECT_EQ(heard, std::vector<std::string>{"'llm.add' op has 5"});
}

// A caller that can go on reads the same words, and the user none.
TEST_F(Reason, IsKept) {
  std::string text;
  EXPECT_TRUE(failed(refuseFive(Reasons::into(text), op)));
  EXPECT_EQ(text, "'llm.add' op has 5");
  EXPECT_TRUE(heard.empty());
}

// Of several reasons, the first is kept.
TEST_F(Reason, KeepsTheFirst) {
  std::string text;
  Reasons reasons = Reasons::into(text);
  (void)LogicalResult(reasons.refuse(op->getLoc()) << "first");
  (void)LogicalResult(reasons.refuse(op->getLoc()) << "second");
  EXPECT_EQ(text, "first");
}

TEST_F(Reason, IsUnsaid) {
  EXPECT_TRUE(failed(refuseFive(Reasons::unsaid(), op)));
  EXPECT_TRUE(heard.empty());
}

// Notes are for users: who keeps a reason keeps a sentence.
TEST_F(Reason, HasNotesForTheUser) {
  unsigned notes = 0;
  ScopedDiagnosticHandler count(&context, [&](Diagnostic &diagnostic) {
    notes += llvm::range_size(diagnostic.getNotes());
    return success();
  });
  std::string text;
  for (Reasons reasons : {Reasons(), Reasons::into(text), Reasons::unsaid()}) {
    Refusal refusal = reasons.refuse(op->getLoc()) << "is wrong";
    refusal.addNote("because");
  }
  EXPECT_EQ(notes, 1u);
  EXPECT_EQ(text, "is wrong");
}

// Through the cost model: on a target without a vector engine, the op has a
// reason, and nobody but who asked hears it.
TEST_F(Reason, OfAnOpIsItsCallers) {
  Target target;
  target.name = "bare";
  std::string text;
  EXPECT_TRUE(failed(OpOnTarget::get(op, target, Reasons::into(text))));
  EXPECT_EQ(text, "'llm.add' op needs an engine that is vector; target 'bare' "
                  "has none; say in the `kinds` of an engine what it can do");
  EXPECT_TRUE(heard.empty());
}

// What is warned of is said once, and kept.
TEST_F(Reason, OfWarningsIsKept) {
  Warnings warnings;
  warnings.warn(op->getLoc(), "is stale");
  warnings.keep("does not fit");
  EXPECT_EQ(heard, std::vector<std::string>{"is stale"});
  EXPECT_EQ(warnings.take(),
            (std::vector<std::string>{"is stale", "does not fit"}));
}
