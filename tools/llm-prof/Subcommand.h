//===- Subcommand.h - What llm-prof can be asked for ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLMPROF_SUBCOMMAND_H
#define LLM_TOOLS_LLMPROF_SUBCOMMAND_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/CommandLine.h"

#include <memory>

namespace mlir::llm {

/// A word behind `llm-prof` with options of its own. The options are members,
/// so it must be made before the command line is read.
class Subcommand {
public:
  virtual ~Subcommand() = default;
  bool isAsked() const { return bool(command); }
  virtual LogicalResult run(MLIRContext &context) = 0;

protected:
  Subcommand(StringRef name, StringRef about) : command(name, about) {}

  ::llvm::cl::SubCommand command;
};

std::unique_ptr<Subcommand> makeValidate();
std::unique_ptr<Subcommand> makeCalibrate();
std::unique_ptr<Subcommand> makeImport();
std::unique_ptr<Subcommand> makeCompare();
std::unique_ptr<Subcommand> makeServe();
std::unique_ptr<Subcommand> makeOpen();
std::unique_ptr<Subcommand> makePlan();

/// Emits an error of the tool itself, which has no place in a file.
InFlightDiagnostic emitToolError(MLIRContext &context);

/// Lets the context read programs, which may have ops of any dialect, as those
/// of captured graphs do.
void registerEveryDialect(MLIRContext &context);

/// Fails if the name of a file for `--perfetto` does not tell its form.
LogicalResult checkTraceName(StringRef path, MLIRContext &context);

/// Does what `writeOutputFile` does, and reports errors.
LogicalResult writeOutput(StringRef path, MLIRContext &context,
                          function_ref<void(raw_ostream &)> write);

} // namespace mlir::llm

#endif // LLM_TOOLS_LLMPROF_SUBCOMMAND_H
