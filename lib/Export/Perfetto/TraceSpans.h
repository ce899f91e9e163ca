//===- TraceSpans.h - What lies on the tracks of a trace --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PERFETTO_TRACESPANS_H
#define LLM_LIB_EXPORT_PERFETTO_TRACESPANS_H

#include "TraceCounters.h"
#include "TraceLayers.h"
#include "llm/Export/Passes.h"
#include "llm/Results/FunctionExplanation.h"
#include "llm/Results/OpRuns.h"
#include "llm/Results/SlotSweep.h"
#include "llm/Results/SourceRooms.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

/// Holds the tracks, and the slices on them, stretch by stretch. Loops and runs
/// of slots stay rolled.
class TraceSpans {
public:
  /// `explanation` may be null; else it says what is known of ops and engines.
  TraceSpans(const Timeline &timeline, const Target &target,
             const FunctionExplanation *explanation, bool doesHold,
             TraceDetail detail);

  const TraceLayout &layout() const { return tracks; }
  TraceCounters &counters() { return theCounters; }
  /// Does `TraceCounters::sampleEvery`. It must come before the layout is used.
  void sampleEvery(int64_t nanoseconds) {
    theCounters.sampleEvery(nanoseconds);
    tracks.counters = theCounters.described();
  }
  const TraceLayers &layers() const { return theLayers; }
  const SlotSweep &sweepOf(const ProgramItem &stretch) const {
    return sweeps.find(&stretch)->second;
  }
  /// Returns the number of slices in all runs, or, without `slices`, of spans
  /// that only counters see. Returns nothing above 2^61.
  std::optional<int64_t> count(bool slices) const;

  /// Returns the last cycle of item `index` of a series.
  int64_t endOf(const SlotSeries &series, int64_t index,
                const StretchRun &run) const;
  /// Returns item `index` of a series of slots or fetches, in one run of the
  /// op.
  TimedSlot sliceOf(const SlotSeries &series, int64_t index,
                    const StretchRun &run) const;
  unsigned trackOf(const SlotSeries &series, int64_t index,
                   const ProgramItem &stretch) const;

  /// Returns the run that has a series of slots, or that of fetches for them.
  SlotRunAttr runOfSlots(const SlotSeries &series) const;

  /// Returns the runs of an op. If slots are drawn, these are only the runs of
  /// several slots, and no fetches.
  const OpRuns &runsOf(unsigned op) const { return opRuns[op]; }
  /// Returns a gap in a run of its stretch.
  scheduling::IdleGap gapOf(unsigned number, const StretchRun &run) const;
  const StretchExplanation &explanationOf(const ProgramItem &stretch) const {
    return explanation->stretches.find(&stretch)->second;
  }

private:
  void makeTracks(bool doesHold);
  void addStretch(const ProgramItem &stretch);
  void addItems(ArrayRef<ProgramItem> items);
  void addOp(unsigned op, std::vector<SlotSeries> &all);
  void addParts(const SlotSeries &run, SlotRunAttr slots,
                const PartCosts &costs, std::vector<SlotSeries> &all);
  void addEqualParts(SlotSeries parts, SlotRunAttr run, const PartCosts &costs,
                     std::optional<size_t> record,
                     std::vector<SlotSeries> &all);
  TraceCounters::SlotUse useOf(const SlotSeries &parts, SlotRunAttr run,
                               PartCostAttr cost) const;
  TraceCounters::SlotUse useOf(PrefetchAttr fetch, PartCostAttr cost) const;
  const SourceRoom *findRoom(unsigned op, std::optional<size_t> record,
                             StringRef buffer) const;
  void addOpRuns(unsigned op, std::vector<SlotSeries> &all);
  void addCacheUpdates(unsigned op, std::vector<SlotSeries> &all);
  void addExplained(const ProgramItem &stretch, std::vector<SlotSeries> &all);
  unsigned engineTrack(StringRef engine, int64_t index) const {
    return firstTrackOfGroup.lookup(engine) + index;
  }

  const Timeline &timeline;
  const Target &target;
  const FunctionExplanation *explanation;
  TraceDetail detail;
  TraceLayers theLayers;
  TraceLayout tracks;
  unsigned firstLane = 0;
  llvm::StringMap<unsigned> firstTrackOfGroup;
  /// By op; an op without fetches has none. Nothing if not all are known.
  std::optional<std::vector<std::optional<SourceRooms>>> rooms;
  TraceCounters theCounters;
  std::vector<OpRuns> opRuns;
  DenseMap<const ProgramItem *, SlotSweep> sweeps;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACESPANS_H
