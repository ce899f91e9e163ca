//===- ModuleNames.cpp - The modules of a model in names ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/ModuleNames.h"
#include "llm/Support/IndexedNames.h"

#include <algorithm>

namespace mlir::llm {

using Path = std::vector<std::string_view>;

/// Splits at each `separator` outside of braces, in which dots are part of a
/// range.
static Path split(std::string_view name, char separator) {
  Path parts;
  size_t begin = 0;
  bool isInBraces = false;
  for (size_t at = 0; at < name.size(); ++at) {
    isInBraces = name[at] == '{' || (isInBraces && name[at] != '}');
    if (name[at] != separator || isInBraces)
      continue;
    parts.push_back(name.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(name.substr(begin));
  return parts;
}

static std::string join(const Path &path, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text.append(i == 0 ? "" : ".").append(path[i]);
  return text;
}

static Path pathOfModule(std::string_view name) {
  if (name.find('#') != name.npos)
    return {};
  Path path = split(name, '.');
  path.pop_back();
  return path;
}

std::string moduleOf(std::string_view name) {
  Path names = split(name, '+');
  Path shared = pathOfModule(names.front());
  for (std::string_view other : names) {
    Path path = pathOfModule(other);
    bool isWhole =
        !path.empty() && !shared.empty() && path.front() == shared.front();
    if (!isWhole)
      continue;
    size_t most = std::min(shared.size(), path.size());
    auto end =
        std::mismatch(shared.begin(), shared.begin() + most, path.begin());
    shared.erase(end.first, shared.end());
  }
  return join(shared, shared.size());
}

std::vector<std::string_view> partsOfModule(std::string_view module) {
  return module.empty() ? Path() : split(module, '.');
}

static bool isIndex(std::string_view part) {
  bool isNumber =
      !part.empty() && std::all_of(part.begin(), part.end(), [](char letter) {
        return '0' <= letter && letter <= '9';
      });
  return isNumber || part == "{}" || !findIndexRanges(part).empty();
}

std::string layerOf(std::string_view name) {
  std::string module = moduleOf(name);
  Path path = split(module, '.');
  for (size_t i = 0; i < path.size(); ++i)
    if (isIndex(path[i]))
      return join(path, i + 1);
  return "";
}

} // namespace mlir::llm
