//===- Help.h - What llm-opt --help says ------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_OPT_HELP_H
#define LLM_TOOLS_LLM_OPT_HELP_H

#include <optional>

namespace mlir::llm {

/// Answers `--help`, which is one screen about our own passes, and
/// `--help=PASS`, which is about one of all passes. Returns the exit code of
/// the program, or nothing if neither was asked for. `--help=mlir` becomes the
/// `--help` of MLIR and LLVM, which lists hundreds of passes with their
/// options.
std::optional<int> answerHelp(int argc, char **argv);

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_OPT_HELP_H
