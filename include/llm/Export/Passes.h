//===- Passes.h - Passes that write files about a schedule ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXPORT_PASSES_H
#define LLM_EXPORT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::llm {

/// What one unit of a trace's time axis stands for.
enum class TraceTime {
  Nanoseconds, ///< true time, rounded
  Cycles,      ///< one cycle is drawn as one nanosecond
};

/// What a slice of an engine's track stands for.
enum class TraceDetail {
  Layer, ///< engines have no tracks
  Op,    ///< parts of an op that follow each other
  Tile,  ///< one part of an op
};

enum class TraceFormat {
  Auto, ///< the file's name decides
  Json,
  JsonGzip,
  Proto,
  ProtoGzip
};

/// With `Auto`, the suffix of the file decides, and other files are tables.
enum class ReportFormat { Auto, Table, Json, Csv };

/// What the colour of a node stands for.
enum class DotColor { Time, Bound, Kind };

#define GEN_PASS_DECL
#include "llm/Export/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "llm/Export/Passes.h.inc"

} // namespace mlir::llm

#endif // LLM_EXPORT_PASSES_H
