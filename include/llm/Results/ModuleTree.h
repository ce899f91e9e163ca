//===- ModuleTree.h - The modules of a function as a tree -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_MODULETREE_H
#define LLM_RESULTS_MODULETREE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// The tree of the modules of a function, with its ops as leaves
/// (llm/Support/ModuleNames.h). Children are in the order of their first ops. A
/// module with a single child is left out, and its child takes its place.
class ModuleTree {
public:
  struct Child {
    bool isModule;
    unsigned index; ///< the argument of `module()`, or the number of an op
  };
  struct Module {
    StringRef path; ///< "model.layers.{}"
    std::vector<Child> children;
  };

  /// The tree is made from the names of the ops, which must outlive it.
  explicit ModuleTree(ArrayRef<StringRef> names);

  /// Returns the root, which has all ops. Its path is that of the innermost
  /// module that has all of them, or empty if there is none.
  const Module &root() const { return modules[rootIndex]; }
  /// Returns the root and all modules that can be reached from it. A module
  /// comes after the one around it.
  std::vector<unsigned> shownModules() const;
  const Module &module(unsigned index) const { return modules[index]; }
  /// Returns the number of all modules, also of those that are left out. A
  /// module comes after the one around it.
  size_t size() const { return modules.size(); }

  /// Returns the name of an op, or the path of a module, without the path of
  /// the module `in`. For ops that run as one, each name is shortened.
  static std::string relativeName(StringRef name, const Module &in);

private:
  void simplify();

  std::vector<Module> modules;
  unsigned rootIndex = 0;
};

} // namespace mlir::llm

#endif // LLM_RESULTS_MODULETREE_H
