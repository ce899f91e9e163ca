//===- WriteImportedTrace.cpp - A foreign trace in our own formats --------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/OverlapTracks.h"
#include "llm/Trace/Recording.h"
#include "llm/TraceImport/ImportedTrace.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Tracks and counters
//===----------------------------------------------------------------------===//

static std::string nameOfProcess(const TraceLane &lane, bool withNumber) {
  if (!withNumber)
    return lane.processName;
  std::string number =
      (lane.isDevice ? "device " : "process ") + std::to_string(lane.process);
  return lane.processName.empty() ? number
                                  : lane.processName + " (" + number + ")";
}

static std::string nameOfThread(const TraceLane &lane) {
  if (!lane.threadName.empty())
    return lane.threadName;
  return (lane.isDevice ? "stream " : "thread ") + std::to_string(lane.thread);
}

/// Gives each process a group, with a name that no other has. The first group
/// is for events of no process.
static void layOutLanes(const ImportedTrace &trace, TraceLayout &layout) {
  using Process = std::tuple<bool, int64_t, std::string>;
  std::map<Process, unsigned> groupOf;
  std::map<std::string, unsigned> uses;
  for (const TraceLane &lane : trace.lanes) {
    Process process(lane.isDevice, lane.process, lane.processName);
    if (groupOf.try_emplace(process, groupOf.size() + 1).second)
      ++uses[lane.processName];
  }
  layout.groups.assign(groupOf.size() + 1, trace.format);
  for (const TraceLane &lane : trace.lanes) {
    unsigned group = groupOf[{lane.isDevice, lane.process, lane.processName}];
    layout.groups[group] = nameOfProcess(lane, lane.processName.empty() ||
                                                   uses[lane.processName] > 1);
    layout.tracks.push_back({group, nameOfThread(lane)});
  }
}

/// Decides whether a counter has whole values or billionths. It has billionths
/// if a value has decimals and all values fit.
static void layOutCounters(const ImportedTrace &trace, TraceLayout &layout) {
  constexpr double mostBillionths = 9e9;
  std::vector<bool> hasDecimals(trace.counters.size());
  std::vector<bool> isLarge(trace.counters.size());
  for (const ImportedTrace::Sample &sample : trace.samples) {
    if (sample.value != std::trunc(sample.value))
      hasDecimals[sample.counter] = true;
    if (std::abs(sample.value) > mostBillionths)
      isLarge[sample.counter] = true;
  }
  for (auto [number, counter] : ::llvm::enumerate(trace.counters))
    layout.counters.push_back(
        {counter.name, counter.unit, hasDecimals[number] && !isLarge[number]});
}

static int64_t valueOf(const ImportedTrace::Sample &sample,
                       const TraceCounter &counter) {
  double value = counter.hasDecimals ? sample.value * 1e9 : sample.value;
  constexpr double limit = 9.2e18; // within 64 bits
  return std::llround(std::clamp(value, -limit, limit));
}

//===----------------------------------------------------------------------===//
// Arrows
//===----------------------------------------------------------------------===//

namespace {
/// Finds the arrows of an event by its number.
class ArrowsOfEvents {
public:
  explicit ArrowsOfEvents(const ImportedTrace &trace);
  /// Finds arrows. Events may come in any order.
  void find(uint32_t event, SmallVectorImpl<TraceArrow> &into,
            SmallVectorImpl<TraceArrow> &outOf) const;

private:
  struct End {
    uint32_t event, arrow;
    bool operator<(const End &other) const {
      return std::tie(event, arrow) < std::tie(other.event, other.arrow);
    }
  };
  static void find(ArrayRef<End> ends, uint32_t event,
                   SmallVectorImpl<TraceArrow> &found);
  std::vector<End> sources, targets;
};
} // namespace

/// Adds an arrow for each launch, unless the trace draws it itself.
ArrowsOfEvents::ArrowsOfEvents(const ImportedTrace &trace) {
  auto add = [&](uint32_t from, uint32_t into) {
    uint32_t number = sources.size();
    sources.push_back({from, number});
    targets.push_back({into, number});
  };
  std::vector<bool> isDrawn(trace.events.size());
  for (auto [from, into] : trace.arrows) {
    if (trace.events[into].launchedBy == from)
      isDrawn[into] = true;
    add(from, into);
  }
  for (auto [number, event] : ::llvm::enumerate(trace.events))
    if (event.launchedBy != TraceEvent::none && !isDrawn[number])
      add(event.launchedBy, number);
  ::llvm::sort(sources);
  ::llvm::sort(targets);
}

void ArrowsOfEvents::find(ArrayRef<End> ends, uint32_t event,
                          SmallVectorImpl<TraceArrow> &found) {
  found.clear();
  const End *end = ::llvm::lower_bound(ends, End{event, 0});
  for (; end != ends.end() && end->event == event; ++end)
    found.push_back({TraceArrow::Kind::Dependence, int64_t(end->arrow) + 1});
}

