//===- TraceCounters.h - Bandwidth and engines over time --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_TRACECOUNTERS_H
#define LLM_LIB_EXPORT_TRACECOUNTERS_H

#include "SlotSweep.h"
#include "TraceWriter.h"

namespace mlir::llm {

/// Loop boundaries are barriers, so the runs of slots within one stretch can be
/// ordered once and replayed for each of its runs.
class TraceCounters {
public:
  TraceCounters(const Timeline &timeline, const Target &target,
                TraceWriter &writer);
  /// The samples up to the end of a run; runs come in the order of time.
  void replay(const StretchRun &run);
  /// The last sample.
  void finish();

private:
  /// What slots hold while they run: lanes of memories, an engine of a group.
  using Use = SmallVector<std::pair<unsigned, int64_t>, 2>; // counter, amount
  unsigned findUse(StringRef engine, DictionaryAttr lanes);
  SlotSweep makeSweep(const ProgramItem &stretch);
  void write(unsigned memory);
  void writeBusy();

  const Timeline &timeline;
  const Target &target;
  TraceWriter &writer;
  SmallVector<const Memory *> memories;
  /// Lanes held per shared memory, then engines busy per group.
  std::vector<int64_t> values, written;
  int64_t now = 0; ///< nanoseconds
  std::vector<Use> uses;
  DenseMap<std::pair<unsigned, Attribute>, unsigned> useOf; ///< group, lanes
  DenseMap<const ProgramItem *, SlotSweep> sweeps;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_TRACECOUNTERS_H
