//===- RangeTable.h - Where the time of a recorded run went -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the time in ranges. Each piece of work (`listOwnWork`) counts for
// the ranges around it or around its launch. Ranges with the same path are one
// row. Work outside of all ranges is a row, too. So the rows of the outermost
// ranges add up to the whole.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_RANGETABLE_H
#define LLM_TRACEIMPORT_RANGETABLE_H

#include "llm/TraceImport/ImportedTrace.h"

namespace mlir::llm {

/// The elements of a path: ranges, with `Ops` also ops of a framework, and with
/// `Kernels` also the names of the work.
enum class RangeLevels { Ranges, Ops, Kernels };

/// How the table is divided: not at all, or with separate rows for each run of
/// a range, each thread, or each process of the host.
enum class RangeGroups { All, Pass, Thread, Process };

struct RangeTableOptions {
  RangeLevels levels = RangeLevels::Ranges;
  RangeGroups groups = RangeGroups::All;
  /// The range whose runs are passes. If it is empty, these are the outermost
  /// ranges.
  std::string pass;
  /// Whether "layer.3" and "layer.4" are one row, "layer.*".
  bool mergesNumbers = false;
};

struct RangeFigures {
  uint64_t calls = 0; ///< number of ranges or, in a row of work, of pieces
  /// The number of pieces of each kind that ran: work of devices, or ops of the
  /// host if the trace has no device.
  uint64_t kernels = 0, copies = 0, fills = 0, ops = 0;
  uint64_t nanoseconds = 0;     ///< of all these pieces
  uint64_t selfNanoseconds = 0; ///< of the pieces that are in no row below
};

struct RangeRow {
  static constexpr uint32_t none = ~uint32_t(0);

  std::string name;
  bool isOutside = false; ///< the row of work outside of all ranges
  uint32_t parent = none; ///< index of the row above
  unsigned depth = 0;     ///< 0 for outermost ranges
  uint32_t group = 0;
  RangeFigures figures;
};

struct RangeTable {
  /// The most levels. Deeper ranges count for the range around them.
  static constexpr unsigned maxDepth = 64;

  RangeTableOptions options;
  /// The names of groups, such as "pass 0". If the table is not divided, there
  /// is one group without a name.
  std::vector<std::string> groups;
  /// The rows, sorted by group and time. A row comes before those below it.
  std::vector<RangeRow> rows;
  bool hasPasses = false;         ///< whether passes were found
  RangeFigures total;             ///< of all rows, without calls
  std::vector<std::string> notes; ///< of the trace, and of the table

  /// Returns the path as text: ":fwd.layer.attn". A name is quoted if it is
  /// empty or has dots, quotes or characters that cannot be printed:
  /// `:fwd."layer.3"`. For work in no range it is "(no range)".
  std::string pathOf(uint32_t row) const;
};

/// Makes the table in O(n log n) for n events.
RangeTable makeRangeTable(const ImportedTrace &trace,
                          const RangeTableOptions &options);

/// Prints the table for people, with indented names.
void printRangeTable(const RangeTable &table, raw_ostream &os);
/// Prints the table as CSV, with one line for each row.
void printRangeCsv(const RangeTable &table, raw_ostream &os);
/// Prints the table as JSON, with format, devices, span and notes of the trace.
void printRangeJson(const RangeTable &table, const ImportedTrace &trace,
                    raw_ostream &os);

/// Prints a summary of a trace for people: a line for each fact, then the
/// notes.
void printTraceSummary(const ImportedTrace &trace, ArrayRef<std::string> notes,
                       raw_ostream &os);
/// Returns the time from the first event's start to the last one's end.
int64_t spanNanoseconds(const ImportedTrace &trace);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_RANGETABLE_H