void ArrowsOfEvents::find(uint32_t event, SmallVectorImpl<TraceArrow> &into,
                          SmallVectorImpl<TraceArrow> &outOf) const {
  find(targets, event, into);
  find(sources, event, outOf);
}

//===----------------------------------------------------------------------===//
// Events in the order of time
//===----------------------------------------------------------------------===//

namespace {
class TraceReplay {
public:
  TraceReplay(const ImportedTrace &trace, TraceSink &sink)
      : trace(trace), sink(sink), arrows(trace) {
    layOutLanes(trace, layout);
    layOutCounters(trace, layout);
  }
  void run();

private:
  void writeHead(TraceValues &values) const;
  std::vector<uint32_t> eventsInOrder() const;
  std::vector<uint32_t> samplesInOrder() const;
  void endUpTo(int64_t nanoseconds);
  void begin(uint32_t number);

  const ImportedTrace &trace;
  TraceSink &sink;
  ArrowsOfEvents arrows;
  TraceLayout layout;
  std::optional<OverlapTracks> overlaps;
  /// What is under way, by end. If ends are equal, what began last ends first.
  using End = std::tuple<int64_t, int64_t, unsigned>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  int64_t begun = 0;
};
} // namespace

void TraceReplay::writeHead(TraceValues &values) const {
  auto writeTexts = [](TraceValues &list, ArrayRef<std::string> texts) {
    for (const std::string &text : texts)
      list.text("", text);
  };
  values.text("imported_from", trace.format);
  if (!trace.devices.empty())
    values.list("devices",
                [&](TraceValues &list) { writeTexts(list, trace.devices); });
  if (!trace.notes.empty())
    values.list("notes",
                [&](TraceValues &list) { writeTexts(list, trace.notes); });
}

std::vector<uint32_t> TraceReplay::eventsInOrder() const {
  std::vector<uint32_t> order(trace.events.size());
  std::iota(order.begin(), order.end(), 0);
  ::llvm::sort(order, [&](uint32_t a, uint32_t b) {
    const TraceEvent &first = trace.events[a], &second = trace.events[b];
    return std::tuple(first.startNanoseconds, -first.endNanoseconds, a) <
           std::tuple(second.startNanoseconds, -second.endNanoseconds, b);
  });
  return order;
}

std::vector<uint32_t> TraceReplay::samplesInOrder() const {
  std::vector<uint32_t> order(trace.samples.size());
  std::iota(order.begin(), order.end(), 0);
  ::llvm::sort(order, [&](uint32_t a, uint32_t b) {
    return std::pair(trace.samples[a].nanoseconds, a) <
           std::pair(trace.samples[b].nanoseconds, b);
  });
  return order;
}

void TraceReplay::endUpTo(int64_t nanoseconds) {
  while (!ends.empty() && std::get<0>(ends.top()) <= nanoseconds) {
    auto [end, number, track] = ends.top();
    ends.pop();
    sink.endSlice(overlaps->end(track, end), end);
  }
}

void TraceReplay::begin(uint32_t number) {
  const TraceEvent &event = trace.events[number];
  endUpTo(event.startNanoseconds);
  SmallVector<TraceArrow, 4> into, outOf;
  arrows.find(number, into, outOf);
  TraceSlice slice;
  slice.track = overlaps->begin(event.lane, event.endNanoseconds);
  slice.start = event.startNanoseconds;
  slice.end = event.endNanoseconds;
  slice.name = trace.nameOf(event);
  slice.category = stringify(event.kind);
  auto fill = [&](TraceValues &values) {
    StringRef args = trace.argsOf(event);
    auto parsed = Recording::Values::parse(args.begin(), args.end(), nullptr,
                                           /*allow_exceptions=*/false);
    if (parsed.is_object())
      writeMembers(values, parsed);
  };
  slice.fillArgs = fill;
  slice.into = into;
  slice.outOf = outOf;
  sink.beginSlice(slice);
  ends.push({event.endNanoseconds, -begun++, event.lane});
}

void TraceReplay::run() {
  sink.begin(layout, [&](TraceValues &values) { writeHead(values); });
  overlaps.emplace(layout, sink);
  std::vector<uint32_t> samples = samplesInOrder();
  size_t next = 0;
  auto sampleUpTo = [&](int64_t nanoseconds) {
    for (; next < samples.size(); ++next) {
      const ImportedTrace::Sample &sample = trace.samples[samples[next]];
      if (sample.nanoseconds > nanoseconds)
        return;
      endUpTo(sample.nanoseconds);
      sink.writeCounter(sample.counter, sample.nanoseconds,
                        valueOf(sample, layout.counters[sample.counter]));
    }
  };
  for (uint32_t number : eventsInOrder()) {
    sampleUpTo(trace.events[number].startNanoseconds);
    begin(number);
  }
  sampleUpTo(INT64_MAX);
  endUpTo(INT64_MAX);
  sink.end();
}

void mlir::llm::writeImportedTrace(const ImportedTrace &trace,
                                   TraceSink &sink) {
  TraceReplay(trace, sink).run();
}
