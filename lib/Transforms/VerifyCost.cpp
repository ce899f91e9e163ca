//===- VerifyCost.cpp - Check every cost against what is re-derived -------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPass.h"
#include "SearchLine.h"
#include "llm/Cost/CostModel.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Program/Program.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/DLTI/DLTI.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMVERIFYCOSTPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

static LogicalResult verify(WorkloadOpInterface op, const Target &target) {
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  if (!tile || !cost)
    return op->emitOpError()
           << "has no " << (tile ? "cost" : "tile") << "; run --llm-tile first";
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target);
  if (failed(context))
    return failure();
  FailureOr<CostAttr> derived = computeCost(*context, tile);
  if (failed(derived))
    return failure();
  if (*derived == cost)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError()
      << "has a cost that does not follow from op, tile and target; "
         "--llm-cost writes that";
  diagnostic.attachNote() << "is " << printOnOneLine(cost);
  diagnostic.attachNote() << "should be " << printOnOneLine(*derived);
  return diagnostic;
}

namespace {
struct LlmVerifyCostPass
    : ProgramPass<llm::impl::LlmVerifyCostPassBase<LlmVerifyCostPass>> {
  void runOnOperation() override {
    if (functionsWithBody(getOperation()).empty())
      return;
    FailureOr<Target> target = requireTarget(*this, getOperation());
    if (failed(target))
      return signalPassFailure();
    if (failed(forEachProgram(getOperation(), [&](const Program &program) {
          FunctionOpInterface function = program.function();
          OpLine line(&getContext(), "costs of", symbolOf(function),
                      program.ops().size());
          bool isSound = true; // to show every wrong cost
          for (const ProgramOp &entry : program.ops()) {
            line.enter();
            isSound &= succeeded(verify(entry.op, *target));
          }
          return success(isSound);
        })))
      signalPassFailure();
  }
};
} // namespace
