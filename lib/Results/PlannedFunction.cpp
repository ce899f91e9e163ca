//===- PlannedFunction.cpp - A function as predicted and as it ran --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/PlannedFunction.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Planning/MeasuredSchedule.h"
#include "llm/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::llm;

static LogicalResult runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager manager(module.getContext());
  manager.addPass(std::move(pass));
  return manager.run(module);
}

/// The module with nothing but that function.
static OwningOpRef<ModuleOp> cloneWith(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> clone = cast<ModuleOp>(module->clone());
  for (auto other : llvm::make_early_inc_range(clone->getOps<func::FuncOp>()))
    if (other.getName() != function.getName() && !other.isExternal())
      other.erase();
  return clone;
}

static LogicalResult bindSizes(ModuleOp module, ArrayRef<std::string> sizes) {
  if (sizes.empty())
    return success();
  LlmBindShapesPassOptions options;
  for (const std::string &size : sizes)
    options.sizes.push_back(size);
  return runPass(module, createLlmBindShapesPass(options));
}

FailureOr<PlannedFunction> PlannedFunction::create(func::FuncOp function,
                                                   ArrayRef<std::string> sizes,
                                                   LoadTarget loadTarget,
                                                   unsigned threads) {
  PlannedFunction own;
  own.threads = threads;
  own.name = function.getName().str();
  own.measured = cloneWith(function);
  ModuleOp module = *own.measured;
  if (failed(bindSizes(module, sizes)))
    return failure();
  if (!hasTarget(module)) {
    FailureOr<Target> loaded = loadTarget();
    if (failed(loaded))
      return failure();
    writeTarget(module, *loaded);
  }
  FailureOr<Target> target = readTarget(module);
  if (failed(target))
    return failure();
  own.target = std::make_unique<Target>(std::move(*target));
  if (failed(own.plan()))
    return failure();
  return own;
}

LogicalResult PlannedFunction::plan() {
  auto function = measured->lookupSymbol<func::FuncOp>(name);
  bool isScheduled = function->hasAttr(LlmDialect::scheduleAttrName);
  if (!isScheduled && failed(runPass(*measured, createLlmTilePass())))
    return failure();
  predicted = cast<ModuleOp>((*measured)->clone());
  if (!isScheduled && failed(runPass(*predicted, createLlmSchedulePass())))
    return failure();
  // Threads share an op as engines share its parts.
  if (threads > 1)
    measured = cast<ModuleOp>((*predicted)->clone());
  FailureOr<Report> report =
      Report::create(predicted->lookupSymbol<func::FuncOp>(name), *target);
  if (failed(report))
    return failure();
  predictedReport = std::move(*report);
  return success();
}

LogicalResult PlannedFunction::setMeasured(ArrayRef<double> nanosecondsOf,
                                           StringRef maker) {
  auto function = measured->lookupSymbol<func::FuncOp>(name);
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program) || failed(writeMeasuredSchedule(
                             *program, *target, nanosecondsOf, threads, maker)))
    return failure();
  FailureOr<Report> report = Report::create(function, *target);
  if (failed(report))
    return failure();
  measuredReport = std::move(*report);
  return success();
}

FailureOr<func::FuncOp> mlir::llm::findFunction(ModuleOp module,
                                                StringRef name) {
  SmallVector<func::FuncOp> functions;
  SmallVector<StringRef> known;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    known.push_back(function.getName());
    if (name.empty() ? function.isPublic() : function.getName() == name)
      functions.push_back(function);
  }
  if (functions.size() == 1)
    return functions.front();
  if (known.empty())
    return module.emitError() << "the program has no function with a body";
  std::string names = llvm::join(known, ", ");
  if (!name.empty())
    return module.emitError()
           << "there is no function '" << name << "' with a body"
           << didYouMean(name, known) << " (--function=NAME: " << names << ")";
  return module.emitError() << "there are " << functions.size()
                            << " public functions; say which one: "
                               "--function=NAME ("
                            << names << ")";
}
