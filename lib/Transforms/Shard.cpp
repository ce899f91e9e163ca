//===- Shard.cpp - Decide how a program is cut over chips -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPass.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Transforms/Passes.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMSHARDPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

namespace {
struct LlmShardPass
    : WorkloadPass<PassWithOptions<llm::impl::LlmShardPassBase<LlmShardPass>>> {
  using WorkloadPass::WorkloadPass;

  ::llvm::cl::Option *getAnyOption() override { return &tp; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (functionsWithBody(module).empty())
      return; // nothing is cut
    if (failed(checkModule(module)))
      return signalPassFailure();
    GridAttr grid = getOrWriteGrid(module);
    if (!grid)
      return tp == 1 ? void() : signalPassFailure();
    SmallVector<StringAttr> axes;
    for (auto [axis, size] : llvm::zip_equal(grid.getAxes(), grid.getSizes()))
      if (size > 1 && axis.getValue().starts_with("tp"))
        axes.push_back(axis);
    for (FunctionOpInterface function : functionsWithBody(module))
      if (failed(shardFunction(function, grid, axes)))
        return signalPassFailure();
  }

private:
  /// What is in a kernel of several ops, or has a tile, is cut no more. The
  /// program of one chip is not cut again over the same grid.
  LogicalResult checkModule(ModuleOp module) {
    WalkResult pieces = module.walk([&](SourceOpInterface op) -> WalkResult {
      if (!op->hasAttr(LlmDialect::pieceAttrName))
        return WalkResult::advance();
      return op->emitOpError()
             << "is a piece already: --llm-partition has made "
                "the program of one chip";
    });
    if (pieces.wasInterrupted())
      return failure();
    WalkResult result = module.walk([&](WorkloadOpInterface op) -> WalkResult {
      bool isKernel = op->getParentOfType<WorkloadOpInterface>();
      if (!isKernel && !op->hasAttr(LlmDialect::tileAttrName))
        return WalkResult::advance();
      return op->emitOpError()
             << (isKernel ? "is in a kernel of several ops"
                          : "has a tile already")
             << ": --llm-shard and --llm-partition come before "
             << (isKernel ? "--llm-fuse" : "--llm-tile");
    });
    return failure(result.wasInterrupted());
  }

  /// Returns the grid of the module, or that of the options. Returns null
  /// after an error, and for one chip.
  GridAttr getOrWriteGrid(ModuleOp module) {
    auto grid = module->getAttrOfType<GridAttr>(LlmDialect::gridAttrName);
    if (tp == 1 && !grid)
      return {};
    if (tp == 0 && grid)
      return grid;
    if (tp < 1 || tp > GridAttr::maxChips) {
      emitPassError(*this, module)
          << "needs a number of chips, such as tp=8 (1 to "
          << GridAttr::maxChips << "), or a grid on the module";
      return {};
    }
    if (grid) {
      emitPassError(*this, module)
          << "the module has the grid " << grid
          << " already; leave 'tp' out to cut over that";
      return {};
    }
    grid = makeGrid(module);
    module->setAttr(LlmDialect::gridAttrName, grid);
    return grid;
  }

  /// Chips above the number of KV heads have copies of these.
  GridAttr makeGrid(ModuleOp module) {
    Builder builder(&getContext());
    int64_t heads = chipsOfKvHeads(module, tp);
    if (heads == 1 && tp > 1)
      emitWarning(module.getLoc())
          << "the KV heads are not cut over " << int64_t(tp)
          << " chips, as they have no common divisor: attention and caches stay "
             "whole, and each chip has all of them";
    if (heads == 1 || heads == tp)
      return GridAttr::get(&getContext(), builder.getStringAttr("tp"),
                           ArrayRef<int64_t>(tp));
    return GridAttr::get(
        &getContext(),
        {builder.getStringAttr("tp"), builder.getStringAttr("tp_copies")},
        {heads, tp / heads});
  }
};
} // namespace
