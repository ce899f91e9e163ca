//===- Tile.cpp - Choose tiles and annotate costs -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkChoice.h"
#include "OptionValues.h"
#include "ProgramPass.h"
#include "SearchLine.h"
#include "llm/Cost/ClosedForm.h"
#include "llm/Diagnostics/RemarkLock.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Planning/TileSearch.h"
#include "llm/Program/Program.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/ExternalModels.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Remarks.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMTILEPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

static void emitRemarks(const ProgramOp &entry, const OpOnTarget &context,
                        TileAttr tile, CostAttr cost) {
  Operation *op = context.op;
  auto options = remark::RemarkOpts::name("tile").category("llm-tile");
  PartCostAttr part = cost.getParts().front();
  RemarkLock oneAtATime;
  remark::passed(op->getLoc(), options)
      << remark::reason("'{0}' takes {1} cycles, bound by {2}", entry.name,
                        part.getCycles(), stringifyCostBound(part.getBound()))
      << remark::metric("compute_cycles", part.getComputeCycles())
      << remark::metric("memory_cycles", part.getMemoryCycles());
  for (const std::string &assumption : describeAssumptions(context))
    remark::analysis(op->getLoc(),
                     remark::RemarkOpts::name("rate").category("llm-tile"))
        << remark::reason("'{0}' on engine '{1}': {2}", entry.name,
                          context.engine->name, assumption);
}

/// Returns the tile that a person or another compiler gave the op, if there is
/// one. A tile without levels and without a split says nothing.
static TileAttr findTileByHand(Operation *op) {
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  bool isByHand = tile && (tile.getStrategy() == TileStrategy::Manual ||
                           tile.getStrategy() == TileStrategy::Pinned);
  bool saysNothing = tile && tile.getLevels().empty() && !tile.getSplit();
  return isByHand && !saysNothing ? tile : TileAttr();
}

/// Says whether a tile is for memories that the machine has. Warns if not.
static bool isOfMachine(TileAttr tile, const OpOnTarget &context) {
  const Target &target = *context.target;
  for (TileLevelAttr level : tile.getLevels()) {
    StringRef name = level.getMemory().getValue();
    if (name == unitLevelName || target.findMemory(name))
      continue;
    mlir::emitWarning(context.op->getLoc())
        << "'" << context.op->getName()
        << "' op has a tile by hand for memory '" << name << "', which target '" << target.name
        << "' does not have; another tile is chosen";
    return false;
  }
  return true;
}

static void emitRemark(const ProgramOp &entry, ChunkChange change) {
  RemarkLock oneAtATime;
  remark::passed(entry.op->getLoc(),
                 remark::RemarkOpts::name("chunk").category("llm-tile"))
      << remark::reason("'{0}' takes {1} tokens at once instead of {2}",
                        entry.name, change.chosen, change.given);
}

namespace {
struct LlmTilePass : ProgramPass<llm::impl::LlmTilePassBase<LlmTilePass>> {
  using ProgramPass::ProgramPass;

  ::llvm::cl::Option *getAnyOption() override { return &strategy; }

  /// What is to be cut over chips is not yet what one of them runs.
  static LogicalResult checkIsPiece(Operation *op) {
    if (!op->hasAttr(LlmDialect::shardAttrName))
      return success();
    return op->emitOpError() << "is to be cut over chips (llm.shard): run "
                                "--llm-partition before --llm-tile";
  }

  void runOnOperation() override {
    TileStrategy chosen = strategy == TilingStrategy::Search
                              ? TileStrategy::Search
                              : TileStrategy::Theoretical;
    FailureOr<Target> target = getOrWriteTarget(*this, getOperation());
    if (failed(target))
      return signalPassFailure();
    dropSchedules(getOperation());
    searched.clear();
    Prices prices(*target);
    StampTexts texts;
    if (failed(forEachProgram(getOperation(), [&](const Program &program) {
          FunctionOpInterface function = program.function();
          OpLine line(&getContext(), "tiles for", symbolOf(function),
                      program.ops().size());
          for (const ProgramOp &op : program.ops()) {
            line.enter();
            if (failed(checkIsPiece(op.op)))
              return failure();
            if (chunks == ChunkChoice::Search)
              if (auto change = chooseChunk(op.op, *target, prices))
                emitRemark(op, *change);
            if (failed(tile(op, *target, chosen, texts)))
              return failure();
          }
          return success();
        })))
      signalPassFailure();
  }

  LogicalResult tile(const ProgramOp &entry, const Target &target,
                     TileStrategy chosen, StampTexts &texts) {
    FailureOr<OpOnTarget> context = OpOnTarget::get(entry.op, target);
    if (failed(context))
      return failure();
    CostStamps stamps(*context, texts);
    FailureOr<TileAttr> tile = choose(*context, stamps, chosen);
    if (failed(tile))
      return failure();
    FailureOr<CostAttr> cost = computeCost(*context, *tile, stamps);
    if (failed(cost)) {
      // The error is that of a tile, and may be old.
      if (findTileByHand(entry.op))
        mlir::emitRemark(entry.op->getLoc())
            << "'" << entry.op->getName()
            << "' op has a tile by hand, which --llm-tile keeps; remove "
               "'llm.tile' to have one chosen";
      return failure();
    }
    context->op->setAttr(LlmDialect::tileAttrName, *tile);
    context->op->setAttr(LlmDialect::costAttrName, *cost);
    emitRemarks(entry, *context, *tile, *cost);
    return success();
  }

  FailureOr<TileAttr> choose(const OpOnTarget &context,
                             const CostStamps &stamps, TileStrategy chosen) {
    TileAttr given = findTileByHand(context.op);
    if (given && isOfMachine(given, context))
      return given;
    auto noTile = TileAttr::get(&getContext(), chosen, {}, {});
    if (chosen == TileStrategy::Theoretical) {
      std::optional<ClosedForm> form = ClosedForm::get(context);
      return form ? form->getTile(context) : noTile;
    }
    // The fingerprint without a tile is the same for ops that differ only in
    // their names.
    TileAttr &known = searched[stamps.of(noTile)];
    if (known)
      return known;
    FailureOr<TileAttr> found = searchTile(context);
    if (succeeded(found))
      known = *found;
    return found;
  }

  DenseMap<StringAttr, TileAttr> searched;
};
} // namespace
