//===- FunctionFiles.h - A file for each function ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_FILES_FUNCTIONFILES_H
#define LLM_EXPORT_FILES_FUNCTIONFILES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// Returns the functions of a module that have a body, in order. If there is
/// none, a warning says so and adds `consequence`, such as "there is no trace
/// to write".
SmallVector<FunctionOpInterface> functionsToExport(ModuleOp module,
                                                   StringRef consequence);

/// Names what a pass writes for one function.
struct FunctionFile {
  StringRef what;   ///< e.g. "trace"
  StringRef suffix; ///< of its default name, e.g. ".json"
};

/// Returns the path for each function: the pass's option `file`, or, if that is
/// empty, '<function><suffix>' in the current folder. Fails with a diagnostic
/// on a name that cannot name a file, and if two functions have one path.
FailureOr<std::vector<std::string>>
choosePaths(const Pass &pass, ArrayRef<FunctionOpInterface> functions,
            StringRef file, const FunctionFile &kind);

} // namespace mlir::llm

#endif // LLM_EXPORT_FILES_FUNCTIONFILES_H
