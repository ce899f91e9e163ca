//===- GgufConfig.h - What a config.json would say, by GGUF -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Families whose layers differ from each other are described once, by the
// readers of config.json. For a GGUF file, its metadata are written as the
// fields of such a config, each at the place of the key that it comes from.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_GGUFCONFIG_H
#define LLM_LIB_IMPORT_GGUFCONFIG_H

#include "GgufFields.h"
#include "llm/Files/LocatedJson.h"

#include <vector>

namespace mlir::llm {

/// Writes fields of a config.json. The first key that is wrong is reported; the
/// rest is then left out.
class GgufConfig : public GgufFields {
public:
  GgufConfig(const GgufFields &fields, StringRef modelType);

  /// Writes a field that comes from no key, as JSON.
  void put(StringRef field, const Twine &json) { put(field, json, ""); }
  void put(StringRef field, const Twine &json, StringRef key);
  /// Writes sizes, numbers and booleans of keys that the file may lack. Of a
  /// list, which has an entry for each layer, it is the largest.
  void putSize(StringRef field, StringRef key);
  void putNumber(StringRef field, StringRef key);
  /// Writes one size as a part of another.
  void putShare(StringRef field, StringRef key, StringRef whole);
  void putBoolean(StringRef field, StringRef key);

  /// Returns the number, or the largest of a list; 0 if the key is absent.
  int64_t largest(StringRef key);
  /// Returns the entry of each layer, also if the file has one number for all.
  std::vector<int64_t> ofLayers(StringRef key);
  /// The number of a key that must be there, as it divides another one.
  int64_t divisor(StringRef key);
  /// Whether some layer has the tensor, "attn_q.bias".
  bool hasLayerTensor(StringRef name) const;
  int64_t countLayers() const { return layers; }
  /// Spells a number so that it is read as the same one.
  static std::string spell(double number);
  /// Says what is wrong with a key.
  void reject(StringRef key, const Twine &why);

  /// Reads the model as its config would say it.
  FailureOr<ModelConfig> read();

private:
  struct Field {
    std::string name, json, key;
  };
  bool anyWrong = false;
  int64_t layers = 0; ///< without those that predict further tokens
  std::vector<Field> written;
};

/// An architecture that is read by way of a config.
struct GgufFamily {
  llvm::StringLiteral architecture;
  llvm::StringLiteral modelType;
  /// Keys that are read, or on which nothing depends, beside those of all.
  ArrayRef<llvm::StringLiteral> keys;
  void (*write)(GgufConfig &config);
};

ArrayRef<GgufFamily> ggufFamilies();
const GgufFamily *findGgufFamily(StringRef architecture);
/// Whether a family of these reads the key, which is without the architecture.
bool isGgufFamilyKey(const GgufFamily &family, StringRef key);

/// Says why an architecture that is known has no reader; empty if it is not
/// known.
StringRef refusalOfGguf(StringRef architecture);

/// Reads a model of the family. `fields` know the architecture.
FailureOr<ModelConfig> readGgufFamily(const GgufFields &fields,
                                      const GgufFamily &family);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_GGUFCONFIG_H
