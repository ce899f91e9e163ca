//===- TraceFormats.h - The formats of foreign traces -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_TRACEFORMATS_H
#define LLM_TRACEIMPORT_TRACEFORMATS_H

#include "TraceInput.h"
#include "llm/TraceImport/ImportedTrace.h"

namespace mlir::llm {

struct TraceFormat {
  StringRef name; ///< for people
  /// Whether a file that begins so, inflated, is of this format.
  bool (*isMine)(StringRef beginning);
  ::llvm::Expected<ImportedTrace> (*read)(TraceInput &input);
};

bool isChromeJson(StringRef beginning);
::llvm::Expected<ImportedTrace> readChromeJson(TraceInput &input);

/// Reads an SQLite export of Nsight Systems.
::llvm::Expected<ImportedTrace> readNsys(TraceInput &input);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_TRACEFORMATS_H
