//===- Shard.cpp - Decide how a program is cut over chips -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneChip.h"
#include "ProgramPass.h"
#include "llm/Cost/Roofline.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Program/Totals.h"
#include "llm/Sharding/Sharding.h"
#include "llm/Transforms/Passes.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMSHARDPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// Returns the bytes of what the op reads that has no open sizes: its weights.
static FailureOr<double> weightBytes(Operation *op) {
  double sum = 0;
  for (Type type : op->getOperandTypes()) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!shaped || !shaped.hasStaticShape())
      continue;
    Count bytes = storageBytes(type);
    if (failed(bytes))
      return op->emitOpError() << "reads more than 2^61 - 1 bytes";
    sum += double(*bytes);
  }
  return sum;
}

/// Returns the time of an op by the roofline of the whole machine. Without a
/// target, it is that of a byte a second. If sizes are open, weights count.
static FailureOr<double> rooflineSeconds(WorkloadOpInterface op,
                                         const std::optional<Target> &target) {
  double bytesPerSecond = target ? double(target->dram().bytesPerSecond) : 1;
  bool isOpen = llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  });
  if (isOpen) {
    FailureOr<double> bytes = weightBytes(op);
    if (failed(bytes))
      return failure();
    return *bytes / bytesPerSecond;
  }
  FailureOr<Workload> workload =
      op.getWorkload([&] { return op->emitOpError(); });
  if (failed(workload))
    return failure();
  Count bytes = compulsoryBytes(op, *workload);
  if (failed(bytes))
    return op->emitOpError() << "touches more than 2^61 - 1 bytes";
  double seconds = double(*bytes) / bytesPerSecond;
  if (!target)
    return seconds;
  for (WorkKind kind : allWorkKinds) {
    double peak = peakPerSecond(*target, kind, workload->macElementType());
    Count work = countPipeWork(op, *workload, kind);
    if (peak > 0 && succeeded(work))
      seconds = std::max(seconds, double(*work) / peak);
  }
  return seconds;
}

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
    // Before there is a grid, of which parts of a batch are an axis, too: the
    // target's links need not join these.
    if (failed(readOwnTarget(module)))
      return signalPassFailure();
    FailureOr<GridAttr> grid = getOrWriteGrid(module);
    if (failed(grid))
      return signalPassFailure();
    if (!*grid) {
      getAnalysis<OneChip>();
      return markAllAnalysesPreserved();
    }
    for (FunctionOpInterface function : functionsWithBody(module))
      if ((!AxisRoles::areStagesOnly(*grid) &&
           failed(shardFunction(function, *grid, AxisRoles::get(*grid)))) ||
          failed(assignStagesOf(function, *grid)))
        return signalPassFailure();
  }

