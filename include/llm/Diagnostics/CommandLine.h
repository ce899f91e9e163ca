//===- CommandLine.h - Mistakes on the command line -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIAGNOSTICS_COMMANDLINE_H
#define LLM_DIAGNOSTICS_COMMANDLINE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

#include <string>

namespace mlir::llm {

/// Returns the words to which an option can be set. There are none if it also
/// takes other values.
::llvm::SmallVector<::llvm::StringRef> findChoices(::llvm::cl::Option &option);

/// Says what the value of an option must be and what it is instead. Returns ""
/// if nothing is wrong with it. It checks choices, booleans, and the numbers
/// that the help calls `N`, `N|?` and `seconds`.
std::string findWrongValue(::llvm::cl::Option &option, ::llvm::StringRef value);

/// Ends the program with an error if an option does not exist, or cannot have
/// its value, or if an input or an option is missing. The error says what was
/// expected and the nearest right spelling, or `hint` if no spelling is near.
/// LLVM's parser finds the errors that this function does not.
void checkCommandLine(int argc, const char *const *argv,
                      ::llvm::StringRef hint = "");

/// Checks the command line, then sets the options of the tool from it.
/// `elsewhere` ends the sentence that names the other tools, such as "'llm-opt
/// --help' the passes".
void parseCommandLine(int argc, const char *const *argv,
                      ::llvm::StringRef overview,
                      ::llvm::StringRef elsewhere = "");

/// Fails with an error of the tool if there is no such file, or if its name is
/// that of a model. For a model, MLIR would only say which character does not
/// parse.
LogicalResult checkProgramFile(::llvm::StringRef tool, ::llvm::StringRef path);

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_COMMANDLINE_H
