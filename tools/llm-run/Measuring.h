//===- Measuring.h - Measures runs, and writes what was found ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_MEASURING_H
#define LLM_TOOLS_LLM_RUN_MEASURING_H

#include "CommandLine.h"
#include "PreparedProgram.h"

namespace mlir::llm {

/// Writes a file, which appears whole or not at all. Does nothing if the path
/// is empty.
LogicalResult writeFile(StringRef path, Location loc,
                        function_ref<void(raw_ostream &)> fill);

/// Runs the program as often as the command line says, and writes what it asks
/// for: the times of ops beside their predictions, or that of the whole. All
/// chips must come here. Returns the results of the last run.
FailureOr<std::vector<HostTensor>> measureProgram(const CommandLine &options,
                                                  const Chips &chips,
                                                  PreparedProgram &program,
                                                  Location loc);

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_MEASURING_H