private:
  std::optional<Target> target; ///< by whose roofline stages are made

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

  /// The options by name, and what they say. 0 where they are not given.
  SmallVector<std::pair<StringRef, int64_t>> givenDegrees() const {
    SmallVector<std::pair<StringRef, int64_t>> given;
    for (auto [name, chips] : {std::pair<StringRef, int64_t>{"tp", tp},
                               {"cp", cp},
                               {"ep", ep},
                               {"dp", dp},
                               {"pp", pp},
                               {"interleave", interleave}})
      if (chips != 0)
        given.push_back({name, chips});
    return given;
  }

  /// Returns the grid of the module, or that of the options. Returns null for
  /// one chip.
  FailureOr<GridAttr> getOrWriteGrid(ModuleOp module) {
    auto grid = module->getAttrOfType<GridAttr>(LlmDialect::gridAttrName);
    SmallVector<std::pair<StringRef, int64_t>> given = givenDegrees();
    int64_t chips = 1;
    bool isWrong = given.empty() && !grid;
    for (auto [name, own] : given) {
      isWrong |= own < 1 || own > GridAttr::maxChips / chips;
      // Those of cp are some of tp.
      chips *= isWrong || name == "cp" ? 1 : own;
    }
    if (isWrong)
      return emitPassError(*this, module)
             << "needs a number of chips, such as tp=8 (1 to "
             << GridAttr::maxChips << "), or a grid on the module";
    if (!grid && microbatches > 0 && pp <= 1)
      return emitPassError(*this, module)
             << "option 'microbatches' needs stages of a pipeline to go "
                "through, such as pp=2";
    if (!grid && sp && tp <= 1)
      return emitPassError(*this, module)
             << "option 'sp' cuts rows of tokens over the chips of 'tp', which "
                "must be 2 or more";
    if (grid && !given.empty())
      return emitPassError(*this, module)
             << "the module has the grid " << grid << " already; leave '"
             << given.front().first << "' out to cut over that";
    if (!grid && (chips > 1 || cp > 1)) {
      FailureOr<GridAttr> made = makeGridOfOptions(module);
      if (failed(made))
        return failure();
      grid = *made;
      module->setAttr(LlmDialect::gridAttrName, grid);
    }
    return grid;
  }

  LogicalResult readOwnTarget(ModuleOp module) {
    if (!hasTarget(module) || module->hasAttr(LlmDialect::gridAttrName))
      return success();
    FailureOr<Target> read = readTarget(module);
    if (failed(read))
      return failure();
    target = std::move(*read);
    return success();
  }

  /// If the grid has stages, writes which ops are in which.
  LogicalResult assignStagesOf(FunctionOpInterface function, GridAttr grid) {
    StringAttr axis = AxisRoles::get(grid).stages;
    int64_t places = axis ? *grid.sizeOf(axis) : 1;
    constexpr int64_t mostRounds = 1024;
    if (ppRounds < 1 || ppRounds > mostRounds || (ppRounds > 1 && places == 1))
      return emitPassError(*this, getOperation())
             << "option 'pp-rounds' must be 1 to " << mostRounds
             << ", and above 1 only with several chips of 'pp', got "
             << ppRounds.getValue();
    if (microbatches < 0 || microbatches > StageAttr::maxMicrobatches)
      return emitPassError(*this, getOperation())
             << "option 'microbatches' must be 1 to "
             << StageAttr::maxMicrobatches
             << ", or 0 for as many as there are stages, got "
             << microbatches.getValue();
    if (places == 1)
      return success();
    // Before it is split, all stages are in one place.
    function->setAttr(
        LlmDialect::stageAttrName,
        StageAttr::get(&getContext(), 0, ppRounds, ppRounds,
                       microbatches == 0 ? places : int64_t(microbatches),
                       /*isBackward=*/false));
    return assignStages(function, places * ppRounds, [&](Operation *op) {
      return rooflineSeconds(cast<WorkloadOpInterface>(op), target);
    });
  }

  FailureOr<GridAttr> makeGridOfOptions(ModuleOp module) {
    auto orOne = [](int64_t chips) { return std::max<int64_t>(chips, 1); };
    Degrees degrees{orOne(tp), orOne(cp), orOne(ep),         orOne(dp),
                    orOne(pp), orOne(interleave), sp};
    bool withExperts = llvm::any_of(functionsWithBody(module), hasExperts);
    if (!withExperts && degrees.ep > 1)
      return emitPassError(*this, module)
             << "option 'ep': no op has experts that " << degrees.ep
             << " chips could share; 'tp' cuts what there is in the same way";
    if (withExperts && degrees.ep % degrees.dp != 0)
      return emitPassError(*this, module)
             << "option 'dp': the experts lie on the chips that share "
                "sequences, so that 'ep' must be a multiple of dp="
             << degrees.dp << ", got " << degrees.ep;
    int64_t chips = degrees.countForProducts(withExperts),
            heads = chipsOfKvHeads(module, chips, degrees.cp),
            copies = chipsWithCopies(degrees, withExperts, heads);
    if (copies % degrees.cp != 0)
      return emitPassError(*this, module)
             << "option 'cp': each KV head is on " << copies
             << " of the chips of 'tp' and 'ep', and cp=" << degrees.cp
             << " must divide that number";
    if (heads == 1 && chips > degrees.cp)
      emitWarning(module.getLoc()) << "the KV heads are not cut over " << chips
                                   << " chips, as they have no common divisor: "
                                      "attention and caches stay "
                                      "whole, and each chip has all of them";
    return makeGrid(&getContext(), degrees, withExperts, heads);
  }
};
} // namespace
