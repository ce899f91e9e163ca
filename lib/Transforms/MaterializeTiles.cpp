//===- MaterializeTiles.cpp - Make loops of tiles and parts ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLoops.h"
#include "llm/Diagnostics/RemarkLock.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Planning/Split.h"
#include "llm/Program/Program.h"
#include "llm/Transforms/Passes.h"
#include "llm/Workload/ExternalModels.h"
#include "llm/Workload/Slices.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mlir::llm {
#define GEN_PASS_DEF_LLMMATERIALIZETILESPASS
#include "llm/Transforms/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

/// Checks that each part has one slot (S1).
static LogicalResult checkSlots(Operation *op, int64_t parts) {
  auto slots = op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
  if (!slots || slots.areOfParts(parts))
    return success();
  return op->emitOpError() << "has slots that are not those of its " << parts
                           << " parts, one for each; run --llm-schedule again";
}

static void remarkWhole(Operation *op, const Twine &what, StringRef why) {
  RemarkLock oneAtATime;
  remark::missed(
      op->getLoc(),
      remark::RemarkOpts::name("materialize").category("llm-materialize-tiles"))
      << remark::reason("{0}: {1}", what.str(), why.str());
}

namespace {
/// Decides which loops become `scf` loops, and makes them.
class OpMaterializer {
public:
  OpMaterializer(const ProgramOp &entry, TileAttr tile, Workload workload)
      : op(entry.op), name(entry.name), tile(tile),
        workload(std::move(workload)) {}

  LogicalResult run();

private:
  LogicalResult readParts();
  LogicalResult readTiles();
  /// Returns why a loop of `whole` cannot be cut into boxes of these sizes;
  /// empty if it can.
  std::string explainUncut(const Workload &whole, unsigned loop,
                           ArrayRef<int64_t> sizes);
  /// Returns why the op must stay as it is; empty if it can become loops.
  std::string explainWhole();
  /// Drops the loops over tiles along which the op cannot be cut.
  void dropUncut();
  LogicalResult replace();

  WorkloadOpInterface op;
  std::string name;
  TileAttr tile;
  Workload workload;
  TileLoopPlan plan;
  bool joinsParts = false; ///< of a reduction
};
} // namespace

LogicalResult OpMaterializer::readParts() {
  OpOnTarget context{op, workload};
  FailureOr<Split> split = Split::get(context, tile.getSplit());
  if (failed(split) || failed(checkSlots(op, split->partCount())))
    return failure();
  joinsParts = split->lastCombines();
  // The first part is at least as large as all others.
  for (Interval interval : split->boxOf(0))
    plan.partSizes.push_back(interval.size());
  for (const Loop &loop : workload.loops)
    plan.extents.push_back(loop.extent);
  return success();
}

LogicalResult OpMaterializer::readTiles() {
  plan.tileSizes = plan.partSizes;
  if (tile.getLevels().empty())
    return success();
  TileLevelAttr outermost = tile.getLevels().front();
  FailureOr<Tiling> tiling = readTiling({op, workload}, outermost);
  if (failed(tiling))
    return failure();
  for (auto [size, clipped] : llvm::zip_equal(tiling->sizes, plan.tileSizes))
    clipped = std::min(size, clipped);
  for (unsigned loop : tiling->order)
    if (plan.tileSizes[loop] < plan.partSizes[loop])
      plan.order.push_back(loop);
  return success();
}

std::string OpMaterializer::explainUncut(const Workload &whole, unsigned loop,
                                         ArrayRef<int64_t> sizes) {
  if (auto sliceable = dyn_cast<SliceableOpInterface>(op.getOperation()))
    return llm::explainUncut(sliceable, whole, loop, sizes);
  bool isSum = workload.loops[loop].kind == utils::IteratorType::reduction;
  if (isSum && !isa<DestinationStyleOpInterface>(op.getOperation()))
    return "parts of the reduction '" + workload.loops[loop].name +
           "' are not added up";
  return {};
}

