//===- KernelsModel.h - Units that share an op as tiles ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_COST_KERNELSMODEL_H
#define LLM_LIB_COST_KERNELSMODEL_H

#include "TilesModel.h"

namespace mlir::llm {

/// The cost model `cost_model = "kernels"`. An op that belongs to no class of
/// kernels costs what it does in tiles.
class KernelsModel : public TilesModel {
public:
  explicit KernelsModel(const OpOnTarget &context);
  FailureOr<Movement> move(TileAttr tile) const override;
  FailureOr<Cycles> timeOf(TileAttr tile,
                           const Traffic &traffic) const override;
  FailureOr<Cycles> timeInKernel(const Traffic &traffic) const override;

private:
  KernelBytes bytesOf(const Traffic &traffic) const;
  FailureOr<Cycles> shareAsTiles(const UnitTile &tile,
                                 const Traffic &traffic) const;

  std::unique_ptr<UnitKernel> kernel; ///< null if the op is of no class
  UnitMachine machine;                ///< as the kernel sees it
};

} // namespace mlir::llm

#endif // LLM_LIB_COST_KERNELSMODEL_H
