//===- TraceExporter.cpp - Writes one trace -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceExporter.h"
#include "llm/Console/TextTable.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

int64_t mlir::llm::toTraceTime(int64_t cycle, TraceTime time,
                               const Target &target) {
  return time == TraceTime::Cycles ? cycle
                                   : cyclesToNanoseconds(cycle, target.clockHz);
}

void mlir::llm::writeMachine(TraceValues &values, const Target &target,
                             TraceTime time) {
  values.text("target", target.name);
  values.text("target_description", target.description);
  values.number("clock_hz", target.clockHz);
  values.text("time", time == TraceTime::Cycles ? "cycles" : "ns");
}

void mlir::llm::writeAbout(TraceValues &values,
                           ArrayRef<TraceCounter> counters) {
  for (const TraceCounter &counter : counters)
    if (!counter.about.empty())
      values.text(counter.name, counter.about);
}

int64_t TraceExporter::toNanoseconds(int64_t cycle) const {
  return toTraceTime(firstCycle + cycle, time, target);
}

void TraceExporter::writeHead() {
  sink.begin(spans.layout(), [&](TraceValues &values) {
    FunctionOpInterface function = timeline.program().function();
    ScheduleAttr schedule = timeline.schedule();
    values.text("function", symbolOf(function));
    writeMachine(values, target, time);
    values.text("policy", schedule.getPolicy());
    values.number("makespan_cycles", schedule.getMakespanCycles());
    if (!problems.empty())
      values.list("problems", [&](TraceValues &list) {
        for (StringRef problem : problems)
          list.text("", problem);
      });
    writeAbout(values, spans.layout().counters);
  });
}

void TraceExporter::write() {
  writeHead();
  overlaps.emplace(spans.layout(), sink);
  timeline.forEachStretch([&](const StretchRun &run) { writeStretch(run); });
  endLayers(INT64_MAX);
  spans.counters().finish(sink);
  sink.end();
}

void TraceExporter::writeStretch(const StretchRun &run) {
  TraceCounters &counters = spans.counters();
  spans.sweepOf(run.stretch)
      .run([&](const SlotSeries &series, int64_t index, int64_t cycle,
               bool isStart) {
        counters.moveTo(toNanoseconds(run.startCycle + cycle), sink);
        endLayers(run.startCycle + cycle);
        if (isStart || series.kind != SpanKind::Event)
          counters.hold(series.use, isStart);
        if (!series.isSlice())
          return;
        unsigned track = spans.trackOf(series, index, run.stretch);
        if (isStart)
          begin({series, index, run, run.startCycle + cycle,
                 spans.endOf(series, index, run), track});
        else if (series.kind != SpanKind::Layer)
          endSlice(track, run.startCycle + cycle);
      });
}

/// Ends the layers that end up to this cycle.
void TraceExporter::endLayers(int64_t cycle) {
  for (; !openLayers.empty() && openLayers.top().first <= cycle;
       openLayers.pop())
    endSlice(openLayers.top().second, openLayers.top().first);
}

void TraceExporter::endSlice(unsigned track, int64_t cycle) {
  sink.endSlice(overlaps->end(track, cycle), toNanoseconds(cycle));
}

void TraceExporter::writeSlice(const Span &span, StringRef name,
                               StringRef category, TraceValues::Fill fillArgs,
                               ArrayRef<TraceArrow> into,
                               ArrayRef<TraceArrow> outOf) {
  TraceSlice slice;
  slice.track = overlaps->begin(span.track, span.endCycle);
  slice.start = toNanoseconds(span.startCycle);
  slice.end = toNanoseconds(span.endCycle);
  slice.name = name;
  slice.category = category;
  slice.fillArgs = fillArgs;
  slice.into = into;
  slice.outOf = outOf;
  sink.beginSlice(slice);
  ++written;
  line.show([&](::llvm::raw_ostream &os) {
    FunctionOpInterface function = timeline.program().function();
    os << "trace of '" << showName(symbolOf(function))
       << "': " << withThousandsSeparators(written) << " slices, up to cycle "
       << withThousandsSeparators(span.startCycle) << " of "
       << withThousandsSeparators(timeline.endCycle());
  });
}

