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

/// Prints a diagnostic and its notes with their locations, but without the line
/// of the file.
void printPlain(const Diagnostic &diagnostic);

/// If an error or a warning is about no line of a file, prints it behind the
/// name of the file or the tool, and returns true. MLIR would print
/// "block.mlir:0:0" or "<unknown>:0".
bool printIfPlaceless(::llvm::StringRef tool, const Diagnostic &diagnostic);

/// If an error or a warning is about a line of more than 160 characters, prints
/// it with the text around the place, and returns true. An op with tile, cost
/// and slots has a thousand characters.
bool printIfLineIsLong(const Diagnostic &diagnostic);

/// Prints diagnostics of a context with their line of the file. For a file of
/// weights, which is no text, it leaves the line out. Diagnostics that are
/// about no file, such as a wrong argument, begin with the name of the tool.
class ToolDiagnostics {
public:
  /// `sources` has the text that is in no file: standard input.
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
