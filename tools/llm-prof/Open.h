//===- Open.h - A trace or a page in a browser ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLMPROF_OPEN_H
#define LLM_TOOLS_LLMPROF_OPEN_H

#include "llm/Console/ShowFile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::llm {

/// Opens a page as it is, or a trace in ui.perfetto.dev, which fetches it from
/// here. A trace of another tool is converted first. Without a display, it says
/// how to do it.
LogicalResult openInBrowser(StringRef path, MLIRContext &context,
                            const ShowOptions &options = {});

/// The option `--open` of a subcommand that writes pages and traces.
class OpenOption {
public:
  explicit OpenOption(::llvm::cl::SubCommand &command)
      : isGiven("open", ::llvm::cl::sub(command),
                ::llvm::cl::desc("Show in a browser what --html or --perfetto "
                                 "wrote")) {}
  LogicalResult check(StringRef html, StringRef perfetto,
                      MLIRContext &context) const;
  /// Opens what was written: the page, if there are both.
  LogicalResult run(StringRef html, StringRef perfetto,
                    MLIRContext &context) const;

private:
  ::llvm::cl::opt<bool> isGiven;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLMPROF_OPEN_H
