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
                          StringRef name, TraceEventKind kind,
                          uint32_t parent = TraceEvent::none) {
  TraceEvent event;
  event.lane = lane;
  event.startNanoseconds = start;
  event.endNanoseconds = start + 1;
  event.name = trace.texts.add(name);
  event.kind = kind;
  event.parent = parent;
  return event;
}

/// Lane 0 has ops: there those without ops inside count, also those that hold
/// something else. Lane 1 has ranges alone: there the innermost ones count.
TEST(Work, OfTheHostIsInnermost) {
  using Kind = TraceEventKind;
  ImportedTrace trace;
  trace.lanes.resize(2);
  trace.events = {eventOf(trace, 0, 0, "range", Kind::Range),
                  eventOf(trace, 0, 1, "outer op", Kind::Op, 0),
                  eventOf(trace, 0, 2, "frame", Kind::Function, 1),
                  eventOf(trace, 0, 5, "inner op", Kind::Op, 2),
                  eventOf(trace, 0, 6, "call", Kind::Call, 3),
                  eventOf(trace, 0, 9, "range alone", Kind::Range),
                  eventOf(trace, 1, 3, "outer range", Kind::Range),
                  eventOf(trace, 1, 4, "inner range", Kind::Range, 6),
                  eventOf(trace, 1, 4, "frame of it", Kind::Function, 7)};
  EXPECT_EQ(namesOf(trace, listWork(trace)),
            (Names{"inner range", "inner op"}));

  trace.lanes.resize(3);
  trace.lanes[2].isDevice = true;
  trace.events.push_back(eventOf(trace, 2, 0, "annotation", Kind::Range));
  EXPECT_EQ(namesOf(trace, listWork(trace)),
            (Names{"inner range", "inner op"}));
  trace.events.push_back(eventOf(trace, 2, 8, "kernel", Kind::Kernel));
  EXPECT_EQ(namesOf(trace, listWork(trace)), Names{"kernel"});
}

TEST(Work, KindsHaveWords) {
  Names words;
  for (int kind = 0; kind <= int(TraceEventKind::Other); ++kind)
    words.push_back(stringify(TraceEventKind(kind)).str());
  EXPECT_EQ(words, (Names{"range", "op", "function", "call", "kernel", "copy",
                          "fill", "other"}));
}
