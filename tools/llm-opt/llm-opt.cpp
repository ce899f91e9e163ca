//===- llm-opt.cpp - The optimizer driver ---------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/OutputFile.h"
#include "llm/Files/Terminal.h"
#include "llm/InitAll/InitAll.h"
#include "llm/Target/Target.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

/// The files that the pass options in `argument` send exports to.
static void collectExportFiles(StringRef argument,
                               SmallVectorImpl<StringRef> &files) {
  if (!argument.contains("llm-export-"))
    return;
  constexpr StringLiteral option = "file=";
  for (size_t at = argument.find(option); at != StringRef::npos;
       at = argument.find(option, at + 1)) {
    StringRef value = argument.drop_front(at + option.size());
    value = value.take_front(value.find_first_of(" }"));
    files.push_back(value.trim("\"'"));
  }
}

static bool isStandardOutput(StringRef path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" ||
         path == "/proc/self/fd/1";
}

/// Whether two paths name one file, there or not; devices take two texts.
static bool isOneFile(StringRef path, StringRef other) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      status.type() != llvm::sys::fs::file_type::regular_file)
    return false;
  SmallString<128> first(path), second(other);
  for (SmallString<128> *each : {&first, &second})
    if (llvm::sys::fs::make_absolute(*each))
      return false;
  llvm::sys::path::remove_dots(first, /*remove_dot_dot=*/true);
  llvm::sys::path::remove_dots(second, /*remove_dot_dot=*/true);
  return first == second || llvm::sys::fs::equivalent(first, second);
}

/// The file that the IR goes to, as the last `-o` has it.
static StringRef outputOf(ArrayRef<const char *> arguments) {
  StringRef output = "-";
  for (auto [index, text] : llvm::enumerate(arguments)) {
    StringRef argument = text;
    if (!argument.consume_front("--o") && !argument.consume_front("-o"))
      continue;
    if (argument.empty() && index + 1 < arguments.size())
      output = arguments[index + 1];
    else if (argument.consume_front("="))
      output = argument;
  }
  return output;
}

/// Two texts in one stream are of no use to anyone, and of two in one file only
/// one is left; only the tool sees that it happens.
static LogicalResult checkOutputs(ArrayRef<const char *> arguments) {
  SmallVector<StringRef> files;
  for (const char *argument : arguments)
    collectExportFiles(argument, files);
  StringRef output = outputOf(arguments);
  size_t streams = llvm::count_if(files, isStandardOutput);
  if (streams > 1 || (streams == 1 && isStandardOutput(output))) {
    llvm::errs()
        << "llm-opt: file=- sends an export to standard output, where the IR "
           "or another export goes too; write the IR elsewhere (-o file, -o "
           "/dev/null), or give the export a file\n";
    return failure();
  }
  for (StringRef file : files) {
    if (isStandardOutput(output) || !isOneFile(file, output))
      continue;
    llvm::errs() << "llm-opt: file=" << file << " and -o " << output
                 << " are one file, which cannot hold both an export and the "
                    "IR; give each a file of its own\n";
    return failure();
  }
  return success();
}

int main(int argc, char **argv) {
  mlir::llm::obeyNoColor();
  if (failed(checkOutputs(ArrayRef<const char *>(argv, argc).drop_front())))
    return 1;
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
  mlir::llm::reserveOutputFile(
      output, "the IR goes there (-o); give each a file of its own");
  return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
}
