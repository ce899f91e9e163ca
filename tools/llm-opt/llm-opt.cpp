//===- llm-opt.cpp - The optimizer driver ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "PassNames.h"
#include "llm/Console/Terminal.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Files/OutputFile.h"
#include "llm/InitAll/InitAll.h"
#include "llm/Target/Target.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
namespace cl = llvm::cl;

/// Turns off printing ops with errors. Errors have the op's line in the file,
/// and an error about a module would print all of it.
static void printNoOps() {
  auto &options = cl::getRegisteredOptions();
  if (cl::Option *option = options.lookup("mlir-print-op-on-diagnostic"))
    static_cast<cl::opt<bool> *>(option)->setInitialValue(false);
}

/// Checks the options of passes. MLIR reads them only after the program, and
/// reports their errors as if they were in a file without a name.
static LogicalResult checkPasses(std::vector<std::string> &names) {
  cl::Option *pipeline = cl::getRegisteredOptions().lookup("pass-pipeline");
  if (failed(llm::checkPipelineText(
          *static_cast<cl::opt<std::string> *>(pipeline))))
    return failure();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llm::ToolDiagnostics diagnostics("llm-opt", &context);
  PassManager passes(&context);
  if (failed(
          MlirOptMainConfig::createFromCLOptions().setupPassPipeline(passes)))
    return failure();
  for (Pass &pass : passes.getPasses())
    names.push_back(pass.getArgument().str());
  return success();
}

/// Prints the tool's name before errors without a place in a file, which MLIR's
/// own tool does not do.
static void nameTool(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, llm::LlmDialect *) {
    context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      return success(llm::printIfPlaceless("llm-opt", diagnostic) ||
                     llm::printIfLineIsLong(diagnostic));
    });
  });
}

static LogicalResult fail(const Twine &why) {
  llvm::errs() << "llm-opt: error: " << why << "\n";
  return failure();
}

/// Runs the passes into a file, which is written at the end. MLIR would empty
/// it before it reads the program, and remove it if a pass fails, even if it is
/// the program itself or the result of an earlier run.
static LogicalResult runIntoFile(StringRef input, StringRef output,
                                 DialectRegistry &registry,
                                 const MlirOptMainConfig &config) {
  std::string why, text;
  std::unique_ptr<llvm::MemoryBuffer> program = openInputFile(input, &why);
  if (!program)
    return fail(why);
  llvm::raw_string_ostream os(text);
  if (failed(MlirOptMain(os, std::move(program), registry, config)))
    return failure();
  llm::reserveOutputFile("", ""); // the reserved file is written now
  if (llvm::Error error = llm::writeOutputFile(
          output, [&](llvm::raw_ostream &file) { file << text; }))
    return fail(llvm::toString(std::move(error)));
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llm::obeyNoColor();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  llm::registerAllDialects(registry);
  registerAllPasses();
  llm::registerAllPasses();
  cl::opt<bool> listTargets(
      "llm-list-targets",
      cl::desc("List the presets of --llm-target=name= and exit"));
  cl::opt<bool> printSchema(
      "llm-print-target-schema",
      cl::desc("Print the JSON schema of target files and exit"));
  std::string header = registerCLIOptions(
      "llm-opt: tiles, costs and schedules of LLM blocks\n", registry);
  if (std::optional<int> answered = llm::answerHelp(argc, argv))
    return *answered;
  printNoOps();
  llm::checkCommandLine(argc, argv,
                        "options of a pass are written after it, as in "
                        "\"--llm-schedule=engines=4 policy=exact\"");
  auto [input, output] = parseCLIOptions(argc, argv, header);
  if (listTargets) {
    MLIRContext context;
    llm::listPresets(::llvm::outs(), &context);
    return 0;
  }
  if (printSchema) {
    llm::writeTargetSchema(::llvm::outs());
    return 0;
  }
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.shouldVerifyDiagnostics())
    nameTool(registry);
  std::vector<std::string> passes;
  if (failed(checkPasses(passes)) ||
      failed(llm::checkProgramFile("llm-opt", input)))
    return 1;
  // LLVM does not remove "-" when it fails. It would remove another name of
  // standard output, such as the link /dev/stdout.
  if (llm::isStandardOutput(output))
    output = "-";
  if (llvm::Error error = llm::checkOutputFile(output))
    return asMainReturnCode(fail(llvm::toString(std::move(error))));
  llm::reserveOutputFile(
      output, output == "-"
                  ? "the IR goes to standard output, too; write it elsewhere "
                    "(-o file, -o /dev/null), or give the export a file"
                  : "the IR goes there (-o); give each a file of its own");
  bool isToFile = output != "-" && !config.shouldShowDialects() &&
                  !config.shouldListPasses();
  LogicalResult result = isToFile
                             ? runIntoFile(input, output, registry, config)
                             : MlirOptMain(argc, argv, input, output, registry);
  if (failed(result))
    llm::noteOrder(passes);
  return asMainReturnCode(result);
}
