//===- TableOptions.h - Measured rows and what to predict them for -*- C++
//-*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLMPROF_TABLEOPTIONS_H
#define LLM_TOOLS_LLMPROF_TABLEOPTIONS_H

#include "llm/Profile/MeasuredTable.h"
#include "llm/Target/Target.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::llm {

/// Loads a preset, or a file that ends in .json or .csv, with fields set by
/// `--set`.
FailureOr<Target> loadNamedTarget(StringRef name, StringRef column,
                                  ArrayRef<std::string> changes,
                                  MLIRContext &context, bool calibrated = true);

/// The options of subcommands that compare predictions with measured rows.
struct TableOptions {
  explicit TableOptions(::llvm::cl::SubCommand &command);

  FailureOr<Target> loadTarget(MLIRContext &context, bool calibrated) const;
  FailureOr<std::vector<MeasuredRow>> readRows(MLIRContext &context) const;

  ::llvm::cl::SubCommand &command;
  ::llvm::cl::opt<std::string> target;
  ::llvm::cl::opt<bool> calibrated;
  ::llvm::cl::opt<std::string> column;
  ::llvm::cl::list<std::string> files, devices, opKinds, sources, backends,
      changes;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLMPROF_TABLEOPTIONS_H
