//===- OpNames.cpp - Which ops of a program a name is of ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpNames.h"
#include "llm/Support/ModuleNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

/// Splits a path. Leaves out numbers and their placeholders.
static SmallVector<std::string> splitPath(StringRef path) {
  SmallVector<std::string> parts;
  std::string part;
  auto endPart = [&] {
    bool isName = llvm::any_of(part, llvm::isAlpha);
    if (isName)
      parts.push_back(part);
    part.clear();
  };
  for (char letter : path) {
    if (llvm::isAlnum(letter) || StringRef("_-#").contains(letter))
      part += letter;
    else
      endPart();
  }
  endPart();
  return parts;
}

/// Finds the number in "layer_3" and "Qcur-3", but not in "sm_80" or
/// "gemm_128".
static int64_t findNumberAtEnd(StringRef part) {
  StringRef name = part.rtrim("0123456789");
  int64_t number;
  if (name.size() == part.size() ||
      part.drop_front(name.size()).getAsInteger(10, number))
    return -1;
  bool isNode = name.ends_with("-");
  StringRef word = name.rtrim("-_");
  bool isLayer = word.ends_with_insensitive("layer") ||
                 word.ends_with_insensitive("block") ||
                 word.equals_insensitive("blk") || word.equals_insensitive("h");
  return isNode || isLayer ? number : -1;
}

int64_t mlir::llm::findLayer(StringRef name) {
  SmallVector<StringRef> parts;
  llvm::SplitString(name, parts, "./: ()[]'\"#");
  for (auto [i, part] : llvm::enumerate(parts)) {
    int64_t number;
    if (i > 0 && !part.getAsInteger(10, number) && number >= 0)
      return number;
    if (number = findNumberAtEnd(part); number >= 0)
      return number;
  }
  return -1;
}

void OpNames::add(Index &index, ArrayRef<std::string> parts, unsigned op) {
  if (parts.empty())
    return;
  std::vector<Named> &alike = index[parts.back()];
  auto known = llvm::find_if(alike, [&](const Named &named) {
    return ArrayRef<std::string>(named.parts) == parts;
  });
  if (known == alike.end())
    known = alike.insert(alike.end(), {SmallVector<std::string>(parts), {}});
  if (!llvm::is_contained(known->ops, op))
    known->ops.push_back(op);
}

OpNames::OpNames(const ProgramPattern &pattern) {
  for (auto [number, op] : llvm::enumerate(pattern.ops())) {
    // An op in place of several has the name of each.
    SmallVector<StringRef> names;
    StringRef(op.name).split(names, '+');
    SmallVector<std::string> module = splitPath(moduleOf(op.name));
    for (auto [i, name] : llvm::enumerate(names)) {
      bool isInModule = i > 0 && !name.contains('.');
      SmallVector<std::string> parts =
          isInModule ? module : SmallVector<std::string>();
      llvm::append_range(parts, splitPath(name));
      add(opIndex, parts, number);
      for (size_t length = 1; length < parts.size(); ++length)
        add(moduleIndex, ArrayRef(parts).take_front(length), number);
    }
  }
}

PatternOps OpNames::findIn(const Index &index, ArrayRef<std::string> parts,
                           unsigned &agreeing) {
  PatternOps found;
  auto alike = index.find(parts.back());
  if (alike == index.end())
    return found;
  agreeing = 0;
  for (const Named &named : alike->second) {
    auto [mine, its] = std::mismatch(parts.rbegin(), parts.rend(),
                                     named.parts.rbegin(), named.parts.rend());
    unsigned same = mine - parts.rbegin();
    if (same < agreeing)
      continue;
    if (same > agreeing)
      found.clear();
    agreeing = same;
    llvm::append_range(found, named.ops);
  }
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

NamedOps OpNames::find(StringRef path) const {
  NamedOps named;
  SmallVector<std::string> parts = splitPath(path);
  if (parts.empty())
    return named;
  unsigned ofModule = 0;
  named.ops = findIn(opIndex, parts, named.parts);
  named.inside = findIn(moduleIndex, parts, ofModule);
  return named;
}
