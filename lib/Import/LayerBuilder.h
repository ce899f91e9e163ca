//===- LayerBuilder.h - The ops of one decoder layer ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_LAYERBUILDER_H
#define LLM_LIB_IMPORT_LAYERBUILDER_H

#include "LayerOps.h"

namespace mlir::llm {

/// The hidden states [tokens, hidden] after a layer.
Value buildLayer(OpsBuilder &ops, const LayerConfig &layer,
                 const ImportOptions &options, const LayerIndex &index,
                 Value hidden);

/// Attention residuals (Kimi K3, 2026): the sum of what began each block of
/// layers and of the running sum, with shares that a softmax makes of their
/// normed products with one vector. `weight` gives the weights by what stands
/// behind `name` in theirs.
Value mixResiduals(
    OpsBuilder &ops, const std::string &name, Value running,
    llvm::function_ref<Value(StringRef, ArrayRef<int64_t>)> weight);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_LAYERBUILDER_H
