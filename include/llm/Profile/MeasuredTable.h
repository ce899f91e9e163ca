//===- MeasuredTable.h - Times of ops as they were measured -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROFILE_MEASUREDTABLE_H
#define LLM_PROFILE_MEASUREDTABLE_H

#include "llm/Files/LocatedCsv.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::llm {

/// One measurement of one op. Sizes are those of one device.
struct MeasuredRow {
  explicit MeasuredRow(Location location) : location(location) {}

  Location location;
  std::string id, source, device, model, opKind, dtype, backend, timing, note;
  /// Of rows that go to experts: "balanced" spreads the experts of a token over
  /// as many devices as it can. Otherwise they lie on any.
  std::string routing;
  /// out[m, n] = lhs[m, k] rhs[k, n].
  std::optional<int64_t> m, n, k;
  /// Attention: `qLen` new tokens of each of `batch` sequences see `kvLen`
  /// keys, new ones included.
  std::optional<int64_t> batch, heads, kvHeads, headDim, qLen, kvLen, causal;
  /// Norms and elementwise ops.
  std::optional<int64_t> rows, cols;
  /// It is 1 if what is touched between repeats fits into the last-level cache.
  std::optional<int64_t> cacheResident;
  /// Collectives.
  std::optional<int64_t> devices, messageBytes;
  /// Experts of a token, whose row goes to them.
  std::optional<int64_t> topK;
  /// The time that is compared. It is the median, or the mean if the resolution
  /// of the clock (1 us) blurs the time and the repeats agree
  /// (`readMeasuredTable`).
  double microseconds = 0;

  /// Says whether it was measured as kernels of a graph that is replayed.
  bool isReplayed() const { return StringRef(timing).starts_with("cudagraph"); }
  /// Says whether attention was measured together with the write of the new
  /// keys. That is so if the row says so, and in vLLM's profile by layers,
  /// whose layer "attention" does both.
  bool writesCache() const {
    return StringRef(note).contains_insensitive("KV-cache write") ||
           timing == "kernel_layerwise_prof";
  }

  InFlightDiagnostic emitError() const { return mlir::emitError(location); }
};

/// A column of the file: its name, and what stands in it.
struct MeasuredColumn {
  StringRef name, meaning;
};
std::vector<MeasuredColumn> measuredColumns();

/// Reads a CSV file whose first row names the columns, in any order. `op_kind`
/// and `measured_us` are required, and so are the sizes of each kind of op.
/// Columns that are not known (figures derived from the others) are ignored,
/// with a warning if the name looks like a misspelled one.
///
/// If a time is below 30 us and `mean_us` and `std_us` are given, with a
/// standard deviation below 0.3 of the mean, the mean is taken, because
/// profilers count in whole microseconds.
///
/// Errors are located in the file: no such file, no required column, a cell
/// that is no number, a time of 0 or below, or outside of 1e-6 to 1e12 us.
FailureOr<std::vector<MeasuredRow>> readMeasuredTable(StringRef path,
                                                      MLIRContext *context);

/// Says what to keep of a table. An empty list keeps everything.
struct MeasuredFilter {
  std::vector<std::string> devices, opKinds, sources, backends;
  bool accepts(const MeasuredRow &row) const;
};

} // namespace mlir::llm

#endif // LLM_PROFILE_MEASUREDTABLE_H
