//===- TraceWriter.h - The format of a trace's file -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_TRACEWRITER_H
#define LLM_TRACE_TRACEWRITER_H

#include "llm/Files/GzipOutput.h"
#include "llm/Trace/TraceSink.h"

#include <optional>

namespace mlir::llm {

/// Chrome's JSON, and Perfetto's own format; both also compressed with gzip.
enum class TraceEncoding { Json, JsonGzip, Proto, ProtoGzip };

/// Returns the suffix of files with a format, such as ".json.gz".
StringRef suffixOf(TraceEncoding encoding);

/// Returns the format that the suffix of a file stands for; nothing for others.
std::optional<TraceEncoding> encodingOfSuffix(StringRef file);

/// The same; files with other suffixes, or none, are JSON.
TraceEncoding encodingOf(StringRef file);

/// Says what is wrong with the name of a trace that a tool is to write: its
/// suffix is that of no format. Empty if nothing is; standard output and
/// devices are JSON.
std::string findFaultOfTraceName(StringRef file);

/// Makes a sink that writes to a stream. What it writes is complete when it is
/// destroyed.
class TraceWriter {
public:
  TraceWriter(TraceEncoding encoding, ::llvm::raw_ostream &os);
  TraceSink &sink() { return *own; }

private:
  std::optional<GzipOutput> compressed;
  std::unique_ptr<TraceSink> own;
};

} // namespace mlir::llm

#endif // LLM_TRACE_TRACEWRITER_H
