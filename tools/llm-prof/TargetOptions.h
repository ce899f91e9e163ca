//===- TargetOptions.h - The machine that is asked about --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLMPROF_TARGETOPTIONS_H
#define LLM_TOOLS_LLMPROF_TARGETOPTIONS_H

#include "llm/Target/Target.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::llm {

/// Loads a preset, or a file that ends in .json or .csv, with fields set by
/// `--set`.
FailureOr<Target> loadNamedTarget(StringRef name, StringRef column,
                                  ArrayRef<std::string> changes,
                                  MLIRContext &context, bool calibrated = true);

/// The options of subcommands that predict for a machine.
struct TargetOptions {
  explicit TargetOptions(::llvm::cl::SubCommand &command);

  FailureOr<Target> load(MLIRContext &context, bool calibrated = true) const;

  ::llvm::cl::opt<std::string> target;
  ::llvm::cl::opt<std::string> column;
  ::llvm::cl::list<std::string> changes;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLMPROF_TARGETOPTIONS_H
