//===- llm-prof.cpp - Predictions beside measurements ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subcommand.h"
#include "llm/Console/Terminal.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Files/OutputFile.h"
#include "llm/InitAll/InitAll.h"
#include "llm/Trace/TraceWriter.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

InFlightDiagnostic mlir::llm::emitToolError(MLIRContext &context) {
  return emitError(UnknownLoc::get(&context));
}

void mlir::llm::registerEveryDialect(MLIRContext &context) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  llm::registerAllDialects(registry);
  context.appendDialectRegistry(registry);
}

LogicalResult mlir::llm::writeOutput(StringRef path, MLIRContext &context,
                                     function_ref<void(raw_ostream &)> write) {
  if (llvm::Error error = writeOutputFile(path, write))
    return emitError(UnknownLoc::get(&context))
           << llvm::toString(std::move(error));
  return success();
}

LogicalResult mlir::llm::checkTraceName(StringRef path, MLIRContext &context) {
  std::string fault = path.empty() ? "" : findFaultOfTraceName(path);
  if (fault.empty())
    return success();
  return emitError(UnknownLoc::get(&context))
         << "--perfetto=" << path << ": " << fault;
}

//===----------------------------------------------------------------------===//
// main
//===----------------------------------------------------------------------===//

int main(int argc, char **argv) {
  // Only the hundreds of options of libLLVM are registered so far.
  cl::HideUnrelatedOptions(ArrayRef<const cl::OptionCategory *>());
  std::unique_ptr<Subcommand> subcommands[] = {makeValidate(), makeCalibrate(),
                                               makeImport(),   makeCompare(),
                                               makeServe(),    makeOpen(),
                                               makePlan()};
  llvm::InitLLVM init(argc, argv);
  obeyNoColor();
  parseCommandLine(argc, argv,
                   "llm-prof: predicted times beside measured ones\n");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<DLTIDialect, LlmDialect>();
  ToolDiagnostics diagnostics("llm-prof", &context);
  for (const std::unique_ptr<Subcommand> &subcommand : subcommands)
    if (subcommand->isAsked())
      return failed(subcommand->run(context));
  llvm::errs()
      << "llm-prof: error: name a subcommand: validate, calibrate, "
         "import, compare, serve, plan or open ('llm-prof --help' says what "
         "each does, 'llm-prof validate --help' which options it has)\n";
  return 1;
}
