//===- llm-opt.cpp - The optimizer driver ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "llm/Console/Terminal.h"
#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/Spelling.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Files/OutputFile.h"
#include "llm/InitAll/InitAll.h"
#include "llm/Target/Target.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
namespace cl = llvm::cl;

/// Errors are about ops, with their line of the file. To print the op as well
/// is to print a whole module where an error is about that.
static void printNoOps() {
  auto &options = cl::getRegisteredOptions();
  if (cl::Option *option = options.lookup("mlir-print-op-on-diagnostic"))
    static_cast<cl::opt<bool> *>(option)->setInitialValue(false);
}

/// The passes that the text of `--pass-pipeline` names.
static SmallVector<StringRef> passesOf(StringRef text) {
  SmallVector<StringRef> names;
  unsigned depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    char letter = at < text.size() ? text[at] : ',';
    if (depth == 0 && StringRef(",(){").contains(letter)) {
      StringRef name = text.slice(begin, at).trim();
      if (letter != '(' && !name.empty()) // an op, in which passes are nested
        names.push_back(name);
      begin = at + 1;
    }
    depth += letter == '{';
    if (letter == '}') {
      depth -= depth > 0;
      begin = at + 1;
    }
  }
  return names;
}

static LogicalResult checkNames(StringRef pipeline) {
  SmallVector<StringRef> known;
  for (auto [name, option] : cl::getRegisteredOptions())
    if (!option->hasArgStr()) // passes are words of one list
      known.push_back(name);
  llvm::sort(known);
  for (StringRef name : passesOf(pipeline))
    if (!llvm::is_contained(known, name)) {
      llvm::errs() << "llm-opt: error: --pass-pipeline: there is no pass '"
                   << name << "'" << llm::didYouMean(name, known) << "\n";
      return failure();
    }
  return success();
}

/// MLIR reads the options of passes once it has read the program, and tells
/// errors about them as if they were of a file without a name.
static LogicalResult checkPasses() {
  cl::Option *pipeline = cl::getRegisteredOptions().lookup("pass-pipeline");
  if (failed(checkNames(*static_cast<cl::opt<std::string> *>(pipeline))))
    return failure();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  llm::ToolDiagnostics diagnostics("llm-opt", &context);
  PassManager passes(&context);
  return MlirOptMainConfig::createFromCLOptions().setupPassPipeline(passes);
}

/// MLIR's own tool has no name for errors that are about no line of a file.
static void nameTool(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, llm::LlmDialect *) {
    context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      return success(llm::printIfPlaceless("llm-opt", diagnostic));
    });
  });
}

int main(int argc, char **argv) {
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
  if (!MlirOptMainConfig::createFromCLOptions().shouldVerifyDiagnostics())
    nameTool(registry);
  if (failed(checkPasses()) || failed(llm::checkProgramFile("llm-opt", input)))
    return 1;
  // By the name that no failure removes: of another one, as /dev/stdout, the
  // link would go.
  if (llm::isStandardOutput(output))
    output = "-";
  llm::reserveOutputFile(
      output, output == "-"
                  ? "the IR goes to standard output, too; write it elsewhere "
                    "(-o file, -o /dev/null), or give the export a file"
                  : "the IR goes there (-o); give each a file of its own");
  return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
}
