//===- HfQuantization.h - quantization_config -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_HFQUANTIZATION_H
#define LLM_LIB_IMPORT_HFQUANTIZATION_H

#include "llm/Files/LocatedJson.h"
#include "llm/Import/ModelConfig.h"

namespace mlir::llm {

/// Sets the formats of a model, and the modules in its layers that are not
/// quantized, from a `quantization_config`. Its method is `absentMethod` if it
/// does not give one. Errors are located at its fields.
LogicalResult readHfQuantization(const LocatedJson &config, ModelConfig &model,
                                 StringRef absentMethod = "");

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_HFQUANTIZATION_H
