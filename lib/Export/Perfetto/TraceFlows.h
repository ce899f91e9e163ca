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

/// A slice of one run of an op: its number among them, slots (by position) or
/// runs of slots.
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

  /// The most arrows that there can be.
  int64_t count() const { return arrows; }

  /// The dependences that end at a slice, with the name of the run where each
  /// starts.
  void
  forEachInto(const SliceOfRun &slice,
              function_ref<void(int64_t id, std::string from)> visit) const;
  /// The dependences that start at a slice.
  void forEachOutOf(const SliceOfRun &slice,
                    function_ref<void(int64_t id)> visit) const;
  /// Of slots, the number of the arrow of fetch `fetch` for one; of runs of
  /// fetches that of run `fetch`, and `slice` is any of the same op and run.
  int64_t idOfFetch(const SliceOfRun &slice, unsigned fetch) const;

private:
  explicit TraceFlows(const Timeline &timeline) : timeline(&timeline) {}
  int64_t idOf(unsigned dependence, ArrayRef<int64_t> consumerRun) const;

  const Timeline *timeline;
  bool drawsSlots = true;
  int64_t arrows = 0;
  /// Each dependence has the number before those of its arrows.
  std::vector<int64_t> firstIds;
  /// Each op has its dependences, as positions in the timeline.
  std::vector<SmallVector<unsigned, 4>> incoming, outgoing;
  /// Each op has the number of its slices in a run, and that of the one that
  /// ends last.
  std::vector<int64_t> sliceCounts, lastSlices;
  /// Each op has the number before those of its fetches, and how many there
  /// are for a slot, or in a run.
  std::vector<int64_t> firstFetchIds, fetchCounts;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACEFLOWS_H
