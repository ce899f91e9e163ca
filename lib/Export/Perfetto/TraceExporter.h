//===- TraceExporter.h - Writes one trace -----------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PERFETTO_TRACEEXPORTER_H
#define LLM_LIB_EXPORT_PERFETTO_TRACEEXPORTER_H

#include "TraceArgs.h"
#include "TraceFlows.h"
#include "TraceSpans.h"
#include "llm/Console/Terminal.h"
#include "llm/Trace/OverlapTracks.h"

#include <queue>

namespace mlir::llm {

/// Returns a time of a trace: nanoseconds, or cycles if these are drawn.
int64_t toTraceTime(int64_t cycle, TraceTime time, const Target &target);

/// Writes of which machine a trace is, and what its times are.
void writeMachine(TraceValues &values, const Target &target, TraceTime time);
/// Writes what the names of counters leave open.
void writeAbout(TraceValues &values, ArrayRef<TraceCounter> counters);

/// Visits everything in the order of time, and hands it to a sink.
class TraceExporter {
public:
  /// The function starts in `firstCycle` of the trace. The parts must outlive
  /// the exporter.
  TraceExporter(const Timeline &timeline, const Target &target,
                TraceSpans &spans, const TraceFlows &flows,
                const FunctionExplanation *explanation,
                ArrayRef<std::string> problems, TraceDetail detail,
                TraceTime time, TraceSink &sink, int64_t firstCycle)
      : timeline(timeline), target(target), spans(spans), flows(flows),
        problems(problems), detail(detail), time(time), sink(sink),
        firstCycle(firstCycle), args(timeline, target, explanation, sink) {}

  void write();
  /// Slices that take time and have no width, because nanoseconds are too
  /// coarse for them.
  int64_t collapsedSlices() const { return collapsed; }

private:
  /// Item `index` of a series in one run of a stretch.
  struct Span {
    const SlotSeries &series;
    int64_t index;
    const StretchRun &stretch;
    int64_t startCycle, endCycle;
    unsigned track;
  };
  int64_t toNanoseconds(int64_t cycle) const;
  void writeHead();
  void writeStretch(const StretchRun &run);
  void endLayers(int64_t cycle);
  void endSlice(unsigned track, int64_t cycle);
  void begin(const Span &span);
  void beginSlot(const Span &span);
  void beginBeside(const Span &span);
  void beginFetch(const Span &span);
  void beginOpRun(const Span &span);
  void beginFetchRun(const Span &span);
  void beginIdle(const Span &span);
  void beginLayer(const Span &span);
  void beginStep(const Span &span);
  void beginWork(const Span &span, const SliceOfRun &slice,
                 ArrayRef<TraceArrow> fetches,
                 function_ref<void(TraceValues &, ArrayRef<std::string>)> fill);
  void writeSlice(const Span &span, StringRef name, StringRef category,
                  TraceValues::Fill fillArgs, ArrayRef<TraceArrow> into = {},
                  ArrayRef<TraceArrow> outOf = {});

  const Timeline &timeline;
  const Target &target;
  TraceSpans &spans;
  const TraceFlows &flows;
  ArrayRef<std::string> problems; ///< why the schedule does not hold
  TraceDetail detail;
  TraceTime time;
  TraceSink &sink;
  int64_t firstCycle;
  TraceArgs args;
  std::optional<OverlapTracks> overlaps; ///< where ends are cycles
  /// Tracks of layers that have begun, by when these end: the earliest on top.
  using LayerEnd = std::pair<int64_t, unsigned>;
  std::priority_queue<LayerEnd, std::vector<LayerEnd>, std::greater<>>
      openLayers;
  int64_t collapsed = 0;
  bool pathHasBegun = false; ///< a step has been drawn
  int64_t written = 0;       ///< in slices
  ProgressLine line;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACEEXPORTER_H