std::string OpMaterializer::explainWhole() {
  auto tiling = dyn_cast<TilingInterface>(op.getOperation());
  if (!tiling)
    return "it has no TilingInterface, which would say what it is on slices";
  SmallVector<utils::IteratorType> kinds = tiling.getLoopIteratorTypes();
  if (kinds.size() != workload.loops.size() ||
      !llvm::equal(kinds, llvm::map_range(workload.loops, [](const Loop &loop) {
                     return loop.kind;
                   })))
    return "its TilingInterface has other loops than its workload";
  if (joinsParts)
    return "its parts are joined by one more, which no loop over them has";
  for (auto [loop, size] : llvm::enumerate(plan.partSizes))
    if (size < plan.extents[loop])
      if (std::string why = explainUncut(workload, loop, plan.partSizes);
          !why.empty())
        return why;
  return {};
}

void OpMaterializer::dropUncut() {
  // Tiles cut a part: 6 of 12 heads have no tiles of 4 each.
  Workload part = workload;
  for (auto [loop, size] : llvm::zip_equal(part.loops, plan.partSizes))
    loop.extent = size;
  // A loop that becomes whole may make slices along another one impossible, so
  // this repeats.
  for (bool isStable = false; !isStable;) {
    isStable = true;
    for (unsigned loop : llvm::to_vector(plan.order)) {
      std::string why = explainUncut(part, loop, plan.tileSizes);
      if (why.empty())
        continue;
      remarkWhole(op,
                  "'" + name + "' has no loop over tiles of '" +
                      workload.loops[loop].name + "'",
                  why);
      plan.tileSizes[loop] = plan.partSizes[loop];
      llvm::erase(plan.order, loop);
      isStable = false;
    }
  }
}

LogicalResult OpMaterializer::replace() {
  IRRewriter rewriter(op->getContext());
  FailureOr<TileLoops> loops =
      buildTileLoops(rewriter, cast<TilingInterface>(op.getOperation()), plan);
  if (failed(loops))
    return op->emitOpError() << "could not be made loops by its "
                                "TilingInterface";
  for (StringRef attribute :
       {LlmDialect::tileAttrName, LlmDialect::costAttrName,
        LlmDialect::slotsAttrName})
    if (Attribute value = op->getAttr(attribute))
      loops->outermost->setAttr(attribute, value);
  rewriter.replaceOp(op, loops->results);
  return success();
}

LogicalResult OpMaterializer::run() {
  if (failed(readParts()) || failed(readTiles()))
    return failure();
  if (!plan.hasParts() && plan.order.empty())
    return success();
  if (std::string why = explainWhole(); !why.empty()) {
    remarkWhole(op, "'" + name + "' stays whole", why);
    return success();
  }
  dropUncut();
  if (!plan.hasParts() && plan.order.empty())
    return success();
  return replace();
}

namespace {
struct LlmMaterializeTilesPass
    : WorkloadPass<
          llm::impl::LlmMaterializeTilesPassBase<LlmMaterializeTilesPass>> {
  void getDependentDialects(DialectRegistry &registry) const override {
    WorkloadPass::getDependentDialects(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
    tensor::registerTilingInterfaceExternalModels(registry);
  }

  /// Whether some op of the module has become loops.
  static bool isMaterialized(ModuleOp module) {
    return module
        .walk([](LoopLikeOpInterface loop) {
          return loop->hasAttr(LlmDialect::tileAttrName)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void runOnOperation() override {
    if (isMaterialized(getOperation()))
      return;
    if (failed(forEachProgram(getOperation(), [](const Program &program) {
          for (const ProgramOp &entry : program.ops())
            if (failed(materialize(entry)))
              return failure();
          return success();
        })))
      signalPassFailure();
  }

  static LogicalResult materialize(const ProgramOp &entry) {
    Operation *op = entry.op;
    auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
    if (!tile)
      return op->emitOpError() << "has no tile; run --llm-tile first";
    WorkloadOpInterface works = entry.op;
    FailureOr<Workload> workload =
        works.getWorkload([&] { return op->emitOpError(); });
    if (failed(workload))
      return failure();
    return OpMaterializer(entry, tile, std::move(*workload)).run();
  }
};
} // namespace
