//===- ModuleTree.cpp - The modules of a function as a tree ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/ModuleTree.h"
#include "llm/Support/ModuleNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::llm;

ModuleTree::ModuleTree(ArrayRef<StringRef> names) {
  // The children of each module by part, so that a name of many parts costs
  // only its length.
  std::vector<::llvm::StringMap<unsigned>> children(1);
  modules.emplace_back();
  for (auto [op, name] : ::llvm::enumerate(names)) {
    std::string path = moduleOf(name);
    unsigned at = 0;
    for (std::string_view part : partsOfModule(path)) {
      auto [known, isNew] = children[at].try_emplace(part, modules.size());
      unsigned next = known->second;
      if (isNew) {
        modules[at].children.push_back({true, next});
        modules.emplace_back();
        // The parts are views of the path, and a path begins the name.
        modules.back().path =
            name.take_front(part.data() + part.size() - path.data());
        children.emplace_back();
      }
      at = next;
    }
    modules[at].children.push_back({false, static_cast<unsigned>(op)});
  }
  while (root().children.size() == 1 && root().children.front().isModule)
    rootIndex = root().children.front().index;
  simplify();
}

/// Replaces modules by their only child, inner modules first.
void ModuleTree::simplify() {
  for (Module &module : ::llvm::reverse(modules))
    for (Child &child : module.children)
      if (child.isModule && modules[child.index].children.size() == 1)
        child = Child(modules[child.index].children.front());
}

std::vector<unsigned> ModuleTree::shownModules() const {
  std::vector<unsigned> shown, waiting = {rootIndex};
  while (!waiting.empty()) {
    shown.push_back(waiting.back());
    waiting.pop_back();
    for (Child child : ::llvm::reverse(modules[shown.back()].children))
      if (child.isModule)
        waiting.push_back(child.index);
  }
  return shown;
}

std::string ModuleTree::relativeName(StringRef name, const Module &in) {
  if (in.path.empty())
    return name.str();
  SmallVector<StringRef> parts;
  name.split(parts, '+');
  for (StringRef &part : parts)
    if (part.starts_with(in.path) &&
        part.drop_front(in.path.size()).starts_with("."))
      part = part.drop_front(in.path.size() + 1);
  return ::llvm::join(parts, "+");
}
