//===- ExternalModels.h - Workloads of upstream ops -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of linalg on tensors, as frontends such as torch-mlir emit them, have
// workloads by the same interface as our own ops. docs/linalg.md says what is
// counted.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_EXTERNALMODELS_H
#define LLM_WORKLOAD_EXTERNALMODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::llm {

/// Attaches these interfaces as soon as the dialects are loaded: -
/// WorkloadOpInterface to all structured linalg ops but `linalg.fill`, to
/// `tensor.insert_slice` and to `tensor.pad`; - TransparentOpInterface to the
/// ops that only name, reshape, slice, join or repeat one value (constants,
/// tensor views, `linalg.fill`), and to `cf.assert`.
void registerExternalModels(DialectRegistry &registry);

/// The base of a pass that asks ops for their workloads. It registers the
/// models, also in a tool that has not done so.
template <typename PassBase>
struct WorkloadPass : PassBase {
  using PassBase::PassBase;
  void getDependentDialects(DialectRegistry &registry) const override {
    PassBase::getDependentDialects(registry);
    registerExternalModels(registry);
  }
};

} // namespace mlir::llm

#endif // LLM_WORKLOAD_EXTERNALMODELS_H
