//===- TraceBuilderTest.cpp - Tests of nesting and launches ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceBuilder.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace mlir::llm;

using Kind = TraceEventKind;
static constexpr uint32_t none = TraceEvent::none;

namespace {
struct TestBuilder : TraceBuilder {
  uint32_t add(uint32_t lane, int64_t start, int64_t end, StringRef name,
               Kind kind = Kind::Op) {
    TraceEvent event;
    event.lane = lane;
    event.startNanoseconds = start;
    event.endNanoseconds = end;
    event.name = addText(name);
    event.kind = kind;
    return addEvent(event);
  }
};
} // namespace

/// "outer<none inner<outer": names in order, each with that of its parent.
static std::string describe(const ImportedTrace &trace, bool launches = false) {
  std::string text;
  for (const TraceEvent &event : trace.events) {
    uint32_t other = launches ? event.launchedBy : event.parent;
    text += (text.empty() ? "" : " ") + trace.nameOf(event).str() + "<" +
            (other == none ? "none" : trace.nameOf(trace.events[other]).str());
  }
  return text;
}

TEST(TraceBuilder, FindsTheInnermostThatHoldsAll) {
  TestBuilder builder;
  uint32_t lane = builder.addLane({});
  builder.add(lane, 105, 115, "late"); // overlaps `outer`, lies in none
  builder.add(lane, 100, 110, "outer");
  builder.add(lane, 102, 104, "inner");
  builder.add(lane, 106, 109, "both"); // in `outer` and in `late`
  builder.add(lane, 110, 114, "end");  // where `outer` ends
  ImportedTrace trace = std::move(builder).finish();
  EXPECT_EQ(describe(trace),
            "outer<none inner<outer late<none both<late end<late");
  EXPECT_EQ(trace.events[0].startNanoseconds, 0);
  EXPECT_EQ(trace.events[4].endNanoseconds, 14);
}

/// The longer one comes first, and of equals the one that came first; what has
/// no length lies in what runs then, not in what ends there.
TEST(TraceBuilder, OrdersEqualTimes) {
  TestBuilder builder;
  uint32_t lane = builder.addLane({});
  builder.add(lane, 5, 5, "point");
  builder.add(lane, 5, 5, "point again");
  builder.add(lane, 0, 5, "before");
  builder.add(lane, 5, 9, "first");
  builder.add(lane, 5, 9, "second");
  builder.add(lane, 9, 9, "last");
  ImportedTrace trace = std::move(builder).finish();
  EXPECT_EQ(describe(trace), "before<none first<none second<first point<second "
                             "point again<second last<none");
}

TEST(TraceBuilder, KeepsLanesApart) {
  TestBuilder builder;
  builder.addLane({}); // empty: left out
  TraceLane lane;
  lane.threadName = "a";
  uint32_t a = builder.addLane(lane);
  uint32_t b = builder.addLane({});
  builder.add(b, 1, 2, "in b");
  builder.add(a, 0, 9, "in a");
  ImportedTrace trace = std::move(builder).finish();
  ASSERT_EQ(trace.lanes.size(), 2u);
  EXPECT_EQ(trace.lanes[0].threadName, "a");
  EXPECT_EQ(describe(trace), "in a<none in b<none");
  EXPECT_EQ(trace.events[1].lane, 1u);
}

/// Correlation 7 is used twice: the last call before the work has launched it.
/// Without a call, the op with its external id has.
TEST(TraceBuilder, JoinsWorkToWhoLaunchedIt) {
  using Join = TraceBuilder::Join;
  TestBuilder builder;
  uint32_t host = builder.addLane({});
  TraceLane stream;
  stream.isDevice = true;
  uint32_t device = builder.addLane(stream);
  uint32_t op = builder.add(host, 0, 10, "op");
  uint32_t call = builder.add(host, 1, 2, "call", Kind::Call);
  uint32_t again = builder.add(host, 21, 22, "again", Kind::Call);
  uint32_t kernel = builder.add(device, 5, 6, "kernel", Kind::Kernel);
  uint32_t later = builder.add(device, 25, 26, "later", Kind::Kernel);
  uint32_t early = builder.add(device, 0, 1, "early", Kind::Kernel);
  uint32_t copy = builder.add(device, 30, 31, "copy", Kind::Copy);
  builder.add(device, 40, 41, "alone", Kind::Kernel);
  builder.addLauncher(Join::ExternalId, 3, op);
  builder.addLauncher(Join::Correlation, 7, again);
  builder.addLauncher(Join::Correlation, 7, call);
  for (uint32_t work : {kernel, later, early}) {
    builder.addLaunched(Join::Correlation, 7, work);
    builder.addLaunched(Join::ExternalId, 3, work);
  }
  builder.addLaunched(Join::Correlation, 8, copy);
  builder.addLaunched(Join::ExternalId, 3, copy);
  ImportedTrace trace = std::move(builder).finish();
  EXPECT_EQ(describe(trace, /*launches=*/true),
            "op<none call<none again<none early<call kernel<call later<again "
            "copy<op alone<none");
}

TEST(TraceBuilder, CountsWhatItLeavesOut) {
  TestBuilder builder;
  builder.add(builder.addLane({}), 0, 1, "a");
  builder.countNote("Odd things", "byte 5");
  builder.countNote("Odd things", "byte 9");
  std::string large(TraceBuilder::maxArgsBytes - 10, 'x');
  EXPECT_NE(builder.addArgs("{\"a\":\"" + large + "\"}"), 0u);
  EXPECT_EQ(builder.addArgs("{\"b\":\"does not fit\"}"), 0u);
  EXPECT_EQ(builder.addArgs("{}"), 0u);
  ImportedTrace trace = std::move(builder).finish();
  ASSERT_EQ(trace.notes.size(), 2u);
  EXPECT_EQ(trace.notes[0], "Odd things: 2, the first at byte 5.");
  EXPECT_EQ(trace.notes[1], "The args of 1 events are left out: distinct ones "
                            "take more than 96 MiB.");
}

/// The definition, by trying all: of those ahead that hold it and do not end
/// where it starts, the last.
static uint32_t findParent(ArrayRef<TraceEvent> events, uint32_t number) {
  const TraceEvent &event = events[number];
  for (uint32_t other = number; other-- > 0;)
    if (events[other].lane == event.lane &&
        events[other].endNanoseconds >= event.endNanoseconds &&
        events[other].endNanoseconds > event.startNanoseconds)
      return other;
  return none;
}

TEST(TraceBuilder, NestsAsTryingAllDoes) {
  std::mt19937 dice(11);
  for (int round = 0; round < 300; ++round) {
    TestBuilder builder;
    uint32_t lanes[] = {builder.addLane({}), builder.addLane({})};
    for (unsigned count = dice() % 60; count > 0; --count) {
      int64_t start = dice() % 40;
      builder.add(lanes[dice() % 2], start, start + dice() % 15, "e");
    }
    ImportedTrace trace = std::move(builder).finish();
    for (uint32_t number = 0; number < trace.events.size(); ++number)
      ASSERT_EQ(trace.events[number].parent, findParent(trace.events, number))
          << "round " << round << ", event " << number;
  }
}
