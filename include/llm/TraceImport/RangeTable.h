//===- RangeTable.h - Where the time of a recorded run went -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each piece of work (`listOwnWork`) counts for the ranges around it, across
// the launch. Ranges of one path are one row. Work outside all ranges is a row,
// too. So the rows of the outermost ranges add up to the whole.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_RANGETABLE_H
#define LLM_TRACEIMPORT_RANGETABLE_H

#include "llm/TraceImport/ImportedTrace.h"

namespace mlir::llm {

/// What a path is made of: ranges, and perhaps also ops of a framework, and the
/// names of the work.
enum class RangeLevels { Ranges, Ops, Kernels };

/// What has rows of its own in the table: nothing, or each run of a range, or
/// each thread or process of the host.
enum class RangeGroups { All, Pass, Thread, Process };

struct RangeTableOptions {
  RangeLevels levels = RangeLevels::Ranges;
  RangeGroups groups = RangeGroups::All;
  /// The range whose runs are passes; if empty, the outermost ones.
  std::string pass;
  /// "layer.3" and "layer.4" are one row, "layer.*".
  bool mergesNumbers = false;
};

struct RangeFigures {
  uint64_t calls = 0; ///< of ranges; of rows of work, its pieces
  /// What ran: work of devices, or ops of the host if the trace has no device.
  uint64_t kernels = 0, copies = 0, fills = 0, ops = 0;
  uint64_t nanoseconds = 0;     ///< of all that ran
  uint64_t selfNanoseconds = 0; ///< of that outside of all rows beneath
};

struct RangeRow {
  static constexpr uint32_t none = ~uint32_t(0);

  std::string name;
  bool isOutside = false; ///< outside of all ranges; no name and parent
  uint32_t parent = none; ///< number of a row
  unsigned depth = 0;     ///< 0 for outermost ranges
  uint32_t group = 0;
  RangeFigures figures;
};

struct RangeTable {
  /// Ranges that lie deeper count for the range around them.
  static constexpr unsigned maxDepth = 64;

  RangeTableOptions options;
  /// Its name, such as "pass 0". There is one without a name if all rows are in
  /// it.
  std::vector<std::string> groups;
  /// The rows by group, in the order of time. Each row is ahead of those in it.
  std::vector<RangeRow> rows;
  bool hasPasses = false;         ///< of `RangeGroups::Pass`
  RangeFigures total;             ///< of all rows, without calls
  std::vector<std::string> notes; ///< of the trace, and of the table

  /// ":fwd.layer.attn". A name that is empty, or has dots, quotes or what
  /// cannot be printed is quoted: `:fwd."layer.3"`. "(no range)" if work is in
  /// no range.
  std::string pathOf(uint32_t row) const;
};

/// Makes the table in O(n log n) for n events.
RangeTable makeRangeTable(const ImportedTrace &trace,
                          const RangeTableOptions &options);

/// Writes it for people, as indented names.
void printRangeTable(const RangeTable &table, raw_ostream &os);
/// Writes one line for each row.
void printRangeCsv(const RangeTable &table, raw_ostream &os);
/// Writes it with what was read: format, devices, span, notes.
void printRangeJson(const RangeTable &table, const ImportedTrace &trace,
                    raw_ostream &os);

/// Says what a trace is, for people, with a line for each fact and notes at the
/// end.
void printTraceSummary(const ImportedTrace &trace, ArrayRef<std::string> notes,
                       raw_ostream &os);
/// Returns the time from the first event's start to the last one's end.
int64_t spanNanoseconds(const ImportedTrace &trace);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_RANGETABLE_H
