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

/// The words that an option can be set to, or none if it takes others, too.
::llvm::SmallVector<::llvm::StringRef> findChoices(::llvm::cl::Option &option);

/// Says what a value must be and what it is, or "" if nothing is wrong with it.
/// Values are one of the choices, booleans, or the numbers that the help names:
/// `N`, `N|?` and `seconds`.
std::string findWrongValue(::llvm::cl::Option &option, ::llvm::StringRef value);

/// Ends the program with an error if an option does not exist, or cannot have
/// its value, or if an input or an option is missing. The error says what was
/// expected and the nearest right spelling, or `hint` where none is near. What
/// it does not find is left to LLVM's parser.
void checkCommandLine(int argc, const char *const *argv,
                      ::llvm::StringRef hint = "");

/// Checks the command line, then sets the options of the tool from it.
/// `elsewhere` says which tool has other options, such as "'llm-opt --help' the
/// passes".
void parseCommandLine(int argc, const char *const *argv,
                      ::llvm::StringRef overview,
                      ::llvm::StringRef elsewhere = "");

/// Fails with an error of the tool if there is no such file, or if its name is
/// that of a model: MLIR would say which letter of it is wrong.
LogicalResult checkProgramFile(::llvm::StringRef tool, ::llvm::StringRef path);

} // namespace mlir::llm

#endif // LLM_DIAGNOSTICS_COMMANDLINE_H
