//===- TraceRows.h - Ops of a foreign trace as measured rows ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_TRACEROWS_H
#define LLM_PROFILE_TRACEROWS_H

#include "llm/Measurements/MeasuredTable.h"
#include "llm/TraceImport/ImportedTrace.h"

namespace mlir::llm {

struct TraceRows {
  /// There is one row for each combination of kind of op, type, sizes and
  /// device, in the order in which they ran first. The time is the median of
  /// all runs.
  std::vector<MeasuredRow> rows;
  std::vector<std::string> notes; ///< which ops have no row, and why
};

/// Makes rows of PyTorch's ops whose sizes the trace has: products, attention,
/// norms and elementwise ops. Their time is that of their kernels, or of the op
/// itself if no device is in the trace. Ops inside an op that has a row count
/// for that row.
TraceRows makeTraceRows(const ImportedTrace &trace, Location location);

} // namespace mlir::llm

#endif // LLM_PROFILE_TRACEROWS_H
