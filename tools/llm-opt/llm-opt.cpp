//===- llm-opt.cpp - The optimizer driver ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/Terminal.h"
#include "llm/Files/OutputFile.h"
#include "llm/InitAll/InitAll.h"
#include "llm/Target/Target.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

int main(int argc, char **argv) {
  mlir::llm::obeyNoColor();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  llm::registerAllDialects(registry);
  registerAllPasses();
  llm::registerAllPasses();
  ::llvm::cl::opt<bool> listTargets(
      "llm-list-targets",
      ::llvm::cl::desc("List the presets of --llm-target=name= and exit"));
  ::llvm::cl::opt<bool> printSchema(
      "llm-print-target-schema",
      ::llvm::cl::desc("Print the JSON schema of target files and exit"));
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "llm-opt: tiles, costs and schedules of LLM blocks\n",
      registry);
  if (listTargets) {
    MLIRContext context;
    mlir::llm::listPresets(::llvm::outs(), &context);
    return 0;
  }
  if (printSchema) {
    mlir::llm::writeTargetSchema(::llvm::outs());
    return 0;
  }
  // By the name that no failure removes: of another one, as /dev/stdout, the
  // link would go.
  if (mlir::llm::isStandardOutput(output))
    output = "-";
  mlir::llm::reserveOutputFile(
      output, output == "-"
                  ? "the IR goes to standard output, too; write it elsewhere "
                    "(-o file, -o /dev/null), or give the export a file"
                  : "the IR goes there (-o); give each a file of its own");
  return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
}
