//===- ArrowEndsTest.cpp - Tests of where arrows begin and end ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceBuilder.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace mlir::llm;

static constexpr uint32_t none = TraceEvent::none;

static TraceEvent eventOf(uint32_t lane, int64_t start, int64_t end) {
  TraceEvent event;
  event.lane = lane;
  event.startNanoseconds = start;
  event.endNanoseconds = end;
  return event;
}

static uint32_t findAt(ArrayRef<TraceEvent> events, int64_t nanoseconds,
                       bool isNext = false) {
  ArrowEnd end;
  end.nanoseconds = nanoseconds;
  end.isNext = isNext;
  ArrowEnd *ends[] = {&end};
  findArrowEnds(events, ends);
  return end.event;
}

TEST(ArrowEnds, AreOnTheInnermostOrTheNext) {
  std::vector<TraceEvent> events = {eventOf(0, 0, 10), eventOf(0, 2, 4),
                                    eventOf(0, 6, 6), eventOf(0, 8, 15),
                                    eventOf(1, 0, 99)};
  EXPECT_EQ(findAt(events, 0), 0u);
  EXPECT_EQ(findAt(events, 3), 1u);
  EXPECT_EQ(findAt(events, 4), 0u); // where one ends it is over
  EXPECT_EQ(findAt(events, 6), 2u); // without length, but there
  EXPECT_EQ(findAt(events, 9), 3u);
  EXPECT_EQ(findAt(events, 12), 3u);
  EXPECT_EQ(findAt(events, 15), none);
  EXPECT_EQ(findAt(events, 2, /*isNext=*/true), 1u);
  EXPECT_EQ(findAt(events, 5, /*isNext=*/true), 2u);
  EXPECT_EQ(findAt(events, 9, /*isNext=*/true), none);
}

/// Trying all: the last that has begun and runs, or is there without length.
static uint32_t tryAll(ArrayRef<TraceEvent> events, const ArrowEnd &place) {
  uint32_t found = none;
  for (auto [number, event] : ::llvm::enumerate(events)) {
    if (event.lane != place.lane)
      continue;
    if (place.isNext) {
      if (event.startNanoseconds >= place.nanoseconds)
        return number;
    } else if (event.startNanoseconds <= place.nanoseconds &&
               (event.endNanoseconds > place.nanoseconds ||
                event.startNanoseconds == place.nanoseconds)) {
      found = number;
    }
  }
  return found;
}

TEST(ArrowEnds, AreWhereTryingAllFindsThem) {
  std::mt19937 dice(12);
  for (int round = 0; round < 300; ++round) {
    std::vector<TraceEvent> events;
    for (unsigned count = dice() % 40; count > 0; --count) {
      int64_t start = dice() % 30;
      events.push_back(eventOf(dice() % 2, start, start + dice() % 12));
    }
    ::llvm::stable_sort(events, [](const TraceEvent &a, const TraceEvent &b) {
      return std::tuple(a.lane, a.startNanoseconds, -a.endNanoseconds) <
             std::tuple(b.lane, b.startNanoseconds, -b.endNanoseconds);
    });
    std::vector<ArrowEnd> places(50);
    std::vector<ArrowEnd *> pointers;
    for (ArrowEnd &place : places) {
      place.lane = dice() % 2;
      place.nanoseconds = dice() % 45;
      place.isNext = dice() % 2;
      pointers.push_back(&place);
    }
    findArrowEnds(events, pointers);
    for (const ArrowEnd &place : places)
      ASSERT_EQ(place.event, tryAll(events, place))
          << "round " << round << ", at " << place.nanoseconds << " of lane "
          << place.lane << (place.isNext ? ", next" : "");
  }
}
