//===- CapturedProgram.h - Programs of captured graphs ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLMPROF_CAPTUREDPROGRAM_H
#define LLM_TOOLS_LLMPROF_CAPTUREDPROGRAM_H

#include "llm/GraphImport/GgmlGraph.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::llm {

/// The options of `import` for the program that it makes of a capture of ggml.
class CapturedProgramOptions {
public:
  explicit CapturedProgramOptions(::llvm::cl::SubCommand &command);

  bool areGiven() const { return !output.empty(); }
  /// Fails if an option is given without one that it needs.
  LogicalResult check(MLIRContext &context) const;
  /// Writes the program of one graph of the capture.
  LogicalResult run(StringRef capture, MLIRContext &context) const;

private:
  FailureOr<CapturedProgramForm> readForm(MLIRContext &context) const;

  ::llvm::cl::opt<std::string> output;
  ::llvm::cl::opt<unsigned> number, chosenRun;
  ::llvm::cl::opt<MaskKind> mask;
  ::llvm::cl::opt<std::string> floatType;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLMPROF_CAPTUREDPROGRAM_H
