//===- SlotSweep.h - Starts and ends of slots in order ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of slots is two series of cycles with equal steps: the starts and the
// ends. By merging the series of all runs, a sweep visits all slots in the
// order of time without listing them. It takes only as much memory as the runs
// do in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_SLOTSWEEP_H
#define LLM_RESULTS_SLOTSWEEP_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <vector>

namespace mlir::llm {

/// What each span of a series is.
enum class SpanKind : uint8_t {
  Slot,      ///< a part of an op
  Fetch,     ///< a fetch ahead of a part
  Beside,    ///< a part on a further engine that it holds
  OpRun,     ///< slots of an op that follow each other on an engine
  FetchRun,  ///< fetches of an op that follow each other on an engine
  BesideRun, ///< slots that follow each other on a further engine
  Idle,      ///< an engine without work
  Layer,
  Path,  ///< a step of the critical path
  Held,  ///< what something holds; no slice, only for counters
  Event, ///< what is there from then on; no slice, only for counters
};

/// `count` spans of one length at equal distances.
struct SlotSeries {
  int64_t startCycle = 0, endCycle = 0; ///< of the first one
  int64_t stride = 0, count = 1;
  SpanKind kind = SpanKind::Slot;
  bool isOuter = false; ///< other spans of its track lie in its spans
  unsigned use = 0;     ///< what its spans hold (see `TraceCounters`)
  unsigned owner = 0;   ///< its op, or its number in the list of its kind
  unsigned item = 0;    ///< which run of slots of the op
  unsigned fetch = 0;   ///< which fetch, or which further engine
  int64_t first = 0;    ///< place of its first span in the run of slots
  int64_t position = 0; ///< place of its first span among the op's slots

  bool isSlice() const {
    return kind != SpanKind::Held && kind != SpanKind::Event;
  }
};

class SlotSweep {
public:
  explicit SlotSweep(std::vector<SlotSeries> series);

  /// A function that gets the start or the end of span number `index` of a
  /// series.
  using Visit = ::llvm::function_ref<void(
      const SlotSeries &series, int64_t index, int64_t cycle, bool isStart)>;

  /// Visits starts and ends in the order of cycles. Each takes O(log n) for n
  /// series under way. In one cycle, ends come first, inner before outer. Then
  /// come spans without length, with start and end, and then starts, outer
  /// before inner. Apart from that, the order is that of the series.
  void run(Visit visit) const;

  /// Returns the number of spans of all series of slices, or of all other
  /// series.
  int64_t count(bool slices) const;

private:
  std::vector<SlotSeries> all; ///< sorted by start
};

} // namespace mlir::llm

#endif // LLM_RESULTS_SLOTSWEEP_H
