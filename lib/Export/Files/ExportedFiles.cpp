//===- ExportedFiles.cpp - What a pipeline has written --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Console/ShowFile.h"
#include "llm/Files/OutputFile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"

namespace fs = llvm::sys::fs;
using namespace mlir;
using namespace mlir::llm;

/// Returns the same text for all paths to a file. It is empty if there is no
/// file, and for a device, which a second export does not replace.
static std::string identify(StringRef path) {
  if (isStandardOutput(path))
    return "-";
  fs::file_status status;
  if (fs::status(path, status) || status.type() != fs::file_type::regular_file)
    return "";
  fs::UniqueID id = status.getUniqueID();
  return std::to_string(id.getDevice()) + ":" + std::to_string(id.getFile());
}

static InFlightDiagnostic emitFileError(const Pass &pass,
                                        MLIRContext *context) {
  return emitError(UnknownLoc::get(context))
         << "--" << pass.getArgument() << "=file=...: ";
}

LogicalResult mlir::llm::checkExportedFile(const Pass &pass, StringRef path,
                                           MLIRContext *context) {
  // Some exports go to the terminal where no file is named.
  if (path.empty())
    return success();
  if (::llvm::Error error = checkOutputFile(path))
    return emitFileError(pass, context) << ::llvm::toString(std::move(error));
  return success();
}

LogicalResult mlir::llm::checkOpen(const Pass &pass, StringRef path,
                                   bool isOpened, MLIRContext *context) {
  if (!isOpened || !isStandardOutput(path))
    return success();
  return emitError(UnknownLoc::get(context))
         << "--" << pass.getArgument()
         << "=open shows a file, and what goes to standard output is none; "
            "name one: file=NAME";
}

LogicalResult ExportedFiles::open(const Pass &pass, StringRef path) {
  if (::llvm::Error error = showFile(path, ::llvm::errs()))
    return emitError(UnknownLoc::get(context))
           << "--" << pass.getArgument()
           << "=open: " << ::llvm::toString(std::move(error));
  return success();
}

void ExportedFiles::print(const Pass &pass,
                          function_ref<void(llvm::raw_ostream &)> write) {
  constexpr StringRef standardOutput = "-";
  auto [writer, isFirst] =
      writers.try_emplace(standardOutput, pass.getArgument().str());
  bool isOurs = writer->second == pass.getArgument();
  if (!isStandardOutputFree() || !isOurs) {
    if (isFirst)
      writers.erase(writer);
    return write(::llvm::errs());
  }
  write(::llvm::outs());
  ::llvm::outs().flush();
}

LogicalResult
ExportedFiles::write(const Pass &pass, StringRef path,
                     function_ref<void(llvm::raw_ostream &)> write) {
  if (auto known = writers.find(identify(path)); known != writers.end())
    return emitFileError(pass, context)
           << "'" << path << "' was just written by --" << known->second
           << "; give each export a file of its own";
  if (::llvm::Error error = writeOutputFile(path, write))
    return emitFileError(pass, context) << ::llvm::toString(std::move(error));
  if (std::string file = identify(path); !file.empty())
    writers[file] = pass.getArgument().str();
  return success();
}
