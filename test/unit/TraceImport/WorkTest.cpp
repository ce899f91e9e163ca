//===- WorkTest.cpp - Tests of what a run spends its time in --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceText.h"

using namespace mlir;
using namespace mlir::llm;

using Names = std::vector<std::string>;

static TraceEvent eventOf(ImportedTrace &trace, uint32_t lane, int64_t start,
                          int64_t end, StringRef name, TraceEventKind kind,
                          uint32_t parent = TraceEvent::none) {
  TraceEvent event;
  event.lane = lane;
  event.startNanoseconds = start;
  event.endNanoseconds = end;
  event.name = trace.texts.add(name);
  event.kind = kind;
  event.parent = parent;
  return event;
}

/// Lane 0 has ops: there ranges take no time. Lane 1 has ranges alone.
static ImportedTrace makeHostTrace() {
  using Kind = TraceEventKind;
  ImportedTrace trace;
  trace.lanes.resize(2);
  trace.events = {
      eventOf(trace, 0, 0, 90, "range", Kind::Range),
      eventOf(trace, 0, 10, 50, "outer op", Kind::Op, 0),
      eventOf(trace, 0, 15, 45, "frame", Kind::Function, 1),
      eventOf(trace, 0, 20, 40, "inner op", Kind::Op, 2),
      eventOf(trace, 0, 22, 25, "call", Kind::Call, 3),
      eventOf(trace, 0, 60, 80, "op with a range", Kind::Op, 0),
      eventOf(trace, 0, 61, 79, "in an op", Kind::Range, 5),
      eventOf(trace, 0, 65, 70, "called op", Kind::Op, 6),
      eventOf(trace, 0, 66, 68, "its own", Kind::Op, 7),
      eventOf(trace, 1, 100, 150, "outer range", Kind::Range),
      eventOf(trace, 1, 110, 130, "inner range", Kind::Range, 9),
      eventOf(trace, 1, 112, 120, "its frame", Kind::Function, 10),
      eventOf(trace, 1, 160, 170, "full range", Kind::Range),
      eventOf(trace, 1, 160, 170, "filling range", Kind::Range, 12)};
  return trace;
}

TEST(Work, CountsOnce) {
  ImportedTrace trace = makeHostTrace();
  EXPECT_EQ(
      describe(trace, listOwnWork(trace)),
      (Names{"outer op 20 around", "inner op 20", "op with a range 15 around",
             "called op 3 around", "its own 2", "outer range 30 around",
             "inner range 20", "full range 0 around", "filling range 10"}));
  // The same 120 ns: an op has what it calls, but not out of a range.
  EXPECT_EQ(
      describe(trace, listWholeWork(trace)),
      (Names{"outer op 40", "op with a range 15 around", "called op 5",
             "outer range 30 around", "inner range 20", "filling range 10"}));
}

TEST(Work, IsOfDevicesWhereTheyAre) {
  using Kind = TraceEventKind;
  ImportedTrace trace = makeHostTrace();
  Names host = describe(trace, listWholeWork(trace));
  trace.lanes.resize(3);
  trace.lanes[2].isDevice = true;
  trace.events.push_back(eventOf(trace, 2, 0, 99, "annotation", Kind::Range));
  EXPECT_EQ(describe(trace, listWholeWork(trace)), host);
  trace.events.push_back(eventOf(trace, 2, 8, 9, "kernel", Kind::Kernel, 14));
  EXPECT_EQ(describe(trace, listOwnWork(trace)), Names{"kernel 1"});
  EXPECT_EQ(describe(trace, listWholeWork(trace)), Names{"kernel 1"});
}

TEST(Work, KindsHaveWords) {
  Names words;
  for (int kind = 0; kind <= int(TraceEventKind::Other); ++kind)
    words.push_back(stringify(TraceEventKind(kind)).str());
  EXPECT_EQ(words, (Names{"range", "op", "function", "call", "kernel", "copy",
                          "fill", "other"}));
}
