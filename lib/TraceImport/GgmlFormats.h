//===- GgmlFormats.h - Traces of programs of ggml ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_GGMLFORMATS_H
#define LLM_TRACEIMPORT_GGMLFORMATS_H

#include "TraceInput.h"
#include "llm/TraceImport/ImportedTrace.h"

namespace mlir::llm {

/// Reads what libllm-ggml-trace.so writes. `isGgmlCapture` recognizes it.
::llvm::Expected<ImportedTrace> readGgmlCaptureTrace(TraceInput &input);

/// Whether a file that begins so is of ggml-viz (GGMLVIZ1).
bool isGgmlViz(StringRef beginning);
::llvm::Expected<ImportedTrace> readGgmlViz(TraceInput &input);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_GGMLFORMATS_H
