//===- Partition.cpp - Make the program of one chip -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneChip.h"
#include "OptionValues.h"
#include "ProgramPass.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Transforms/Passes.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMPARTITIONPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
struct LlmPartitionPass
    : WorkloadPass<
          PassWithOptions<llm::impl::LlmPartitionPassBase<LlmPartitionPass>>> {
  using WorkloadPass::WorkloadPass;

  ::llvm::cl::Option *getAnyOption() override { return &expertRows; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto grid = module->getAttrOfType<GridAttr>(LlmDialect::gridAttrName);
    // Without a grid, or on one chip, the program is that of the chip.
    if (!grid)
      return warnOfMissingGrid(module);
    if (overlapChunks < 1 || overlapChunks > mostChunks) {
      emitPassError(*this, module)
          << "option 'overlap-chunks' divides the rows of a product, expected "
             "1 to "
          << mostChunks << ", got " << overlapChunks.getValue();
      return signalPassFailure();
    }
    for (FunctionOpInterface function : functionsWithBody(module))
      if ((!AxisRoles::areStagesOnly(grid) &&
           failed(makeProgramOfChip(function, grid))) ||
          (overlapChunks > 1 &&
           failed(splitSumsIntoChunks(function, overlapChunks))) ||
          failed(splitIntoStagesOf(function, grid)))
        return signalPassFailure();
    GridAttr chips = withoutParts(grid);
    if (chips.getAxes().empty())
      module->removeAttr(LlmDialect::gridAttrName);
    else
      module->setAttr(LlmDialect::gridAttrName, chips);
  }

private:
  /// More make every message short, and a program long.
  static constexpr int64_t mostChunks = 64;

  LogicalResult makeProgramOfChip(FunctionOpInterface function, GridAttr grid) {
    if (failed(partitionFunction(function, grid, expertRows)))
      return failure();
    if (expertExchange == ExpertExchange::AllToAll &&
        failed(exchangeRowsOfExperts(function, grid, expertRows)))
      return failure();
    return unrollParts(function, grid);
  }

  LogicalResult splitIntoStagesOf(FunctionOpInterface function, GridAttr grid) {
    StringAttr axis = AxisRoles::get(grid).stages;
    if (!axis)
      return success();
    int64_t places = *grid.sizeOf(axis);
    auto said = function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
    int64_t rounds = said ? said.getRounds() : 1;
    return splitIntoStages(function, places * rounds, rounds,
                           said ? said.getMicrobatches() : places);
  }

  /// A module may have no grid because `llm-shard=tp=1` has asked for one chip.
  void warnOfMissingGrid(ModuleOp module) {
    markAllAnalysesPreserved();
    if (overlapChunks != 1)
      emitWarning(module.getLoc())
          << "--" << getArgument()
          << "=overlap-chunks divides nothing: on one chip there are no sums "
             "over chips; tp=8 makes some";
    if (getCachedAnalysis<OneChip>() || functionsWithBody(module).empty())
      return;
    emitWarning(module.getLoc())
        << "--" << getArgument()
        << " cuts nothing: the module has no grid of chips. --llm-shard=tp=8 "
           "in front of it writes one, and says what is cut";
  }
};
} // namespace
