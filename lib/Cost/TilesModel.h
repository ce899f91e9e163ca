//===- TilesModel.h - Work that spreads over units evenly -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_TILESMODEL_H
#define LLM_LIB_COST_TILESMODEL_H

#include "llm/Cost/CostModel.h"

namespace mlir::llm {

/// The cost model `cost_model = "tiles"`: operands pass through tiles of the
/// private memory, and the cycles in which array granules are partly empty are
/// lost.
class TilesModel : public CostModel {
public:
  explicit TilesModel(const OpOnTarget &context) : CostModel(context) {}
  FailureOr<Movement> move(TileAttr tile) const override {
    return moveTiled(context, tile, /*hasUnits=*/false);
  }
  FailureOr<Cycles> timeOf(TileAttr tile,
                           const Traffic &traffic) const override;
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_TILESMODEL_H
