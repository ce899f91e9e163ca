//===- SlotSweep.h - Starts and ends of slots in order ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of slots is two series of equal steps, of starts and of ends. Merging
// the series of all runs visits the slots in the order of time without a list
// of them. The memory it takes is that of the runs, as the IR holds them.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_SLOTSWEEP_H
#define LLM_RESULTS_SLOTSWEEP_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <vector>

namespace mlir::llm {

/// What the spans of a series are.
enum class SpanKind : uint8_t {
  Slot,      ///< a part of an op
  Fetch,     ///< a fetch ahead of a part
  Beside,    ///< a part on an engine that it holds beside its own
  OpRun,     ///< slots of an op that follow each other on an engine
  FetchRun,  ///< fetches of an op that do
  BesideRun, ///< slots that do on engines beside their own
  Idle,      ///< an engine without work
  Layer,
  Path,  ///< a step of the critical path
  Held,  ///< no slice: what something holds, for counters
  Event, ///< no slice: what is there from then on, for counters
};

/// `count` spans of one length at equal distances.
struct SlotSeries {
  int64_t startCycle = 0, endCycle = 0; ///< of the first one
  int64_t stride = 0, count = 1;
  SpanKind kind = SpanKind::Slot;
  bool isOuter = false; ///< others on its track lie in it
  unsigned use = 0;     ///< what they hold (`TraceCounters`)
  unsigned owner = 0;   ///< the op, or the number in the list of its kind
  unsigned item = 0;    ///< of the op: its run of slots
  unsigned fetch = 0;   ///< the number of a fetch, or of an engine beside
  int64_t first = 0;    ///< the first one's place in the run of slots
  int64_t position = 0; ///< its place among all slots of the op

  bool isSlice() const {
    return kind != SpanKind::Held && kind != SpanKind::Event;
  }
};

class SlotSweep {
public:
  explicit SlotSweep(std::vector<SlotSeries> series);

  /// The start or the end of span number `index` of a series.
  using Visit = ::llvm::function_ref<void(
      const SlotSeries &series, int64_t index, int64_t cycle, bool isStart)>;

  /// Visits starts and ends in the order of cycles, with O(log n) each for n
  /// series under way. A cycle has first ends, inner before outer, then spans
  /// without length, start and end, and then starts, outer before inner. Equal
  /// ones are in the order of the series.
  void run(Visit visit) const;

  /// Returns all spans of all series of slices, or of the others.
  int64_t count(bool slices) const;

private:
  std::vector<SlotSeries> all; ///< by start
};

} // namespace mlir::llm

#endif // LLM_RESULTS_SLOTSWEEP_H
