//===- UnequalOps.h - Ops that chips cannot share equally -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SHARDING_UNEQUALOPS_H
#define LLM_LIB_SHARDING_UNEQUALOPS_H

#include "LoopCuts.h"

namespace mlir::llm {

/// Collects the ops of which chips have copies because their sizes do not let
/// them share the weight, and why.
class UnequalOps {
public:
  explicit UnequalOps(GridAttr grid) : grid(grid) {}

  /// Notes why an op is not cut along a loop over these axes, if its pieces are
  /// not equal. (If a later op needs all of a row, it is meant to be whole.) Of
  /// an op, the first reason stays.
  void note(Operation *op, const Workload &workload, unsigned loop,
            const Axes &axes);
  /// Forgets the reason, because the op is cut in another way.
  void forget(Operation *op);
  /// Emits one warning, at the op with the largest weight, with the number of
  /// the others, if their weights are a tenth of all that ops of the function
  /// read.
  void warn(FunctionOpInterface function) const;

private:
  struct UnequalOp {
    Operation *op;
    std::string why;
  };

  GridAttr grid;
  SmallVector<UnequalOp> ops;
};

} // namespace mlir::llm

#endif // LLM_LIB_SHARDING_UNEQUALOPS_H
