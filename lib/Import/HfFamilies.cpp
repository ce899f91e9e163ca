//===- HfFamilies.cpp - What families of models differ in -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfFamilies.h"
#include "HfReaders.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::llm {

static constexpr llvm::StringLiteral silu = "silu", gelu = "gelu_pytorch_tanh";

static constexpr HfFamily families[] = {
    {"deepseek_v2", silu, 1e4, 1e-6, readDeepseekV2},
    {"deepseek_v3", silu, 1e4, 1e-6, readDeepseekV3},
    {"gemma2", gelu, 1e4, 1e-6, readGemma2},
    {"gemma3_text", gelu, 1e6, 1e-6, readGemma3},
    {"gpt_oss", silu, 150000, 1e-5, readGptOss},
    {"kimi_k2", silu, 1e4, 1e-6, readDeepseekV3},
    {"llama", silu, 1e4, 1e-6, readLlama},
    {"llama4_text", silu, 500000, 1e-5, readLlama4},
    {"mistral", silu, 1e4, 1e-6, readMistral},
    {"mixtral", silu, 1e6, 1e-5, readMixtral},
    {"phi3", silu, 1e4, 1e-5, readPhi3},
    {"qwen2", silu, 1e4, 1e-6, readQwen2},
    {"qwen3", silu, 1e4, 1e-6, readQwen3},
    {"qwen3_moe", silu, 1e4, 1e-6, readQwen3Moe}};

const HfFamily *findHfFamily(const LocatedJson &config) {
  FailureOr<const LocatedJson *> field = config.require("model_type");
  if (failed(field))
    return nullptr;
  FailureOr<std::string> modelType = (*field)->asString();
  if (failed(modelType))
    return nullptr;
  for (const HfFamily &family : families)
    if (family.modelType == *modelType)
      return &family;
  InFlightDiagnostic diagnostic = (*field)->emitError();
  diagnostic << "'model_type' " << (*field)->describe()
             << " is not supported; supported: ";
  llvm::interleaveComma(families, diagnostic, [&](const HfFamily &family) {
    diagnostic << family.modelType;
  });
  return nullptr;
}

} // namespace mlir::llm
