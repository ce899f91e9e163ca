//===- LinkModel.h - Times of collectives -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_LINKMODEL_H
#define LLM_LIB_COST_LINKMODEL_H

#include "llm/Cost/CostModel.h"
#include "llm/Cost/Kernels/CollectiveModel.h"

namespace mlir::llm {

/// The cost model of collectives, on the engine of a link: the bytes that a
/// chip sends, and what it reads and writes in its own memory, each once. The
/// time is that of `timeCollective`.
class LinkModel : public CostModel {
public:
  explicit LinkModel(const OpOnTarget &context) : CostModel(context) {}
  FailureOr<Movement> move(TileAttr tile) const override;
  FailureOr<Cycles> timeOf(TileAttr tile,
                           const Traffic &traffic) const override;

private:
  /// From the first chip's start to the end.
  CollectiveTime timeWhole() const;
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_LINKMODEL_H
