//===- ProgramPass.cpp - Passes on programs -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPass.h"
#include "llm/Diagnostics/RemarkLock.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::llm;

InFlightDiagnostic mlir::llm::emitPassError(const Pass &pass, Operation *root) {
  return emitError(root->getLoc()) << "--" << pass.getArgument() << ": ";
}

/// Returns the target around `root`, which is a function, or a module within
/// another one. Other threads may work on what is beside it, so that is not
/// looked at.
static FailureOr<Target> targetAround(const Pass &pass, Operation *root) {
  auto outermost = dyn_cast<ModuleOp>(root);
  for (auto module = root->getParentOfType<ModuleOp>(); module;
       module = module->getParentOfType<ModuleOp>()) {
    if (outermost && hasTarget(outermost))
      return emitInnerTarget(outermost);
    outermost = module;
  }
  if (outermost && hasTarget(outermost))
    return readOwnTarget(outermost);
  return emitPassError(pass, root)
         << "the module around has no target, and a pass that is nested in it "
            "writes none; run --llm-target on that module first";
}

/// The module that a pass runs on, if it is not within another one.
static ModuleOp outermostModule(Operation *root) {
  auto module = dyn_cast<ModuleOp>(root);
  return module && !module->getParentOfType<ModuleOp>() ? module : ModuleOp();
}

FailureOr<Target> mlir::llm::getOrWriteTarget(const Pass &pass,
                                              Operation *root) {
  ModuleOp module = outermostModule(root);
  if (!module)
    return targetAround(pass, root);
  if (hasTarget(module))
    return readTarget(module);
  if (failed(checkInnerModules(module)))
    return failure();
  FailureOr<Target> target =
      loadPreset(defaultPresetName, module.getContext(),
                 [&] { return emitError(module.getLoc()); });
  if (failed(target))
    return failure();
  writeTarget(module, *target);
  RemarkLock oneAtATime;
  remark::analysis(module.getLoc(),
                   remark::RemarkOpts::name("target").category("llm-target"))
      << remark::reason("the module has no target: preset '{0}', whose figures "
                        "are invented, "
                        "stands in",
                        defaultPresetName);
  // With the links that the module's grid needs; they may be missing.
  return readTarget(module);
}

FailureOr<Target> mlir::llm::requireTarget(const Pass &pass, Operation *root) {
  ModuleOp module = outermostModule(root);
  if (!module)
    return targetAround(pass, root);
  if (!hasTarget(module))
    return emitPassError(pass, module)
           << "the module has no target; run --llm-target or --llm-tile first";
  return readTarget(module);
}

/// "4", or "mxu:4".
static LogicalResult applyCount(const Pass &pass, ModuleOp module,
                                StringRef text, Target &target) {
  StringRef group, number = text;
  bool isNamed = text.contains(':');
  if (isNamed)
    std::tie(group, number) = text.rsplit(':');
  int64_t count = 0;
  if (!llvm::to_integer(number, count, 10))
    return emitPassError(pass, module) << "option 'engines' must be a whole "
                                          "number above 0, or such numbers "
                                          "by name as in 'mxu:4,vpu:2', got '"
                                       << text << "'";
  auto emitError = [&] {
    return emitPassError(pass, module) << "option 'engines': ";
  };
  std::string remarkText;
  if (failed(isNamed ? setEngines(target, group, count, emitError, remarkText)
                     : setComputeEngines(target, count, emitError, remarkText)))
    return failure();
  if (!remarkText.empty())
    emitWarning(module.getLoc()) << remarkText;
  return success();
}

LogicalResult mlir::llm::applyEnginesOption(const Pass &pass, Operation *root,
                                            StringRef engines, Target &target) {
  if (engines.empty())
    return success();
  ModuleOp module = outermostModule(root);
  if (!module)
    return emitPassError(pass, root)
           << "option 'engines' changes the target of the module around, which "
              "a pass that is nested in it must not; give it to --llm-target";
  SmallVector<StringRef> counts;
  engines.split(counts, ',');
  llvm::StringSet<> groups;
  for (StringRef count : counts) {
    if (counts.size() > 1 && !count.contains(':'))
      return emitPassError(pass, module)
             << "option 'engines': several numbers need the names of their "
                "engines, as in 'mxu:4,vpu:2', got '"
             << engines << "'";
    StringRef group = count.split(':').first;
    if (count.contains(':') && !groups.insert(group).second)
      return emitPassError(pass, module)
             << "option 'engines' has two numbers of '" << group
             << "', expected one";
    if (failed(applyCount(pass, module, count, target)))
      return failure();
  }
  writeTarget(module, target);
  return success();
}

void mlir::llm::dropSchedules(Operation *root) {
  root->walk([](Operation *op) {
    op->removeDiscardableAttr(LlmDialect::slotsAttrName);
    op->removeDiscardableAttr(LlmDialect::scheduleAttrName);
    op->removeDiscardableAttr(LlmDialect::pipelineAttrName);
  });
}
