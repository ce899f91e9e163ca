//===- Assertions.cpp - What programs assert when they run ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assertions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdlib>
#include <mutex>

using namespace mlir;
using namespace mlir::llm;

void llm::assertionFailed(int64_t assertion) {
  // Of several threads one ends the process, and the others wait for that.
  static std::mutex first;
  first.lock();
  const auto *failed = reinterpret_cast<const Assertion *>(assertion);
  emitError(failed->loc) << "the program asserts what does not hold: "
                         << failed->message;
  ::llvm::outs().flush();
  std::_Exit(1);
}

namespace {
struct AssertionCalls : PassWrapper<AssertionCalls, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssertionCalls)

  explicit AssertionCalls(Assertions &assertions) : assertions(assertions) {}

  StringRef getArgument() const override { return "llm-assertion-calls"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect>();
  }
  void runOnOperation() override {
    SmallVector<cf::AssertOp> all;
    getOperation().walk([&](cf::AssertOp op) { all.push_back(op); });
    if (all.empty())
      return;
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    callee = func::FuncOp::create(
        builder, getOperation().getLoc(), assertionFailedSymbol,
        builder.getFunctionType(builder.getI64Type(), {}));
    callee.setPrivate();
    for (cf::AssertOp op : all)
      replace(op);
  }

private:
  /// Splits the block: it goes on if the assertion holds. What is called if not
  /// does not return.
  void replace(cf::AssertOp op) {
    assertions.push_back({op.getLoc(), op.getMsg().str()});
    Location loc = op.getLoc();
    Block *before = op->getBlock();
    Block *after = before->splitBlock(op);
    OpBuilder builder(op.getContext());
    Block *failed = builder.createBlock(after);
    Value address = arith::ConstantOp::create(
        builder, loc,
        builder.getI64IntegerAttr(
            reinterpret_cast<int64_t>(&assertions.back())));
    func::CallOp::create(builder, loc, callee, address);
    cf::BranchOp::create(builder, loc, after);
    builder.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(builder, loc, op.getArg(), after, failed);
    op.erase();
  }

  Assertions &assertions;
  func::FuncOp callee;
};
} // namespace

std::unique_ptr<Pass> llm::createAssertionsPass(Assertions &assertions) {
  return std::make_unique<AssertionCalls>(assertions);
}
