//===- ExternalModels.h - One registration per dialect ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_WORKLOAD_EXTERNALMODELS_H
#define LLM_LIB_WORKLOAD_EXTERNALMODELS_H

#include "llm/Workload/Workload.h"

namespace mlir::llm {

/// An upstream op that takes no time.
template <typename Op>
struct TransparentModel
    : TransparentOpInterface::ExternalModel<TransparentModel<Op>, Op> {};

void registerTensorModels(DialectRegistry &registry);
void registerLinalgModels(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_LIB_WORKLOAD_EXTERNALMODELS_H
