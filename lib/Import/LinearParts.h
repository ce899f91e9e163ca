//===- LinearParts.h - The linear layers of a decoder layer -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_LINEARPARTS_H
#define LLM_LIB_IMPORT_LINEARPARTS_H

#include "llm/Import/ModelConfig.h"

namespace mlir::llm {

/// The linear layers that a quantized model may have quantized, by their names
/// in the layer, such as "self_attn.q_proj" and "mlp.experts.gate_proj" (that
/// of all experts). Routers are never quantized.
std::vector<std::string> linearPartsOf(const LayerConfig &layer);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_LINEARPARTS_H
