//===- FuzzTrace.cpp - Fuzz the readers of foreign traces -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of any format, which its first bytes tell. What is accepted must be in order,
// and must come back from our own JSON as it went in.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "llm/Trace/TraceWriter.h"
#include "llm/TraceImport/RangeTable.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <tuple>

namespace mlir::llm::fuzz {

static constexpr uint32_t none = TraceEvent::none;

static void checkEvent(const ImportedTrace &trace, uint32_t number) {
  const TraceEvent &event = trace.events[number];
  require(event.lane < trace.lanes.size(), "an event of no lane");
  require(std::max(event.name, event.args) < trace.texts.size(),
          "an event of no text");
  require(0 <= event.startNanoseconds &&
              event.startNanoseconds <= event.endNanoseconds,
          "an event of no time");
  require(event.launchedBy == none || event.launchedBy < trace.events.size(),
          "an event launched by none that is there");
  if (event.parent == none)
    return;
  require(event.parent < number, "an event in a later one");
  const TraceEvent &parent = trace.events[event.parent];
  require(parent.lane == event.lane &&
              parent.startNanoseconds <= event.startNanoseconds &&
              event.endNanoseconds <= parent.endNanoseconds,
          "an event that is not in its parent");
}

static void checkOrder(const ImportedTrace &trace) {
  auto orderOf = [](const TraceEvent &event) {
    return std::tuple(event.lane, event.startNanoseconds,
                      -event.endNanoseconds);
  };
  for (uint32_t number = 0; number < trace.events.size(); ++number) {
    checkEvent(trace, number);
    require(number == 0 || orderOf(trace.events[number - 1]) <=
                               orderOf(trace.events[number]),
            "events out of order");
  }
  for (auto [from, into] : trace.arrows)
    require(std::max(from, into) < trace.events.size(), "an arrow to nowhere");
  for (const ImportedTrace::Sample &sample : trace.samples)
    require(sample.counter < trace.counters.size() && sample.nanoseconds >= 0,
            "a sample of nothing");
}

using Slice = std::tuple<int64_t, int64_t, StringRef>;

static Slice sliceOf(const ImportedTrace &trace, uint32_t number) {
  const TraceEvent &event = trace.events[number];
  return {event.startNanoseconds, event.endNanoseconds, trace.nameOf(event)};
}

static std::vector<Slice> slicesOf(const ImportedTrace &trace) {
  std::vector<Slice> slices;
  for (uint32_t number = 0; number < trace.events.size(); ++number)
    slices.push_back(sliceOf(trace, number));
  std::sort(slices.begin(), slices.end());
  return slices;
}

/// Launches are arrows where the trace draws none.
static std::vector<std::pair<Slice, Slice>>
arrowsOf(const ImportedTrace &trace) {
  std::vector<std::pair<Slice, Slice>> arrows;
  std::vector<bool> isDrawn(trace.events.size());
  for (auto [from, into] : trace.arrows) {
    arrows.push_back({sliceOf(trace, from), sliceOf(trace, into)});
    if (trace.events[into].launchedBy == from)
      isDrawn[into] = true;
  }
  for (uint32_t number = 0; number < trace.events.size(); ++number) {
    uint32_t by = trace.events[number].launchedBy;
    if (by != none && !isDrawn[number])
      arrows.push_back({sliceOf(trace, by), sliceOf(trace, number)});
  }
  std::sort(arrows.begin(), arrows.end());
  return arrows;
}

static std::string write(const ImportedTrace &trace, TraceEncoding encoding) {
  std::string text;
  ::llvm::raw_string_ostream stream(text);
  TraceWriter writer(encoding, stream);
  writeImportedTrace(trace, writer.sink());
  return text;
}

static void checkWritten(const ImportedTrace &trace) {
  std::string text = write(trace, TraceEncoding::Json);
  write(trace, TraceEncoding::Proto);
  auto again = readTrace(::llvm::MemoryBufferRef(text, "written"));
  if (!again)
    require(false, "what was written cannot be read: " +
                       toString(again.takeError()) + "\n" + text);
  checkOrder(*again);
  // Viewers read JSON's microseconds as doubles, which we write for them.
  constexpr int64_t exactNanoseconds = int64_t(1) << 52;
  if (spanNanoseconds(trace) >= exactNanoseconds)
    return;
  require(slicesOf(trace) == slicesOf(*again),
          "slices come back as others:\n" + text);
  require(arrowsOf(trace) == arrowsOf(*again),
          "arrows come back as others:\n" + text);
  require(trace.samples.size() == again->samples.size(),
          "samples come back as others:\n" + text);
}

/// No piece has more than its event, and whole ones have all time of theirs
/// unless others lie in them.
static void checkWork(const ImportedTrace &trace) {
  auto lengthOf = [&](const TraceWork &piece) {
    const TraceEvent &event = trace.events[piece.event];
    return uint64_t(event.endNanoseconds - event.startNanoseconds);
  };
  for (const TraceWork &piece : listOwnWork(trace)) {
    eventsAround(trace, piece.event);
    require(piece.nanoseconds <= lengthOf(piece), "more work than there is");
  }
  for (const TraceWork &piece : listWholeWork(trace))
    require(piece.isAround ? piece.nanoseconds <= lengthOf(piece)
                           : piece.nanoseconds == lengthOf(piece),
            "a piece of work that is not whole");
}

/// Rows add up, whatever is apart.
static void checkTable(const ImportedTrace &trace, RangeGroups groups) {
  RangeTableOptions options;
  options.levels = RangeLevels::Kernels;
  options.groups = groups;
  options.mergesNumbers = groups == RangeGroups::Process;
  RangeTable table = makeRangeTable(trace, options);
  uint64_t outermost = 0, self = 0;
  for (const RangeRow &row : table.rows) {
    require(row.group < table.groups.size(), "a row of no group");
    outermost += row.depth == 0 ? row.figures.nanoseconds : 0;
    self += row.figures.selfNanoseconds;
  }
  bool isSaturated = table.total.nanoseconds > uint64_t(INT64_MAX);
  require(isSaturated || (table.total.nanoseconds == outermost &&
                          table.total.nanoseconds == self),
          "rows that do not add up");
  std::string text;
  ::llvm::raw_string_ostream stream(text);
  printRangeTable(table, stream);
  printRangeCsv(table, stream);
  printRangeJson(table, trace, stream);
}

void runTrace(StringRef bytes) {
  if (bytes.size() > maxInputBytes)
    return;
  auto trace = readTrace(::llvm::MemoryBufferRef(bytes, "trace"));
  if (!trace) {
    std::string message = toString(trace.takeError());
    if (isVerbose)
      ::llvm::errs() << message << "\n";
    require(message.size() < 2000 && StringRef(message).contains("trace"),
            "an error that does not say where: " + message);
    return;
  }
  checkOrder(*trace);
  checkWork(*trace);
  checkTable(*trace, RangeGroups(bytes.size() % 4));
  if (isWrittenOut(bytes, 16))
    checkWritten(*trace);
}

} // namespace mlir::llm::fuzz

