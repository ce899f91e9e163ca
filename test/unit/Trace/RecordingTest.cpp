//===- RecordingTest.cpp - Recordings in the order of time ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/Recording.h"
#include "StrictSink.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace mlir;
using namespace mlir::llm;

namespace {

TraceLayout layoutOf(unsigned tracks) {
  TraceLayout layout;
  layout.groups = {"machine"};
  for (unsigned track = 0; track < tracks; ++track)
    layout.tracks.push_back({0, "t" + std::to_string(track)});
  layout.counters = {{"a", "x"}, {"b", "x"}};
  return layout;
}

/// By hand: `late` overlaps `early` without lying in it, `inner` lies in it,
/// and `behind` starts where that ends.
TEST(Recording, OverlapsGoToATrackOfTheirOwn) {
  Recording recording;
  recording.layout = layoutOf(1);
  recording.slices = {{0, 8, 20, "late", "c"},
                      {0, 0, 10, "early", "c", {{"n", 1}, {"l", {"x", true}}}},
                      {0, 2, 4, "inner", "c"},
                      {0, 10, 12, "behind", "c"}};
  recording.arrows = {{TraceArrow::Kind::Dependence, 1, 0}};
  StrictSink sink;
  recording.write(sink);
  EXPECT_EQ(sink.begun["early"].track, "t0");
  EXPECT_EQ(sink.begun["inner"].track, "t0");
  EXPECT_EQ(sink.begun["late"].track, "t0 overlap 1");
  EXPECT_EQ(sink.begun["behind"].track, "t0");
  EXPECT_EQ(sink.begun["early"].args, "n: 1, l: [x, true]");
  EXPECT_EQ(sink.leaves.begin()->second, "early");
  EXPECT_EQ(sink.arrives.begin()->second, "late");
}

/// Lengths are cut where doubles of microseconds would be too long; of decades
/// these are coarser than nanoseconds, and the decimals stay as they are.
TEST(Recording, LengthsOfDecadesStayExact) {
  Recording recording;
  recording.layout = layoutOf(2);
  constexpr int64_t end = 2089670227099910144;
  recording.slices = {{0, 1900544, end, "outer", "c"},
                      {0, 1125899906973696, end, "inner", "c"},
                      {1, 1125899906973696, end + 327680, "coarse", "c"}};
  std::string text;
  ::llvm::raw_string_ostream stream(text);
  recording.write(*makeJsonTrace(stream));
  EXPECT_NE(text.find("\"dur\":2089670227098009.600,"), std::string::npos);
  EXPECT_NE(text.find("\"dur\":2088544327192936.448,"), std::string::npos);
  EXPECT_NE(text.find("\"dur\":2088544327193264.128,"), std::string::npos);
}

/// 500 random recordings of slices that nest or overlap, some of no length:
/// all of them arrive, with their arrows and samples.
TEST(Recording, ArrivesInTheOrderOfTime) {
  std::mt19937_64 dice(3);
  auto random = [&](int64_t low, int64_t high) {
    return low + int64_t(dice() % uint64_t(high - low + 1));
  };
  for (int round = 0; round < 500 && !testing::Test::HasFailure(); ++round) {
    Recording recording;
    unsigned tracks = random(1, 3);
    recording.layout = layoutOf(tracks);
    for (int64_t number = 0, count = random(0, 40); number < count; ++number) {
      Recording::Slice slice;
      slice.track = random(0, tracks - 1);
      slice.startNanoseconds = random(0, 60);
      slice.endNanoseconds = slice.startNanoseconds + random(0, 20);
      slice.name = std::to_string(number);
      recording.slices.push_back(slice);
    }
    if (!recording.slices.empty())
      for (int64_t count = random(0, 20); count > 0; --count)
        recording.arrows.push_back(
            {random(0, 1) ? TraceArrow::Kind::Prefetch
                          : TraceArrow::Kind::Dependence,
             size_t(random(0, recording.slices.size() - 1)),
             size_t(random(0, recording.slices.size() - 1))});
    for (int64_t count = random(0, 20); count > 0; --count)
      recording.samples.push_back(
          {unsigned(random(0, 1)), random(0, 90), random(-5, 5)});
    StrictSink sink;
    recording.write(sink);
    EXPECT_TRUE(sink.hasEnded);
    EXPECT_EQ(sink.begun.size(), recording.slices.size());
    EXPECT_EQ(sink.ended, recording.slices.size());
    for (const Recording::Slice &slice : recording.slices) {
      const StrictSink::Begun &found = sink.begun[slice.name];
      EXPECT_EQ(found.start, slice.startNanoseconds);
      EXPECT_EQ(found.end, slice.endNanoseconds);
      EXPECT_EQ(found.track.substr(0, 2), "t" + std::to_string(slice.track));
    }
    std::multiset<std::pair<std::string, std::string>> wanted, drawn;
    for (const Recording::Arrow &arrow : recording.arrows)
      wanted.insert({recording.slices[arrow.from].name,
                     recording.slices[arrow.into].name});
    for (const auto &[id, name] : sink.leaves)
      drawn.insert({name, sink.arrives.at(id)});
    EXPECT_EQ(drawn, wanted);
    EXPECT_EQ(sink.samples.size(), recording.samples.size());
  }
}

} // namespace
