//===- WeightNames.h - Names and shapes of weights --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_IMPORT_WEIGHTNAMES_H
#define LLM_IMPORT_WEIGHTNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

namespace mlir::llm {

/// Splits "model.layers.7.self_attn.q_proj.weight" into layer 7 and the rest.
/// Returns nothing for a weight outside of the layers.
inline std::optional<std::pair<size_t, llvm::StringRef>>
splitLayerName(llvm::StringRef name) {
  size_t layer;
  if (!name.consume_front("model.layers.") || name.consumeInteger(10, layer) ||
      !name.consume_front("."))
    return std::nullopt;
  return std::pair(layer, name);
}

/// Returns Nemotron-H's name of a part of the model (`inner`, without
/// "model.").
inline std::string nameInBackbone(llvm::StringRef inner) {
  if (inner.consume_front("embed_tokens"))
    return "backbone.embeddings" + inner.str();
  if (inner.consume_front("norm."))
    return "backbone.norm_f." + inner.str();
  return "backbone." + inner.str();
}

/// Returns Mixtral's name of a linear layer of an expert.
inline llvm::StringRef mixtralName(llvm::StringRef linear) {
  return linear == "gate_proj" ? "w1" : linear == "up_proj" ? "w3" : "w2";
}

/// Returns the name of a part of the model (`inner`, without "model.") in
/// DeepSeek's own checkpoint of V4.
inline std::string nameInDeepseekV4(llvm::StringRef inner) {
  if (inner.consume_front("embed_tokens"))
    return "embed" + inner.str();
  if (inner.consume_front("lm_head"))
    return "head" + inner.str();
  auto [path, linear] = inner.split(".shared_experts.");
  auto [module, suffix] = linear.split('.');
  if (linear.empty())
    return inner.str();
  return (path + ".shared_experts." + mixtralName(module) + "." + suffix).str();
}

/// Returns the name of a weight or a module ("model.layers.7.mlp"), and its
/// names in checkpoints where the text model is part of a larger one, or where
/// all parts but the head have another prefix.
inline std::array<std::string, 5> namesInLargerModels(llvm::StringRef name) {
  llvm::StringRef inner = name;
  inner.consume_front("model.");
  return {name.str(), "language_model." + name.str(),
          "model.language_model." + inner.str(), nameInBackbone(inner),
          nameInDeepseekV4(inner)};
}

/// Returns the shape as text: "[2048, 512]".
inline std::string describeShape(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

} // namespace mlir::llm

#endif // LLM_IMPORT_WEIGHTNAMES_H
