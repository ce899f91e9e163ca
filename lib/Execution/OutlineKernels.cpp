//===- OutlineKernels.cpp - Equal loops are compiled once -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutlineKernels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace {

/// An op, and the values that it and its body read. Constants are made again
/// inside.
struct Kernel {
  explicit Kernel(Operation *op) : op(op) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used)
      (matchPattern(value, m_Constant()) ? constants : inputs).insert(value);
  }

  Operation *op;
  llvm::SetVector<Value> inputs, constants;
};

struct OutlineKernels : PassWrapper<OutlineKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineKernels)

  StringRef getArgument() const override { return "llm-outline-kernels"; }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops)
      outline(Kernel(op));
  }

private:
  void outline(const Kernel &kernel) {
    func::FuncOp callee = findFunction(kernel);
    OpBuilder builder(kernel.op);
    func::CallOp::create(builder, kernel.op->getLoc(), callee,
                         kernel.inputs.getArrayRef());
    kernel.op->erase();
  }

  func::FuncOp findFunction(const Kernel &kernel) {
    func::FuncOp made = makeFunction(kernel);
    std::string text;
    llvm::raw_string_ostream os(text);
    made->print(os);
    auto [it, isNew] = functions.try_emplace(text, made);
    if (!isNew) {
      made.erase();
      return it->second;
    }
    getOperation().push_back(made);
    made.setName(("kernel." + Twine(functions.size() - 1)).str());
    return made;
  }

  /// Makes a detached function. All have one name, so that equal ones can be
  /// found.
  func::FuncOp makeFunction(const Kernel &kernel) {
    OpBuilder builder(&getContext());
    Location loc = kernel.op->getLoc();
    auto type = builder.getFunctionType(
        ValueRange(kernel.inputs.getArrayRef()).getTypes(), {});
    auto function = func::FuncOp::create(loc, "kernel", type);
    function.setPrivate();
    // Without this, LLVM would put functions with one caller back.
    function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
    builder.setInsertionPointToStart(function.addEntryBlock());
    IRMapping mapping;
    mapping.map(kernel.inputs.getArrayRef(), function.getArguments());
    for (Value constant : kernel.constants)
      builder.clone(*constant.getDefiningOp(), mapping);
    builder.clone(*kernel.op, mapping);
    func::ReturnOp::create(builder, loc);
    return function;
  }

  llvm::StringMap<func::FuncOp> functions;
};

} // namespace

std::unique_ptr<Pass> mlir::llm::createOutlineKernelsPass() {
  return std::make_unique<OutlineKernels>();
}
