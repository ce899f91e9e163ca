//===- ClosedFormModel.h - Times of the closed form -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_CLOSEDFORMMODEL_H
#define LLM_LIB_COST_CLOSEDFORMMODEL_H

#include "llm/Cost/CostModel.h"

namespace mlir::llm {

/// The cost model of theoretical tiles: the closed form of cost sheets, on any
/// engine.
class ClosedFormModel : public CostModel {
public:
  explicit ClosedFormModel(const OpOnTarget &context) : CostModel(context) {}
  FailureOr<Movement> move(TileAttr tile) const override;
  FailureOr<Cycles> timeOf(TileAttr tile,
                           const Traffic &traffic) const override;
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_CLOSEDFORMMODEL_H
