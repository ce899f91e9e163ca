//===- TraceWriter.cpp - Events of a trace, one at a time -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceWriter.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

std::string mlir::llm::toUtf8(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

/// Microseconds with exactly three decimals: a double would lose nanoseconds.
static void writeTime(llvm::json::OStream &json, StringRef key,
                      int64_t nanoseconds) {
  json.attributeBegin(key);
  json.rawValue([&](raw_ostream &os) {
    int64_t decimals = nanoseconds % 1000;
    os << nanoseconds / 1000 << '.' << decimals / 100 << decimals / 10 % 10
       << decimals % 10;
  });
  json.attributeEnd();
}

TraceWriter::TraceWriter(llvm::raw_ostream &os, const Target &target,
                         TraceTime time)
    : os(os), target(target), time(time) {
  // Perfetto takes tid == pid for a main thread, so engines start above the
  // pid.
  unsigned track = pid + 1;
  for (const Engine &engine : target.engines) {
    firstTrackOfGroup[engine.name] = track;
    track += engine.count;
  }
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

int64_t TraceWriter::toNanoseconds(int64_t cycle) const {
  return time == TraceTime::Cycles ? cycle
                                   : cyclesToNanoseconds(cycle, target.clockHz);
}

TraceSpan TraceWriter::spanOf(const Slice &slice) const {
  TraceSpan span;
  span.start = toNanoseconds(slice.startCycle);
  span.end = toNanoseconds(slice.endCycle);
  span.track = firstTrackOfGroup.lookup(slice.engine) + slice.engineIndex;
  return span;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void TraceWriter::writeEvent(StringRef phase, StringRef name, Fill fill) {
  os << (isFirst ? "\n" : ",\n");
  isFirst = false;
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("ph", phase);
    json.attribute("name", toUtf8(name));
    fill(json);
  });
}

void TraceWriter::writeMetadata(StringRef kind, unsigned track, Fill fillArgs) {
  writeEvent("M", kind, [&](llvm::json::OStream &json) {
    json.attribute("pid", pid);
    json.attribute("tid", track);
    json.attributeObject("args", [&] { fillArgs(json); });
  });
}

void TraceWriter::writeTracks() {
  writeMetadata("process_name", pid, [&](llvm::json::OStream &json) {
    json.attribute("name", toUtf8(target.name));
  });
  writeMetadata("process_sort_index", pid, [&](llvm::json::OStream &json) {
    json.attribute("sort_index", 0);
  });
  unsigned track = pid + 1;
  for (const Engine &engine : target.engines)
    for (int64_t index = 0; index < engine.count; ++index, ++track) {
      writeMetadata("thread_name", track, [&](llvm::json::OStream &json) {
        json.attribute("name",
                       toUtf8(engine.name) + "[" + std::to_string(index) + "]");
      });
      writeMetadata("thread_sort_index", track, [&](llvm::json::OStream &json) {
        json.attribute("sort_index", track);
      });
    }
}

void TraceWriter::begin(Fill fill) {
  os << "{\"displayTimeUnit\":\"ns\",\"otherData\":";
  {
    llvm::json::OStream json(os);
    json.object([&] { fill(json); });
  }
  os << ",\"traceEvents\":[";
  writeTracks();
}

void TraceWriter::end() { os << "\n]}\n"; }

void TraceWriter::writeSlice(const TraceSpan &span, StringRef name,
                             StringRef category, Fill fillArgs) {
  writeEvent("X", name, [&](llvm::json::OStream &json) {
    json.attribute("cat", category);
    json.attribute("pid", pid);
    json.attribute("tid", span.track);
    writeTime(json, "ts", span.start);
    writeTime(json, "dur", span.end - span.start);
    json.attributeObject("args", [&] { fillArgs(json); });
  });
}

// An arrow's end belongs to the slice that holds its time, and the end of a
// slice is no longer inside it: hence one nanosecond from either end, or the
// start of a slice without an inside.

void TraceWriter::writeArrowOut(const TraceSpan &span, StringRef category,
                                int64_t id) {
  writeEvent("s", category, [&](llvm::json::OStream &json) {
    json.attribute("cat", category);
    json.attribute("id", id);
    json.attribute("pid", pid);
    json.attribute("tid", span.track);
    writeTime(json, "ts", std::max(span.start, span.end - 1));
  });
}

void TraceWriter::writeArrowInto(const TraceSpan &span, StringRef category,
                                 int64_t id) {
  writeEvent("f", category, [&](llvm::json::OStream &json) {
    json.attribute("cat", category);
    json.attribute("bp", "e");
    json.attribute("id", id);
    json.attribute("pid", pid);
    json.attribute("tid", span.track);
    writeTime(json, "ts", span.start + (span.end - span.start > 1 ? 1 : 0));
  });
}

void TraceWriter::writeCounter(int64_t nanoseconds, StringRef name,
                               Fill fillValues) {
  writeEvent("C", name, [&](llvm::json::OStream &json) {
    json.attribute("pid", pid);
    writeTime(json, "ts", nanoseconds);
    json.attributeObject("args", [&] { fillValues(json); });
  });
}
