//===- TracePage.cpp - A foreign trace as a page for a browser ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Export/Page/TracePage.h"
#include "llm/Export/Page/ReportPage.h"
#include "llm/Files/Utf8.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::llm;

/// Writes the names in the order of the first events that have them, and
/// returns their numbers.
static ::llvm::DenseMap<uint32_t, uint32_t>
writeNames(const ImportedTrace &trace, ::llvm::json::OStream &json) {
  ::llvm::DenseMap<uint32_t, uint32_t> numbers;
  json.attributeArray("names", [&] {
    for (const TraceEvent &event : trace.events)
      if (numbers.try_emplace(event.name, numbers.size()).second)
        json.value(toUtf8(trace.nameOf(event)));
  });
  return numbers;
}

/// Writes the events of one lane as columns of numbers. A start is the distance
/// to the start before.
static void writeEvents(ArrayRef<TraceEvent> events,
                        const ::llvm::DenseMap<uint32_t, uint32_t> &names,
                        ::llvm::json::OStream &json) {
  auto column = [&](StringRef name,
                    function_ref<int64_t(const TraceEvent &)> valueOf) {
    json.attributeArray(name, [&] {
      for (const TraceEvent &event : events)
        json.value(valueOf(event));
    });
  };
  int64_t last = 0;
  column("later_ns", [&](const TraceEvent &event) {
    int64_t later = event.startNanoseconds - last;
    last = event.startNanoseconds;
    return later;
  });
  column("duration_ns", [](const TraceEvent &event) {
    return event.endNanoseconds - event.startNanoseconds;
  });
  column("name",
         [&](const TraceEvent &event) { return names.lookup(event.name); });
  column("kind", [](const TraceEvent &event) { return int64_t(event.kind); });
}

static void writeLanes(const ImportedTrace &trace,
                       const ::llvm::DenseMap<uint32_t, uint32_t> &names,
                       ::llvm::json::OStream &json) {
  ArrayRef<TraceEvent> rest = trace.events;
  for (auto [number, lane] : ::llvm::enumerate(trace.lanes)) {
    ArrayRef<TraceEvent> events = rest.take_while(
        [&](const TraceEvent &event) { return event.lane == number; });
    rest = rest.drop_front(events.size());
    json.object([&] {
      json.attribute("is_device", lane.isDevice);
      json.attribute("process", lane.process);
      json.attribute("thread", lane.thread);
      json.attribute("process_name", toUtf8(lane.processName));
      json.attribute("thread_name", toUtf8(lane.threadName));
      writeEvents(events, names, json);
    });
  }
}

std::string mlir::llm::encodeTracePage(const ImportedTrace &trace,
                                       const RangeTable &table) {
  std::string text;
  ::llvm::raw_string_ostream os(text);
  ::llvm::json::OStream json(os);
  json.object([&] {
    json.attributeArray("kinds", [&] {
      for (unsigned kind = 0; kind <= unsigned(TraceEventKind::Other); ++kind)
        json.value(stringify(TraceEventKind(kind)));
    });
    ::llvm::DenseMap<uint32_t, uint32_t> names = writeNames(trace, json);
    json.attributeArray("lanes", [&] { writeLanes(trace, names, json); });
    json.attributeBegin("table");
    json.rawValue([&](raw_ostream &to) { printRangeJson(table, trace, to); });
    json.attributeEnd();
  });
  return "{\"trace\":" + toPageText(StringRef(text)) + "}";
}

void mlir::llm::writeTracePage(const ImportedTrace &trace,
                               const RangeTable &table, StringRef encoded,
                               raw_ostream &os) {
  std::string text, summary;
  ::llvm::raw_string_ostream textStream(text), summaryStream(summary);
  printTraceSummary(trace, table.notes, textStream);
  printRangeTable(table, textStream);
  ::llvm::printHTMLEscaped(text, summaryStream);
  fillViewerPage(summary, encoded, os);
}
