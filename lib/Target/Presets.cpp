//===- Presets.cpp - Built-in targets and targets from files --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "llm/Files/InputFile.h"
#include "llm/Target/Host.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm {

namespace {
struct Preset {
  StringRef name, json;
};
} // namespace

static constexpr Preset presets[] = {
#include "PresetTexts.inc" // made from presets/*.json by EmbedTexts.cmake
};

std::vector<std::string> presetNames() {
  std::vector<std::string> names;
  for (const Preset &preset : presets)
    names.push_back(preset.name.str());
  return names;
}

/// Whether this names a file. Names of presets have no dot.
static bool namesFile(StringRef name) {
  return name.ends_with_insensitive(".json") ||
         name.ends_with_insensitive(".csv");
}

/// Finds what is meant. The end of a name may tell a machine that is no preset
/// from one that is: "h100-cnx".
static std::string findMeantPreset(StringRef name, ArrayRef<StringRef> names) {
  if (namesFile(name))
    return "; did you mean the file '" + name.str() + "'?";
  std::string meant = didYouMean(name, names);
  if (meant.empty())
    meant = didYouMean(name.take_until([](char c) { return c == '-'; }), names);
  return meant.empty() ? "; a machine of one's own is a file, such as chip.json"
                       : meant;
}

FailureOr<Target> loadPreset(StringRef name, MLIRContext *context,
                             EmitError emitError, bool calibrated) {
  if (name == hostPresetName)
    return readHost(hostSources(), emitError);
  SmallVector<StringRef> names;
  for (const Preset &preset : presets) {
    if (preset.name == name)
      return parseTargetJson(preset.json, (name + ".json").str(), context,
                             calibrated);
    names.push_back(preset.name);
  }
  names.push_back(hostPresetName);
  return emitError() << "no preset is called '" << name << "'"
                     << findMeantPreset(name, names)
                     << " (presets: " << llvm::join(names, ", ") << ")";
}

FailureOr<Target> loadTargetFile(StringRef path, StringRef column,
                                 MLIRContext *context, EmitError emitError,
                                 bool calibrated) {
  bool isCsv = path.ends_with_insensitive(".csv");
  if (!isCsv && !column.empty())
    return emitError() << "column= is for CSV files, and '" << path
                       << "' is read as JSON";
  auto buffer = readInputFile(path);
  if (!buffer) {
    bool isPreset = llvm::is_contained(presetNames(), path.str());
    return emitError() << llvm::toString(buffer.takeError())
                       << (isPreset ? "; did you mean the preset '" +
                                          path.str() + "'?"
                                    : "");
  }
  StringRef text = (*buffer)->getBuffer();
  return isCsv ? parseTargetCsv(text, path, column, context)
               : parseTargetJson(text, path, context, calibrated);
}

} // namespace mlir::llm
