//===- ToolDiagnostics.h - Errors of a tool ---------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIAGNOSTICS_TOOLDIAGNOSTICS_H
#define LLM_DIAGNOSTICS_TOOLDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace mlir::llm {

/// Prints a diagnostic and its notes with their places, but not the line of the
/// file that is there.
void printPlain(const Diagnostic &diagnostic);

/// Prints an error or a warning that is about no line of a file, with the name
/// of the file or the tool before it, and says whether it is such a one. MLIR
/// would print "block.mlir:0:0" and "<unknown>:0".
bool printIfPlaceless(::llvm::StringRef tool, const Diagnostic &diagnostic);

/// Prints an error or a warning about a line of more than 160 letters with what
/// stands around the place, and says whether it is such a one. An op with tile,
/// cost and slots has a thousand.
bool printIfLineIsLong(const Diagnostic &diagnostic);

/// Prints diagnostics of a context with their line of the file, unless it is a
/// file of weights, which is no text. Diagnostics that are about no file, such
/// as a wrong argument, stand behind the name of the tool.
class ToolDiagnostics {
public:
  /// `sources` has what no file does: standard input.
  ToolDiagnostics(StringRef tool, MLIRContext *context,
                  std::shared_ptr<::llvm::SourceMgr> sources =
                      std::make_shared<::llvm::SourceMgr>());

private:
  std::string tool;
  std::shared_ptr<::llvm::SourceMgr> sources;
  SourceMgrDiagnosticHandler inFiles;
  ScopedDiagnosticHandler withoutLine;
};

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_TOOLDIAGNOSTICS_H
