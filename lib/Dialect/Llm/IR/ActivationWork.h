//===- ActivationWork.h - What nonlinearities cost --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_DIALECT_LLM_IR_ACTIVATIONWORK_H
#define LLM_LIB_DIALECT_LLM_IR_ACTIVATIONWORK_H

#include "llm/Dialect/Llm/IR/Llm.h"

namespace mlir::llm {

/// The work for one element.
SmallVector<std::pair<WorkKind, int64_t>, 4> workOf(ActivationKind kind);

/// Adds work to a stage, at each of its points.
inline void addWork(Stage &stage, WorkKind kind, int64_t perPoint) {
  for (auto &[known, count] : stage.workPerPoint)
    if (known == kind) {
      count += perPoint;
      return;
    }
  stage.workPerPoint.push_back({kind, perPoint});
}

} // namespace mlir::llm

#endif // LLM_LIB_DIALECT_LLM_IR_ACTIVATIONWORK_H
