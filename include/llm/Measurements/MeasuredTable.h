//===- MeasuredTable.h - Times of ops as they were measured -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_MEASUREMENTS_MEASUREDTABLE_H
#define LLM_MEASUREMENTS_MEASUREDTABLE_H

#include "llm/Files/LocatedCsv.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::llm {

struct RowProgram;

/// One measurement of one op. Sizes are those of one device.
struct MeasuredRow {
  explicit MeasuredRow(Location location) : location(location) {}

  Location location;
  std::string id, source, device, model, opKind, dtype, backend, timing, note;
  /// The type of the cache of attention. A table that has it is of a serving
  /// framework, which writes the new keys, too.
  std::string kvDtype;
  /// The library that the row's program names. Empty: the backend is it.
  std::string library;
  /// Of rows that go to experts: "balanced" spreads the experts of a token over
  /// as many devices as it can. Otherwise they lie on any.
  std::string routing;
  /// Sizes of a product: out[m, n] = lhs[m, k] rhs[k, n].
  std::optional<int64_t> m, n, k;
  /// Sizes of attention: `qLen` new tokens of each of `batch` sequences see
  /// `kvLen` keys, new ones included.
  std::optional<int64_t> batch, heads, kvHeads, headDim, qLen, kvLen, causal;
  /// Keys that a query sees (0: all), and features of a value if it has not as
  /// many as a key.
  std::optional<int64_t> window, valueDim;
  /// Sizes of norms and elementwise ops.
  std::optional<int64_t> rows, cols;
  /// It is 1 if all data that is touched between repeats fits into the
  /// last-level cache.
  std::optional<int64_t> cacheResident;
  /// Sizes of collectives.
  std::optional<int64_t> devices, messageBytes;
  /// Experts of a token, whose row goes to them.
  std::optional<int64_t> topK;
  /// All cells that are not empty, by the names of their columns, for programs
  /// of rows.
  std::map<std::string, std::string> cells;
  /// Programs of kinds of rows, before those that are built in; may be null
  /// (RowPrograms.h).
  std::shared_ptr<const std::vector<RowProgram>> programs;
  /// The time that predictions are compared with. It is the median. It is the
  /// mean if the clock (1 us) is too coarse for the time and the repeats agree
  /// (`readMeasuredTable`).
  double microseconds = 0;

  /// The library whose figures of kernels are taken.
  const std::string &kernelLibrary() const {
    return library.empty() ? backend : library;
  }
  /// Says whether the kernels were measured in a replayed CUDA graph.
  bool isReplayed() const { return StringRef(timing).starts_with("cudagraph"); }
  /// Says whether attention was measured together with the write of the new
  /// keys. That is so if the note says so, if the type of the cache is given,
  /// and in vLLM's profile by layers, whose layer "attention" does both.
  bool writesCache() const {
    return !kvDtype.empty() ||
           StringRef(note).contains_insensitive("KV-cache write") ||
           timing == "kernel_layerwise_prof";
  }

  InFlightDiagnostic emitError() const { return mlir::emitError(location); }
};

/// A column of the file: its name and its meaning.
struct MeasuredColumn {
  StringRef name, meaning;
  StringRef otherName = ""; ///< in tables of other tools; empty: none
};
std::vector<MeasuredColumn> measuredColumns();

/// Reads a CSV file whose first row names the columns, in any order. `op_kind`
/// and `measured_us` are required, and so are the sizes of each kind of op.
/// Unknown columns (figures derived from the others) are ignored, with a
/// warning if the name looks misspelled.
///
/// The mean is taken instead of the median if the time is below 30 us,
/// `mean_us` and `std_us` are given, and the standard deviation is below 0.3 of
/// the mean. Profilers count in whole microseconds.
///
/// These are errors, located in the file: the file or a required column is
/// missing, a cell is not a number, or a time is not from 1e-6 to 1e12 us.
///
/// With `Times::Ignored`, the table is one of shapes: columns of times are not
/// read, and need not be there.
enum class Times { Required, Ignored };
FailureOr<std::vector<MeasuredRow>>
readMeasuredTable(
    StringRef path, MLIRContext *context, Times times = Times::Required,
    std::shared_ptr<const std::vector<RowProgram>> programs = nullptr);

/// Describes the sizes that the row gives: "m=2048 n=4096 k=4096".
std::string describeShape(const MeasuredRow &row);

/// Says which rows of a table to keep. An empty list keeps everything.
struct MeasuredFilter {
  std::vector<std::string> devices, opKinds, sources, backends;
  bool accepts(const MeasuredRow &row) const;
};

} // namespace mlir::llm

#endif // LLM_MEASUREMENTS_MEASUREDTABLE_H
