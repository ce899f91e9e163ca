//===- LinearWeights.h - Linear layers of a decoder layer -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_LINEARWEIGHTS_H
#define LLM_LIB_IMPORT_LINEARWEIGHTS_H

#include "llm/Import/ModelConfig.h"

namespace mlir::llm {

/// Lists the weights that a quantized model may have quantized: those of linear
/// layers and of experts. Names are those in the layer, such as
/// "self_attn.q_proj.weight" and "mlp.experts.gate_proj.weight" (that of all
/// experts). Routers are never quantized.
std::vector<std::string> linearWeightsOf(const LayerConfig &layer);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_LINEARWEIGHTS_H