void TraceExporter::begin(const Span &span) {
  switch (span.series.kind) {
  case SpanKind::Slot:
    return beginSlot(span);
  case SpanKind::Fetch:
    return beginFetch(span);
  case SpanKind::Beside:
  case SpanKind::BesideRun:
    return beginBeside(span);
  case SpanKind::OpRun:
    return beginOpRun(span);
  case SpanKind::FetchRun:
    return beginFetchRun(span);
  case SpanKind::Idle:
    return beginIdle(span);
  case SpanKind::Layer:
    return beginLayer(span);
  case SpanKind::Path:
    return beginStep(span);
  case SpanKind::Held:
  case SpanKind::Event:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Begins the slice of an op, with its arrows.
void TraceExporter::beginWork(
    const Span &span, const SliceOfRun &slice, ArrayRef<TraceArrow> fetches,
    function_ref<void(TraceValues &, ArrayRef<std::string>)> fill) {
  collapsed += span.startCycle < span.endCycle &&
               toNanoseconds(span.startCycle) == toNanoseconds(span.endCycle);
  SmallVector<TraceArrow> into, outOf;
  std::vector<std::string> dependsOn;
  flows.forEachInto(slice, [&](int64_t id, std::string from) {
    into.push_back({TraceArrow::Kind::Dependence, id});
    dependsOn.push_back(std::move(from));
  });
  llvm::append_range(into, fetches);
  flows.forEachOutOf(slice, [&](int64_t id) {
    outOf.push_back({TraceArrow::Kind::Dependence, id});
  });
  writeSlice(
      span, timeline.nameOf(slice.op, slice.iterations), "op",
      [&](TraceValues &values) { fill(values, dependsOn); }, into, outOf);
}

void TraceExporter::beginSlot(const Span &span) {
  TimedSlot slice = spans.sliceOf(span.series, span.index, span.stretch);
  SliceOfRun place{slice.op, slice.iterations, slice.position};
  SmallVector<TraceArrow, 2> fetches;
  for (unsigned fetch = 0;
       fetch < spans.runOfSlots(span.series).getPrefetches().size(); ++fetch)
    fetches.push_back(
        {TraceArrow::Kind::Prefetch, flows.idOfFetch(place, fetch)});
  beginWork(span, place, fetches,
            [&](TraceValues &values, ArrayRef<std::string> dependsOn) {
              args.writeSlot(values, slice, spans.runOfSlots(span.series),
                             dependsOn);
            });
}

/// The slice on the part's own engine says what the part does.
void TraceExporter::beginBeside(const Span &span) {
  unsigned op = span.series.owner;
  std::optional<int64_t> part;
  if (span.series.kind == SpanKind::Beside)
    part = spans.sliceOf(span.series, span.index, span.stretch).part;
  writeSlice(span, timeline.nameOf(op, span.stretch.iterations), "together",
             [&](TraceValues &values) {
               args.writeBeside(values, op, span.stretch.iterations, part,
                                span.startCycle, span.endCycle);
             });
}

static std::string nameOfFetch(StringRef buffer, const std::string &op) {
  return "prefetch " + buffer.str() + " of " + op;
}

void TraceExporter::beginFetch(const Span &span) {
  TimedSlot slice = spans.sliceOf(span.series, span.index, span.stretch);
  SliceOfRun place{slice.op, slice.iterations, slice.position};
  TraceArrow arrow{TraceArrow::Kind::Prefetch,
                   flows.idOfFetch(place, span.series.fetch)};
  writeSlice(
      span,
      nameOfFetch(slice.prefetched,
                  timeline.nameOf(slice.op, slice.iterations)),
      "prefetch", [&](TraceValues &values) { args.writeFetch(values, slice); },
      {}, arrow);
}

void TraceExporter::beginOpRun(const Span &span) {
  unsigned op = span.series.owner, number = span.series.item;
  const OpRuns &runs = spans.runsOf(op);
  const OpRun &run = runs.slots[number];
  if (detail == TraceDetail::Tile) // its slots say the rest
    return writeSlice(span, timeline.nameOf(op, span.stretch.iterations),
                      "parts", [&](TraceValues &values) {
                        args.writeFrame(values, op, run, span.stretch);
                      });
  SliceOfRun place{op, span.stretch.iterations, number};
  SmallVector<TraceArrow, 2> fetches;
  for (unsigned fetch : runs.fetchesInto[number])
    fetches.push_back(
        {TraceArrow::Kind::Prefetch, flows.idOfFetch(place, fetch)});
  beginWork(span, place, fetches,
            [&](TraceValues &values, ArrayRef<std::string> dependsOn) {
              args.writeOpRun(values, op, run, span.stretch, number == 0,
                              dependsOn);
            });
}

void TraceExporter::beginFetchRun(const Span &span) {
  unsigned op = span.series.owner, number = span.series.item;
  const OpRun &run = spans.runsOf(op).fetches[number];
  SliceOfRun place{op, span.stretch.iterations, 0};
  SmallVector<TraceArrow, 1> arrows;
  if (run.endsBeforeUse) // no arrow leads back in time
    arrows.push_back(
        {TraceArrow::Kind::Prefetch, flows.idOfFetch(place, number)});
  auto fillArgs = [&](TraceValues &values) {
    args.writeOpRun(values, op, run, span.stretch, number == 0, {});
  };
  std::string name = timeline.nameOf(op, span.stretch.iterations);
  writeSlice(span, nameOfFetch(run.buffer, name), "prefetch", fillArgs, {},
             arrows);
}

//===----------------------------------------------------------------------===//
// What explains it
//===----------------------------------------------------------------------===//

/// Writes "no_work" as "no work".
static std::string inWords(scheduling::Cause cause) {
  std::string words(scheduling::stringify(cause));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

static void writeCycles(TraceValues &values, int64_t start, int64_t end) {
  values.number("start_cycle", start);
  values.number("end_cycle", end);
}

void TraceExporter::beginIdle(const Span &span) {
  scheduling::IdleGap gap = spans.gapOf(span.series.owner, span.stretch);
  writeSlice(span, "idle: " + inWords(gap.mainCause()), "idle",
             [&](TraceValues &values) {
               writeCycles(values, span.startCycle, span.endCycle);
               values.object("idle_cycles", [&](TraceValues &inner) {
                 for (scheduling::Cause cause : scheduling::allCauses)
                   if (int64_t cycles = gap.cycles[static_cast<size_t>(cause)])
                     inner.number(scheduling::stringify(cause), cycles);
               });
             });
}

void TraceExporter::beginLayer(const Span &span) {
  const LayerSpan &layer = spans.layers().spans()[span.series.owner];
  ArrayRef<int64_t> iterations = span.stretch.iterations;
  openLayers.push({span.endCycle, span.track});
  writeSlice(span, spans.layers().nameOf(layer, iterations),
             layer.isModule() ? "module" : "layer", [&](TraceValues &values) {
               if (!iterations.empty())
                 values.list("iteration", [&](TraceValues &inner) {
                   for (int64_t iteration : iterations)
                     inner.number("", iteration);
                 });
               writeCycles(values, span.startCycle, span.endCycle);
               values.number("ops", layer.ops);
             });
}

void TraceExporter::beginStep(const Span &span) {
  const PathSpan &step =
      spans.explanationOf(span.stretch.stretch).path[span.series.owner];
  std::string name = timeline.nameOf(step.op, span.stretch.iterations);
  if (!step.buffer.empty())
    name = nameOfFetch(step.buffer, name);
  scheduling::Cause cause = step.cause;
  if (cause == scheduling::Cause::None && pathHasBegun)
    cause = scheduling::Cause::LayerBoundary;
  pathHasBegun = true;
  writeSlice(span, name, "critical path", [&](TraceValues &values) {
    writeCycles(values, span.startCycle, span.endCycle);
    values.number("steps", step.steps);
    values.text("follows_by", scheduling::stringify(cause));
  });
}
