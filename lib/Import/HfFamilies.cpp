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
    {"bamba", silu, 1e4, 1e-5, readBamba, RotatesPart},
    {"cohere2", silu, 1e4, 1e-5, readCohere2},
    {"deepseek_ref", silu, 1e4, 1e-6, readDeepseekV4, HasOwnWidths},
    {"deepseek_v2", silu, 1e4, 1e-6, readDeepseekV2},
    {"deepseek_v3", silu, 1e4, 1e-6, readDeepseekV3, 0, nullptr,
     readDeepseekFurther},
    {"deepseek_v32", silu, 1e4, 1e-6, readDeepseekV32, 0, nullptr,
     readDeepseekFurther},
    {"deepseek_v4", silu, 1e4, 1e-6, readDeepseekV4, HasOwnWidths},
    {"ernie4_5", silu, 500000, 1e-5, readErnie45},
    {"ernie4_5_moe", silu, 500000, 1e-5, readErnie45Moe},
    {"exaone4", silu, 1e4, 1e-5, readExaone4},
    {"falcon_h1", silu, 1e4, 1e-5, readFalconH1},
    {"gemma2", gelu, 1e4, 1e-6, readGemma2},
    {"gemma3_text", gelu, 1e6, 1e-6, readGemma3},
    {"gemma4_text", gelu, 1e4, 1e-6, readGemma4, HasOwnRopes},
    {"glm4_moe", silu, 1e4, 1e-5, readGlm4Moe, RotatesPart, nullptr,
     readDeepseekFurther},
    {"glm_moe_dsa", silu, 1e4, 1e-5, readGlmMoeDsa, 0, nullptr,
     readDeepseekFurther},
    {"gpt_oss", silu, 150000, 1e-5, readGptOss},
    {"granitemoehybrid", silu, 1e4, 1e-6, readGraniteHybrid},
    {"hunyuan_v1_dense", silu, 1e4, 1e-5, readHunyuanDense, HasOwnRopes},
    {"kimi_k2", silu, 1e4, 1e-6, readDeepseekV3, 0, nullptr,
     readDeepseekFurther},
    {"kimi_linear", "", 1e4, 1e-5, readKimiLinear},
    {"lfm2", silu, 1e6, 1e-5, readLfm2, HasOwnWidths},
    {"lfm2_moe", silu, 1e6, 1e-5, readLfm2Moe, HasOwnWidths},
    {"llama", silu, 1e4, 1e-6, readLlama},
    {"llama4_text", silu, 500000, 1e-5, readLlama4},
    {"mamba2", silu, 1e4, 1e-5, readMamba2Model,
     HasOwnWidths | HasOwnRopes | HasNoHeads},
    {"mimo", silu, 1e4, 1e-6, readQwen2, 0, nullptr, readMimoFurther},
    {"mimo_v2_flash", silu, 5e6, 1e-5, readMimoV2, RotatesPart},
    {"minimax_m2", silu, 5e6, 1e-6, readMinimaxM2, RotatesPart},
    {"minimax_m3", "swigluoai", 5e6, 1e-6, readMinimaxM3, RotatesPart},
    {"minimax_m3_vl_text", silu, 5e6, 1e-6, readMinimaxM3, RotatesPart},
    {"mistral", silu, 1e4, 1e-6, readMistral},
    {"mixtral", silu, 1e6, 1e-5, readMixtral},
    {"nemotron_h", silu, 1e4, 1e-5, readNemotronH, RotatesPart | HasOwnWidths,
     countNemotronLayers, readNemotronFurther},
    {"nemotron-nas", silu, 1e4, 1e-6, readNemotronNas, HasOwnWidths},
    {"olmo2", silu, 1e4, 1e-5, readOlmo2},
    {"olmo3", silu, 500000, 1e-5, readOlmo3, HasOwnRopes},
    {"phi3", silu, 1e4, 1e-5, readPhi3, RotatesPart},
    {"qwen2", silu, 1e4, 1e-6, readQwen2},
    {"qwen3", silu, 1e4, 1e-6, readQwen3},
    {"qwen3_5_moe_text", silu, 1e7, 1e-6, readQwen35,
     RotatesPart | HasOwnWidths, nullptr, readQwenFurther},
    {"qwen3_5_text", silu, 1e7, 1e-6, readQwen35, RotatesPart | HasOwnWidths,
     nullptr, readQwenFurther},
    {"qwen3_moe", silu, 1e4, 1e-6, readQwen3Moe},
    {"qwen3_next", silu, 1e4, 1e-6, readQwen3Next, RotatesPart | HasOwnWidths,
     nullptr, readQwenFurther},
    {"qwen3_vl_moe_text", silu, 1e4, 1e-6, readQwen3Moe},
    {"qwen3_vl_text", silu, 1e4, 1e-6, readQwen3},
    {"seed_oss", silu, 1e4, 1e-6, readSeedOss},
    {"smollm3", silu, 2e6, 1e-6, readSmolLm3},
    {"step3p5", silu, 1e4, 1e-5, readStep35, HasOwnRopes}};

/// Families that are known, and why they are not read.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
    refusals[] = {
        {"gemma3n_text", "no op computes its several residual streams "
                         "('altup_num_inputs')"},
        {"jamba", "no op computes layers of Mamba-1, whose decays differ "
                  "from channel to channel ('mamba_dt_rank')"},
        {"mamba", "no op computes layers of Mamba-1, whose decays differ "
                  "from channel to channel ('time_step_rank')"},
        {"minimax", "lightning attention ('attn_type_list') has no reader, as "
                    "no config was at hand"},
        {"rwkv7", "no op computes its layers ('decay_low_rank_dim')"}};

const HfFamily *findHfFamily(const LocatedJson &config) {
  const LocatedJson *field = config.find("model_type");
  if (!field) {
    config.emitError() << "'model_type' is missing: a config.json of Hugging "
                          "Face names the family of the model there"
                       << (config.find("makespan_us")
                               ? "; this is a report of --llm-export-report"
                           : config.find("engines") ? "; this is a target"
                                                    : "");
    return nullptr;
  }
  FailureOr<std::string> modelType = field->asString();
  if (failed(modelType))
    return nullptr;
  for (const HfFamily &family : families)
    if (family.modelType == *modelType)
      return &family;
  for (auto [refused, reason] : refusals)
    if (refused == *modelType) {
      field->emitError() << "'model_type' " << field->describe()
                         << " is not supported: " << reason;
      return nullptr;
    }
  SmallVector<StringRef> known;
  for (const HfFamily &family : families)
    known.push_back(family.modelType);
  field->emitError() << "'model_type' " << field->describe()
                     << " is not supported" << didYouMean(*modelType, known)
                     << " (supported: " << llvm::join(known, ", ") << ")";
  return nullptr;
}

} // namespace mlir::llm
