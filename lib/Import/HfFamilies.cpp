//===- HfFamilies.cpp - What families of models differ in -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HfFamilies.h"
#include "HfReaders.h"
#include "llm/Diagnostics/Spelling.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm {

static constexpr llvm::StringLiteral silu = "silu", gelu = "gelu_pytorch_tanh";

static constexpr HfFamily families[] = {
    {"deepseek_v2", silu, 1e4, 1e-6, readDeepseekV2},
    {"deepseek_v3", silu, 1e4, 1e-6, readDeepseekV3},
    {"deepseek_v32", silu, 1e4, 1e-6, readDeepseekV32},
    {"deepseek_v4", silu, 1e4, 1e-6, readDeepseekV4, HasOwnWidths},
    {"gemma2", gelu, 1e4, 1e-6, readGemma2},
    {"gemma3_text", gelu, 1e6, 1e-6, readGemma3},
    {"gemma4_text", gelu, 1e4, 1e-6, readGemma4, HasOwnRopes},
    {"glm_moe_dsa", silu, 1e4, 1e-5, readGlmMoeDsa},
    {"gpt_oss", silu, 150000, 1e-5, readGptOss},
    {"kimi_k2", silu, 1e4, 1e-6, readDeepseekV3},
    {"kimi_linear", "", 1e4, 1e-5, readKimiLinear},
    {"llama", silu, 1e4, 1e-6, readLlama},
    {"llama4_text", silu, 500000, 1e-5, readLlama4},
    {"mimo", silu, 1e4, 1e-6, readQwen2},
    {"mimo_v2_flash", silu, 5e6, 1e-5, readMimoV2, RotatesPart},
    {"minimax_m2", silu, 5e6, 1e-6, readMinimaxM2, RotatesPart},
    {"minimax_m3", "swigluoai", 5e6, 1e-6, readMinimaxM3, RotatesPart},
    {"minimax_m3_vl_text", silu, 5e6, 1e-6, readMinimaxM3, RotatesPart},
    {"mistral", silu, 1e4, 1e-6, readMistral},
    {"mixtral", silu, 1e6, 1e-5, readMixtral},
    {"nemotron_h", silu, 1e4, 1e-5, readNemotronH, RotatesPart | HasOwnWidths,
     countNemotronLayers},
    {"nemotron-nas", silu, 1e4, 1e-6, readNemotronNas, HasOwnWidths},
    {"phi3", silu, 1e4, 1e-5, readPhi3, RotatesPart},
    {"qwen2", silu, 1e4, 1e-6, readQwen2},
    {"qwen3", silu, 1e4, 1e-6, readQwen3},
    {"qwen3_5_moe_text", silu, 1e7, 1e-6, readQwen35,
     RotatesPart | HasOwnWidths},
    {"qwen3_5_text", silu, 1e7, 1e-6, readQwen35, RotatesPart | HasOwnWidths},
    {"qwen3_moe", silu, 1e4, 1e-6, readQwen3Moe},
    {"qwen3_next", silu, 1e4, 1e-6, readQwen3Next, RotatesPart | HasOwnWidths},
    {"qwen3_vl_moe_text", silu, 1e4, 1e-6, readQwen3Moe},
    {"qwen3_vl_text", silu, 1e4, 1e-6, readQwen3}};

const HfFamily *findHfFamily(const LocatedJson &config) {
  const LocatedJson *field = config.find("model_type");
  if (!field) {
    config.emitError() << "'model_type' is missing: a config.json of Hugging "
                          "Face names the family of the model there";
    return nullptr;
  }
  FailureOr<std::string> modelType = field->asString();
  if (failed(modelType))
    return nullptr;
  for (const HfFamily &family : families)
    if (family.modelType == *modelType)
      return &family;
  SmallVector<StringRef> known;
  for (const HfFamily &family : families)
    known.push_back(family.modelType);
  field->emitError() << "'model_type' " << field->describe()
                     << " is not supported" << didYouMean(*modelType, known)
                     << " (supported: " << llvm::join(known, ", ") << ")";
  return nullptr;
}

} // namespace mlir::llm
