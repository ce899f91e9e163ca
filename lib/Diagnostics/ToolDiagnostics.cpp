//===- ToolDiagnostics.cpp - Errors of a tool -----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Diagnostics/ToolDiagnostics.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::llm;

static StringRef describe(DiagnosticSeverity severity) {
  if (severity == DiagnosticSeverity::Error)
    return "error: ";
  return severity == DiagnosticSeverity::Warning ? "warning: " : "note: ";
}

static void printMessage(const Diagnostic &diagnostic) {
  ::llvm::errs() << describe(diagnostic.getSeverity()) << diagnostic << "\n";
}

static void printOne(const Diagnostic &diagnostic) {
  if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    ::llvm::errs() << place.getFilename().getValue() << ":" << place.getLine()
                   << ":" << place.getColumn() << ": ";
  printMessage(diagnostic);
}

static std::string findLine(FileLineColLoc place) {
  auto file = ::llvm::MemoryBuffer::getFile(place.getFilename().getValue());
  if (!file)
    return "";
  ::llvm::line_iterator line(**file, /*SkipBlanks=*/false);
  while (!line.is_at_eof() && line.line_number() < place.getLine())
    ++line;
  return line.is_at_eof() ? "" : line->str();
}

bool llm::printIfLineIsLong(const Diagnostic &diagnostic) {
  constexpr size_t longest = 160, before = 60;
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (!place || place.getLine() == 0 ||
      diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    return false;
  std::string line = findLine(place);
  size_t column = place.getColumn() - 1;
  if (line.size() <= longest || column >= line.size())
    return false;
  size_t begin = column > before ? column - before : 0;
  StringRef cut = StringRef(line).substr(begin, longest);
  StringRef head = begin ? "..." : "";
  bool isEnd = begin + longest >= line.size();
  printOne(diagnostic);
  ::llvm::errs() << head << cut << (isEnd ? "" : "...") << "\n";
  ::llvm::errs().indent(head.size() + column - begin) << "^\n";
  for (const Diagnostic &note : diagnostic.getNotes())
    printOne(note);
  return true;
}

bool llm::printIfPlaceless(StringRef tool, const Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  bool isPlaceless = isa<UnknownLoc>(diagnostic.getLocation()) ||
                     (place && place.getLine() == 0);
  if (!isPlaceless || diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    return false;
  ::llvm::errs() << (place ? place.getFilename().strref() : tool) << ": ";
  printMessage(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    printOne(note);
  return true;
}

void llm::printPlain(const Diagnostic &diagnostic) {
  printOne(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    printOne(note);
}

/// Whether an error is about weights, by the name of the file, or the first
/// bytes of a GGUF file.
static bool isAboutWeights(const Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (!place)
    return false;
  StringRef path = place.getFilename().getValue(), magic = "GGUF";
  if (path.ends_with(".safetensors") || path.ends_with(".gguf"))
    return true;
  auto start = ::llvm::MemoryBuffer::getFileSlice(path, magic.size(), 0);
  return start && (*start)->getBuffer() == magic;
}

ToolDiagnostics::ToolDiagnostics(StringRef tool, MLIRContext *context,
                                 std::shared_ptr<::llvm::SourceMgr> texts)
    : tool(tool), sources(std::move(texts)), inFiles(*sources, context),
      withoutLine(context, [this](Diagnostic &diagnostic) {
        if (isAboutWeights(diagnostic)) {
          printPlain(diagnostic);
          return success();
        }
        return success(printIfPlaceless(this->tool, diagnostic) ||
                       printIfLineIsLong(diagnostic));
      }) {}
