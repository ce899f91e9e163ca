//===- AlignTiles.cpp - A pass between llm-tile and llm-schedule ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ssm.h"
#include "llm/Dialect/Llm/IR/Llm.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// Cuts the channels of scans that arithmetic bounds into whole vectors.
struct AlignTilesPass : PassWrapper<AlignTilesPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AlignTilesPass)

  AlignTilesPass() = default;
  AlignTilesPass(const AlignTilesPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "ssm-align-tiles"; }
  StringRef getDescription() const override {
    return "Cut the channels of scans into whole vectors";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LlmDialect>();
  }

  void runOnOperation() override {
    getOperation()->walk([&](ssm::ScanOp op) {
      auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
      auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
      if (!tile || tile.getLevels().size() != 1 || !cost ||
          cost.getParts().front().getBound() != CostBound::Compute)
        return;
      TileLevelAttr level = tile.getLevels().front();
      int64_t channels = getAmount(level.getSizes(), "d");
      if (channels <= vector || channels % vector == 0)
        return;
      Builder builder(op);
      NamedAttrList sizes(level.getSizes());
      sizes.set("d", builder.getI64IntegerAttr(channels - channels % vector));
      auto aligned = TileLevelAttr::get(
          &getContext(), level.getMemory(), sizes.getDictionary(&getContext()),
          level.getOrder(), level.getBuffers(), level.getResident());
      op->setAttr(LlmDialect::tileAttrName,
                  TileAttr::get(&getContext(), TileStrategy::Manual, aligned,
                                tile.getSplit()));
    });
  }

  Option<unsigned> vector{*this, "vector", llvm::cl::init(32),
                          llvm::cl::desc("Channels of a vector")};
};
} // namespace

void ssm::registerPasses() { PassRegistration<AlignTilesPass>(); }
