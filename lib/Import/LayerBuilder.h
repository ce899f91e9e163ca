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

/// Returns the hidden states [tokens, hidden] after a layer.
Value buildLayer(OpsBuilder &ops, const LayerConfig &layer,
                 const ImportOptions &options, const LayerIndex &index,
                 Value hidden);

/// Builds attention residuals (Kimi K3, 2026): a weighted sum of the values at
/// the beginning of each block of layers and of the running sum. The shares are
/// the softmax of the products of their norms with one vector. `weight` returns
/// a weight by the suffix of its name behind `name`.
Value mixResiduals(
    OpsBuilder &ops, const std::string &name, Value running,
    llvm::function_ref<Value(StringRef, ArrayRef<int64_t>)> weight);

/// The inputs of all layers beside the hidden states, [tokens, layers,
/// features], of the embeddings `hidden` and of the tokens.
Value makeLayerInputs(OpsBuilder &ops, Value hidden);

/// Hyper-connections: what `build` makes of the norm of one vector of each
/// token, which the streams [tokens, streams, hidden] are read as, and the
/// streams after it. `part` begins the names of their weights.
Value buildAmongStreams(LayerOps &layer, StringRef part, StringRef norm,
                        Value streams, llvm::function_ref<Value(Value)> build);
/// Streams that all are the hidden states.
Value copyToStreams(OpsBuilder &ops, Value hidden);
/// The hidden states behind the last layer.
Value joinStreams(OpsBuilder &ops, Value streams);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_LAYERBUILDER_H
