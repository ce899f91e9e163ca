//===- TraceCounters.h - Bandwidth and engines over time --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_TRACECOUNTERS_H
#define LLM_LIB_EXPORT_TRACECOUNTERS_H

#include "TraceWriter.h"

namespace mlir::llm {

/// Loop boundaries are barriers, so the changes within one stretch can be
/// sorted once and replayed for each of its runs.
class TraceCounters {
public:
  TraceCounters(const Timeline &timeline, const Target &target,
                TraceWriter &writer);
  /// The samples up to the end of a run; runs come in the order of time.
  void replay(const StretchRun &run);
  /// The last sample.
  void finish();

private:
  struct Change {
    int64_t cycle; ///< relative to the run
    unsigned counter;
    int64_t delta;
  };
  std::vector<Change> collectChanges(const StretchRun &run) const;
  void write(unsigned memory);
  void writeBusy();

  const Timeline &timeline;
  const Target &target;
  TraceWriter &writer;
  SmallVector<const Memory *> memories;
  /// Lanes held per shared memory, then engines busy per group.
  std::vector<int64_t> values, written;
  int64_t now = 0; ///< nanoseconds
  DenseMap<const ProgramItem *, std::vector<Change>> changesOf;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_TRACECOUNTERS_H
