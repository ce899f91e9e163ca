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

namespace {
/// What a pass writes, and the suffixes of such files, the usual one first.
struct Form {
  StringRef pass, what;
  ArrayRef<StringRef> suffixes;
};
} // namespace

/// Where several write files with a suffix, the first is the one that is meant.
static ArrayRef<Form> allForms() {
  static constexpr StringRef tables[] = {"json", "csv"}, json[] = {"json"},
                             pages[] = {"html", "htm"},
                             graphs[] = {"dot", "gv"},
                             traces[] = {"pftrace", "json", "gz"};
  static constexpr Form forms[] = {
      {"llm-export-report", "a report", tables},
      {"llm-export-html", "a page", pages},
      {"llm-export-perfetto", "a trace", traces},
      {"llm-export-dot", "a graph in Graphviz' language", graphs},
      {"llm-export-model-explorer", "a graph for Model Explorer", json},
      {"llm-export-problem", "a scheduling problem", json},
      {"llm-export-queues", "queues", json}};
  return forms;
}

/// Returns the suffix that a file should have instead of one that says what no
/// export of ours writes there; "" if it may have its own. Browsers show a page
/// by its suffix, so that it needs one.
static StringRef findSuffix(const Form &own, StringRef path, StringRef suffix) {
  bool isReport = own.pass == "llm-export-report";
  if (::llvm::is_contained({"xlsx", "xls", "ods"}, suffix))
    return isReport ? "csv" : own.suffixes.front();
  bool lacksOne = own.pass == "llm-export-html" && suffix.empty() &&
                  path != "-" && !path.starts_with("/dev/");
  return (suffix == "txt" && !isReport) || lacksOne ? own.suffixes.front() : "";
}

/// A file holds what its suffix says. Names with other suffixes may hold
/// anything.
static LogicalResult checkSuffix(const Pass &pass, StringRef path,
                                 MLIRContext *context) {
  auto [stem, suffix] = path.rsplit('.');
  auto writes = [suffix = suffix](const Form &form) {
    return ::llvm::is_contained(form.suffixes, suffix);
  };
  const Form *own = ::llvm::find_if(allForms(), [&](const Form &form) {
    return form.pass == pass.getArgument();
  });
  const Form *other = ::llvm::find_if(allForms(), writes);
  bool isIr = suffix == "mlir";
  if (own != allForms().end())
    if (StringRef wanted = findSuffix(*own, path, suffix); !wanted.empty())
      return emitFileError(pass, context)
             << "'" << path << "' would hold " << own->what << "; name it '"
             << stem << "." << wanted << "'";
  if (own == allForms().end() || writes(*own) ||
      (other == allForms().end() && !isIr))
    return success();
  for (StringRef known : own->suffixes) // a.json.gz
    if (stem.consume_back(known))
      stem = stem.rtrim('.');
  InFlightDiagnostic error = emitFileError(pass, context);
  error << "'" << path << "' would hold " << own->what << "; name it '" << stem
        << "." << own->suffixes.front() << "'";
  if (isIr)
    return error << ", and write the IR with -o " << path;
  return error << ", or write " << other->what << " with --" << other->pass
               << "=file=" << path;
}

InFlightDiagnostic mlir::llm::emitFormatError(const Pass &pass, StringRef path,
                                              MLIRContext *context) {
  return emitError(UnknownLoc::get(context))
         << "--" << pass.getArgument()
         << ": the format is not that of the file '" << path
         << "'; leave 'format' out, and the suffix decides";
}

LogicalResult mlir::llm::checkExportedFile(const Pass &pass, StringRef path,
                                           MLIRContext *context) {
  // Some exports go to the terminal where no file is named.
  if (path.empty())
    return success();
  if (failed(checkSuffix(pass, path, context)))
    return failure();
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
