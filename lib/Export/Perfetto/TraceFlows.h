//===- TraceFlows.h - Arrows between slices ---------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice gets one arrow from each run that it waits for, from the slice of
// that run that ends last, and one from each fetch for it. Both ends of an
// arrow are written with their slices, so each end must find the arrow's number
// on its own.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PERFETTO_TRACEFLOWS_H
#define LLM_LIB_EXPORT_PERFETTO_TRACEFLOWS_H

#include "TraceSpans.h"

namespace mlir::llm {

/// Names a slice of one run of an op by its number: the position among the
/// slots or among the runs of slots.
struct SliceOfRun {
  unsigned op;
  ArrayRef<int64_t> iterations;
  int64_t number;
};

class TraceFlows {
public:
  /// Fails with a diagnostic where there are more arrows than numbers.
  static FailureOr<TraceFlows>
  create(const Timeline &timeline, const TraceSpans &spans, TraceDetail detail);

  /// Returns the largest number of arrows that the trace can have.
  int64_t count() const { return arrows; }

  /// Visits the dependences that end at a slice, with the name of the run where
  /// each starts.
  void
  forEachInto(const SliceOfRun &slice,
              function_ref<void(int64_t id, std::string from)> visit) const;
  /// Visits the dependences that start at a slice.
  void forEachOutOf(const SliceOfRun &slice,
                    function_ref<void(int64_t id)> visit) const;
  /// Returns the number of the arrow of a fetch. If slices are slots, `fetch`
  /// counts the fetches for the slot. If they are runs, it counts the runs of
  /// fetches, and `slice` is any of the same op and run.
  int64_t idOfFetch(const SliceOfRun &slice, unsigned fetch) const;

private:
  explicit TraceFlows(const Timeline &timeline) : timeline(&timeline) {}
  int64_t idOf(unsigned dependence, ArrayRef<int64_t> consumerRun) const;

  const Timeline *timeline;
  bool drawsSlots = true;
  int64_t arrows = 0;
  /// By dependence: the arrows that are numbered before its own.
  std::vector<int64_t> firstIds;
  /// By op: its dependences, as positions in the timeline.
  std::vector<SmallVector<unsigned, 4>> incoming, outgoing;
  /// By op: the number of its slices in a run, and the position of the slice
  /// that ends last.
  std::vector<int64_t> sliceCounts, lastSlices;
  /// By op: the arrows that are numbered before those of its fetches, and the
  /// number of fetches for a slot, or in a run.
  std::vector<int64_t> firstFetchIds, fetchCounts;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACEFLOWS_H