static constexpr llvm::StringRef words[] = {"traceEvents",
                                            "schemaVersion",
                                            "otherData",
                                            "deviceProperties",
                                            "ph",
                                            "name",
                                            "cat",
                                            "pid",
                                            "tid",
                                            "ts",
                                            "dur",
                                            "id",
                                            "id2",
                                            "bp",
                                            "args",
                                            "bind_id",
                                            "flow_in",
                                            "flow_out",
                                            "correlation",
                                            "External id",
                                            "\"X\"",
                                            "\"B\"",
                                            "\"E\"",
                                            "\"i\"",
                                            "\"C\"",
                                            "\"M\"",
                                            "\"s\"",
                                            "\"t\"",
                                            "\"f\"",
                                            "\"b\"",
                                            "\"e\"",
                                            "\"n\"",
                                            "cpu_op",
                                            "user_annotation",
                                            "cuda_runtime",
                                            "kernel",
                                            "gpu_memcpy",
                                            "gpu_memset",
                                            "process_name",
                                            "thread_name",
                                            "0",
                                            "-1",
                                            "0.0005",
                                            "1e-3",
                                            "1e15",
                                            "1700000000123456.789",
                                            "SQLite format 3",
                                            "StringIds",
                                            "NVTX_EVENTS",
                                            "CUPTI_ACTIVITY_KIND_KERNEL",
                                            "CUPTI_ACTIVITY_KIND_RUNTIME",
                                            "globalTid",
                                            "eventType",
                                            "textId",
                                            "correlationId",
                                            "CUDA_GRAPH_NODE_EVENTS",
                                            "graphNodeId",
                                            "originalGraphNodeId"};
LLM_FUZZ_TARGET(mlir::llm::fuzz::runTrace, words)
