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

/// Chrome's JSON, the same compressed, or Perfetto's own format.
enum class TraceEncoding { Json, JsonGzip, Proto };

/// Returns the format of a file by its name: "x.pftrace", "x.json.gz", else
/// JSON.
TraceEncoding encodingOf(StringRef file);

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
