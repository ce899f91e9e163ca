//===- FunctionFiles.cpp - A file for each function -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Program/Program.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::llm;

SmallVector<FunctionOpInterface>
mlir::llm::functionsToExport(ModuleOp module, StringRef consequence) {
  SmallVector<FunctionOpInterface> functions = functionsWithBody(module);
  if (functions.empty())
    emitWarning(module.getLoc())
        << "the module has no function with a body: " << consequence;
  return functions;
}

/// Chooses the file of a function if no option names one.
static FailureOr<std::string> defaultPath(const Pass &pass,
                                          FunctionOpInterface function,
                                          const FunctionFile &kind) {
  StringRef name = symbolOf(function);
  // File systems allow names of 255 bytes, and none with a slash or a NUL.
  // Nobody can type other control characters, and a leading dot hides a file.
  constexpr size_t longestName = 240;
  if (name.empty() || name.starts_with(".") || name.size() > longestName ||
      ::llvm::any_of(name, [](char c) {
        return c == '/' || c == '\\' || (c >= 0 && c < ' ') || c == 0x7f;
      }))
    return emitError(function.getLoc())
           << "the function's name cannot be a file's name: say where its "
           << kind.what << " goes, --" << pass.getArgument() << "=file=...";
  return (name + kind.suffix).str();
}

FailureOr<std::vector<std::string>>
mlir::llm::choosePaths(const Pass &pass,
                       ArrayRef<FunctionOpInterface> functions, StringRef file,
                       const FunctionFile &kind) {
  std::vector<std::string> paths;
  ::llvm::StringMap<FunctionOpInterface> writers;
  for (FunctionOpInterface function : functions) {
    FailureOr<std::string> path = file.str();
    if (file.empty())
      path = defaultPath(pass, function, kind);
    if (failed(path))
      return failure();
    auto [known, isNew] = writers.try_emplace(*path, function);
    if (!isNew)
      return emitError(function.getLoc())
             << "functions '" << symbolOf(known->second) << "' and '"
             << symbolOf(function) << "' would both be written to '" << *path
             << "', but a " << kind.what << " holds one: "
             << (file.empty() ? "rename one"
                              : "leave out 'file' to get a file for each");
    paths.push_back(std::move(*path));
  }
  return paths;
}
