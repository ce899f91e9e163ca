//===- ChromeKinds.h - What the categories of a trace mean ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_CHROMEKINDS_H
#define LLM_TRACEIMPORT_CHROMEKINDS_H

#include "ChromeJson.h"
#include "llm/TraceImport/ImportedTrace.h"

namespace mlir::llm {

struct ChromeKind {
  TraceEventKind kind;
  bool isOfDevice; ///< its lane is a stream
};

/// Finds the kind by category and name. `processName` is the text that the pid
/// is, since PyTorch without Kineto has such texts in place of categories.
ChromeKind classify(const ChromeEvent &event, StringRef processName,
                    bool isKineto);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_CHROMEKINDS_H
