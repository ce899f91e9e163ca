//===- GgufConfig.cpp - What a config.json would say, by GGUF -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgufConfig.h"
#include "llm/Import/HfConfig.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace mlir::llm {

std::string GgufConfig::spell(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", number);
  return text;
}

GgufConfig::GgufConfig(const GgufFields &fields, StringRef modelType)
    : GgufFields(fields) {
  // A file without experts may have the number 0, and keys may be lists.
  layers = divisor("block_count") - largest("nextn_predict_layers");
  if (layers < 1 || layers > ModelConfig::maxLayers) {
    reject("block_count", "must leave 1 to " + Twine(ModelConfig::maxLayers) +
                              " layers, got " + Twine(layers));
    layers = 1;
  }
  put("model_type", "\"" + modelType + "\"");
  put("torch_dtype", "\"float16\"");
  put("num_hidden_layers", Twine(layers), "block_count");
  putSize("hidden_size", "embedding_length");
  put("tie_word_embeddings", hasTensor("output.weight") ? "false" : "true");
  const GgufTensor *embedding = header.findTensor("token_embd.weight");
  if (embedding && embedding->shape.size() == 2)
    put("vocab_size", Twine(embedding->shape.front()));
  else if (!anyWrong)
    reject("embedding_length",
           "needs a tensor 'token_embd.weight' of two dimensions beside it");
}

void GgufConfig::put(StringRef field, const Twine &json, StringRef key) {
  written.push_back({field.str(), json.str(), key.empty() ? "" : keyOf(key)});
}

void GgufConfig::reject(StringRef key, const Twine &why) {
  if (!anyWrong)
    refuse(keyOf(key)) << why;
  anyWrong = true;
}

/// A number or a list of them; empty if the key is absent.
static FailureOr<std::vector<int64_t>> findEntries(const GgufHeader &header,
                                                   StringRef key) {
  if (header.isArray(key)) {
    auto list = header.findWholeNumbers(key);
    if (failed(list))
      return failure();
    return **list;
  }
  auto number = header.findWholeNumber(key);
  if (failed(number))
    return failure();
  std::vector<int64_t> entries;
  if (*number)
    entries.push_back(**number);
  return entries;
}

int64_t GgufConfig::largest(StringRef key) {
  if (!has(key))
    return 0;
  auto entries = findEntries(header, keyOf(key));
  if (failed(entries)) {
    anyWrong = true;
    return 0;
  }
  int64_t most = 0;
  // Sums and products of two sizes are not checked, and must not overflow.
  for (int64_t entry : *entries) {
    if (entry < 0 || entry > int64_t(1) << 31)
      reject(key, "must be in [0, 2^31], got " + Twine(entry));
    most = std::max(most, entry);
  }
  return most;
}

int64_t GgufConfig::divisor(StringRef key) {
  int64_t number = largest(key);
  if (number > 0)
    return number;
  reject(key, has(key) ? "must be positive" : "is missing");
  return 1;
}

std::vector<int64_t> GgufConfig::ofLayers(StringRef key) {
  if (!has(key) || failed(findEntries(header, keyOf(key))))
    return std::vector<int64_t>(layers);
  std::vector<int64_t> entries = *findEntries(header, keyOf(key));
  if (!header.isArray(keyOf(key)))
    return std::vector<int64_t>(layers, entries.front());
  // Modules that predict further tokens stand behind.
  if (static_cast<int64_t>(entries.size()) < layers)
    reject(key, "must have an entry for each of " + Twine(layers) +
                    " layers, got " + Twine(entries.size()));
  entries.resize(layers);
  return entries;
}

void GgufConfig::putSize(StringRef field, StringRef key) {
  if (has(key))
    put(field, Twine(largest(key)), key);
}

void GgufConfig::putShare(StringRef field, StringRef key, StringRef whole) {
  if (has(key))
    put(field,
        spell(static_cast<double>(largest(key)) /
              static_cast<double>(divisor(whole))),
        key);
}

void GgufConfig::putNumber(StringRef field, StringRef key) {
  auto number = header.findNumber(keyOf(key));
  if (failed(number))
    anyWrong = true;
  else if (*number)
    put(field, spell(**number), key);
}

void GgufConfig::putBoolean(StringRef field, StringRef key) {
  auto value = header.findBoolean(keyOf(key));
  if (failed(value))
    anyWrong = true;
  else if (*value)
    put(field, **value ? "true" : "false", key);
}

bool GgufConfig::hasLayerTensor(StringRef name) const {
  for (int64_t layer = 0; layer < layers; ++layer)
    if (hasTensor(("blk." + Twine(layer) + "." + name).str()))
      return true;
  return false;
}

FailureOr<ModelConfig> GgufConfig::read() {
  if (anyWrong)
    return failure();
  std::string text = "{";
  for (auto [index, field] : llvm::enumerate(written))
    text += (index ? ",\n\"" : "\n\"") + field.name + "\": " + field.json;
  text += "\n}\n";
  FailureOr<LocatedJson> config =
      LocatedJson::parse(text, "", header.loc().getContext());
  if (failed(config))
    return failure();
  config->placeMembers(header.loc(), [&](StringRef name) {
    for (const Field &field : written)
      if (name == field.name && !field.key.empty())
        return header.loc(field.key);
    return header.loc();
  });
  return readHfConfig(*config, /*path=*/"", /*predictsFurther=*/false);
}

} // namespace mlir::llm
