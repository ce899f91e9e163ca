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

/// The tracks, and what lies on them, stretch by stretch, without unrolling
/// loops or runs of slots.
class TraceSpans {
public:
  /// `explanation`: null, or what is said of ops and engines.
  TraceSpans(const Timeline &timeline, const Target &target,
             const FunctionExplanation *explanation, TraceDetail detail);

  const TraceLayout &layout() const { return tracks; }
  TraceCounters &counters() { return theCounters; }
  /// `TraceCounters::sampleEvery`, before the layout is used.
  void sampleEvery(int64_t nanoseconds) {
    theCounters.sampleEvery(nanoseconds);
    tracks.counters = theCounters.described();
  }
  const TraceLayers &layers() const { return theLayers; }
  const SlotSweep &sweepOf(const ProgramItem &stretch) const {
    return sweeps.find(&stretch)->second;
  }
  /// Of all runs: slices, or spans that only counters see. Nothing above 2^61.
  std::optional<int64_t> count(bool slices) const;

  /// The last cycle of number `index` of a series.
  int64_t endOf(const SlotSeries &series, int64_t index,
                const StretchRun &run) const;
  /// Number `index` of a series: of slots and fetches, in a run of the op.
  TimedSlot sliceOf(const SlotSeries &series, int64_t index,
                    const StretchRun &run) const;
  unsigned trackOf(const SlotSeries &series, int64_t index,
                   const ProgramItem &stretch) const;

  /// The run that a series of slots, or of fetches for them, is of.
  SlotRunAttr runOfSlots(const SlotSeries &series) const;

  /// The runs of an op. Where slots are drawn, these are only runs of several
  /// slots, and no fetches.
  const OpRuns &runsOf(unsigned op) const { return opRuns[op]; }
  /// A gap in a run of its stretch.
  scheduling::IdleGap gapOf(unsigned number, const StretchRun &run) const;
  const StretchExplanation &explanationOf(const ProgramItem &stretch) const {
    return explanation->stretches.find(&stretch)->second;
  }

private:
  void makeTracks();
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
  /// Of ops that fetch; nothing where not all are known.
  std::optional<std::vector<std::optional<SourceRooms>>> rooms;
  TraceCounters theCounters;
  std::vector<OpRuns> opRuns;
  DenseMap<const ProgramItem *, SlotSweep> sweeps;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACESPANS_H
