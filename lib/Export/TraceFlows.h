//===- TraceFlows.h - Arrows between slices ---------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice gets one arrow from each run that it waits for, from that run's slot
// that ends last. Both ends of an arrow are written right after their slices (a
// slice of no length is found in no other way), so each end must find the
// arrow's number on its own.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_TRACEFLOWS_H
#define LLM_LIB_EXPORT_TRACEFLOWS_H

#include "llm/Analysis/Timeline.h"

namespace mlir::llm {

class TraceFlows {
public:
  /// Fails with a diagnostic where there are more arrows than numbers.
  static FailureOr<TraceFlows> create(const Timeline &timeline);

  /// The arrows that end at a slice, with the name of the run where each
  /// starts.
  void
  forEachInto(const Slice &slice,
              function_ref<void(int64_t id, std::string from)> visit) const;
  /// The arrows that start at a slice.
  void forEachOutOf(const Slice &slice,
                    function_ref<void(int64_t id)> visit) const;

private:
  explicit TraceFlows(const Timeline &timeline) : timeline(&timeline) {}
  int64_t idOf(unsigned dependence, ArrayRef<int64_t> consumerRun) const;

  const Timeline *timeline;
  /// Of each dependence: the number before those of its arrows.
  std::vector<int64_t> firstIds;
  /// Of each op: its dependences, as positions in the timeline.
  std::vector<SmallVector<unsigned, 4>> incoming, outgoing;
  /// Of each op: the position of the slot that ends last.
  std::vector<int64_t> lastSlots;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_TRACEFLOWS_H
