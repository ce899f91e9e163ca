//===- TableOptions.h - Measured rows, and for which machine ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLMPROF_TABLEOPTIONS_H
#define LLM_TOOLS_LLMPROF_TABLEOPTIONS_H

#include "TargetOptions.h"
#include "llm/Measurements/MeasuredTable.h"

namespace mlir::llm {

/// The options of subcommands that compare predictions with measured rows.
struct TableOptions {
  explicit TableOptions(::llvm::cl::SubCommand &command);

  FailureOr<std::vector<MeasuredRow>> readRows(MLIRContext &context) const;

  ::llvm::cl::SubCommand &command;
  TargetOptions machine;
  ::llvm::cl::opt<bool> calibrated;
  ::llvm::cl::list<std::string> files, devices, opKinds, sources, backends;
  ::llvm::cl::opt<std::string> programs;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLMPROF_TABLEOPTIONS_H
