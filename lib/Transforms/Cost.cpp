//===- Cost.cpp - Annotate costs anew for the tiles that are there --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPass.h"
#include "llm/Cost/CostModel.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Program/Program.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/DLTI/DLTI.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMCOSTPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

static LogicalResult annotate(WorkloadOpInterface op, const Target &target) {
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  if (!tile)
    return op->emitOpError() << "has no tile; run --llm-tile first";
  FailureOr<OpOnTarget> context = OpOnTarget::get(op, target);
  if (failed(context))
    return failure();
  FailureOr<CostAttr> cost = computeCost(*context, tile);
  if (failed(cost))
    return failure();
  op->setAttr(LlmDialect::costAttrName, *cost);
  return success();
}

namespace {
struct LlmCostPass : ProgramPass<llm::impl::LlmCostPassBase<LlmCostPass>> {
  void runOnOperation() override {
    FailureOr<Target> target = getOrWriteTarget(*this, getOperation());
    if (failed(target))
      return signalPassFailure();
    dropSchedules(getOperation());
    if (failed(forEachProgram(getOperation(), [&](const Program &program) {
          for (const ProgramOp &entry : program.ops())
            if (failed(annotate(entry.op, *target)))
              return failure();
          return success();
        })))
      signalPassFailure();
  }
};
} // namespace
