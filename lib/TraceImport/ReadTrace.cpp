//===- ReadTrace.cpp - Which reader a foreign trace is for ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GgmlFormats.h"
#include "TraceFormats.h"
#include "llm/TraceImport/GgmlCapture.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

/// Whether the first bytes are those of Perfetto and of our own exports: a
/// message of `Trace.packet` whose first field is its time, its sequence or an
/// event.
static bool isPerfettoProto(StringRef beginning) {
  if (!beginning.consume_front("\n"))
    return false;
  while (!beginning.empty() && (beginning.front() & 0x80))
    beginning = beginning.drop_front(); // drops the length
  beginning = beginning.drop_front(std::min<size_t>(1, beginning.size()));
  return !beginning.empty() && StringRef("\x40\x50\x5a").contains(beginning[0]);
}

static ::llvm::Expected<ImportedTrace> refusePerfettoProto(TraceInput &input) {
  return input.fail(
      0, "this is a trace of Perfetto in its own format (.pftrace), which is "
         "not read here; convert it with Perfetto's tool, 'traceconv json IN "
         "OUT', or record or export it as Chrome JSON");
}

static bool isSqlite(StringRef beginning) {
  return beginning.starts_with(StringRef("SQLite format 3\0", 16));
}

/// The known formats. The first one that fits the first bytes of a file is
/// taken.
static const TraceFormat formats[] = {
    {"trace in Perfetto's own format", isPerfettoProto, refusePerfettoProto},
    {"JSON of Chrome, Perfetto or Kineto (PyTorch)", isChromeJson,
     readChromeJson},
    {"capture of ggml (libllm-ggml-trace.so)", isGgmlCapture,
     readGgmlCaptureTrace},
    {"trace of ggml-viz", isGgmlViz, readGgmlViz},
    {"SQLite export of Nsight Systems", isSqlite, readNsys},
};

static std::string describeBeginning(StringRef beginning) {
  if (beginning.empty())
    return "the file is empty";
  std::string text = "the file begins with \"";
  for (char c : beginning.take_front(16))
    if (::llvm::isPrint(c) && c != '"' && c != '\\')
      text += c;
    else
      text += "\\x" + ::llvm::toHex(StringRef(&c, 1), /*LowerCase=*/true);
  return text + "\"";
}

StringRef mlir::llm::findTraceFormat(StringRef path) {
  ::llvm::Expected<TraceInput> input = TraceInput::open(path);
  ::llvm::Expected<StringRef> beginning =
      input ? input->peek() : input.takeError();
  if (!beginning) {
    ::llvm::consumeError(beginning.takeError());
    return "";
  }
  for (const TraceFormat &format : formats)
    if (format.isMine(*beginning))
      return format.name;
  return "";
}

static ::llvm::Expected<ImportedTrace>
readAny(::llvm::Expected<TraceInput> input) {
  if (!input)
    return input.takeError();
  ::llvm::Expected<StringRef> beginning = input->peek();
  if (!beginning)
    return beginning.takeError();
  for (const TraceFormat &format : formats)
    if (format.isMine(*beginning))
      return format.read(*input);
  std::string known;
  for (const TraceFormat &format : formats)
    if (format.read != refusePerfettoProto)
      known += (known.empty() ? "" : ", ") + format.name.str();
  return input->fail(
      0, "no trace of a known format: " + describeBeginning(*beginning) +
             "; what is read is " + known);
}

::llvm::Expected<ImportedTrace> mlir::llm::readTrace(StringRef path) {
  return readAny(TraceInput::open(path));
}

::llvm::Expected<ImportedTrace>
mlir::llm::readTrace(::llvm::MemoryBufferRef bytes) {
  return readAny(TraceInput::open(bytes));
}
