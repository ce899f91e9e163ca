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

/// The formats of traces: Chrome's JSON and Perfetto's own format, each plain
/// or compressed with gzip.
enum class TraceEncoding { Json, JsonGzip, Proto, ProtoGzip };

/// Returns the suffix of files in a format, such as ".json.gz".
StringRef suffixOf(TraceEncoding encoding);

/// Returns the format for the suffix of a file, or nothing for other suffixes.
std::optional<TraceEncoding> encodingOfSuffix(StringRef file);

/// Does the same. For other suffixes, or none, it returns JSON.
TraceEncoding encodingOf(StringRef file);

/// Says what is wrong with the name of a trace that a tool is to write: no
/// format has its suffix. It is empty if nothing is wrong. Standard output and
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
