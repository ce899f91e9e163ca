//===- TranslateMain.cpp - The main function of llm-translate -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlirTranslateMain opens its input with a null behind the last byte. If the
// size of the file is a multiple of a page, a mapping has no room for that, and
// the file is read, even a GGUF file of hundreds of gigabytes.
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/CommandLine.h"
#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llm/Files/InputFile.h"
#include "llm/Files/OutputFile.h"
#include "llm/Import/Translations.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::llm {

namespace cl = llvm::cl;

static LogicalResult fail(llvm::Error error) {
  llvm::errs() << "llm-translate: error: " << llvm::toString(std::move(error))
               << "\n";
  return failure();
}

/// Opens standard input, or maps a file.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openInput(StringRef path) {
  if (path == "-")
    return llvm::errorOrToExpected(llvm::MemoryBuffer::getSTDIN());
  auto file = readInputFile(path);
  bool isFile = llvm::is_contained({".json", ".gguf", ".safetensors"},
                                   llvm::sys::path::extension(path));
  if (!file && llvm::sys::fs::is_directory(path))
    return llvm::createStringError(
        llvm::toString(file.takeError()) +
        "; name the file of the model in it, such as its config.json");
  if (file || isFile || llvm::sys::fs::exists(path))
    return file;
  // The name may be "Qwen/Qwen3-8B", or an address.
  return llvm::createStringError(llvm::toString(file.takeError()) +
                                 "; give the config.json of the model as a "
                                 "file here, nothing is downloaded");
}

LogicalResult translateMain(int argc, char **argv, StringRef overview) {
  cl::opt<std::string> inputPath(cl::Positional, cl::init("-"),
                                 cl::desc("<input file>"));
  cl::opt<std::string> outputPath("o", cl::init("-"), cl::desc("Output file"),
                                  cl::value_desc("filename"));
  cl::list<const Translation *, bool, TranslationParser> translations(
      "", cl::desc("Importers"), cl::Required);
  registerTranslationCLOptions();
  // This option is for importers of MLIR, which read modules.
  if (cl::Option *option =
          cl::getRegisteredOptions().lookup("no-implicit-module"))
    option->setHiddenFlag(cl::Hidden);
  llvm::InitLLVM init(argc, argv);
  parseCommandLine(argc, argv, overview,
                   "'llm-opt --help' passes and machines");
  if (translations.size() != 1)
    return fail(llvm::createStringError("one importer at a time, got " +
                                        llvm::Twine(translations.size())));

  auto input = openInput(inputPath);
  if (!input)
    return fail(input.takeError());
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(*input), SMLoc());
  MLIRContext context;
  ToolDiagnostics diagnostics("llm-translate", &context, sources);
  std::string text;
  llvm::raw_string_ostream os(text);
  LogicalResult result = (*translations.front())(sources, os, &context);
  if (failed(result))
    return failure();
  llvm::Error error = writeOutputFile(
      outputPath, [&](raw_ostream &stream) { stream << os.str(); });
  return error ? fail(std::move(error)) : success();
}

} // namespace mlir::llm
