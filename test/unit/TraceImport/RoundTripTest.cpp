//===- RoundTripTest.cpp - What we write, we read again -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trace/StrictSink.h"
#include "TraceText.h"
#include "llm/Trace/Recording.h"
#include "llm/Trace/TraceWriter.h"

#include <random>
#include <set>

using namespace mlir;
using namespace mlir::llm;

namespace {
using Slice = std::tuple<std::string, int64_t, int64_t, std::string>;

/// Of each slice, by its name: lane, times and args; and what it lies in.
struct Content {
  std::map<std::string, Slice> slices;
  std::map<std::string, std::string> parents;
  std::multiset<std::pair<std::string, std::string>> arrows;
  std::multiset<std::tuple<std::string, std::string, int64_t, double>> samples;
  bool operator==(const Content &other) const {
    return slices == other.slices && parents == other.parents &&
           arrows == other.arrows && samples == other.samples;
  }
};

class Dice {
public:
  explicit Dice(unsigned seed) : generator(seed) {}
  int64_t roll(int64_t low, int64_t high) {
    return low + int64_t(generator() % uint64_t(high - low + 1));
  }

private:
  std::mt19937_64 generator;
};
} // namespace

static Recording::Values argsOf(Dice &dice) {
  Recording::Values args = Recording::Values::object();
  if (dice.roll(0, 1))
    args["whole"] = dice.roll(INT64_MIN, -1);
  if (dice.roll(0, 1))
    args["text"] = "with \"quotes\", \\ and \n lines, \xC3\xA9";
  if (dice.roll(0, 1))
    args["list"] = {1, "two", {{"three", true}}, Recording::Values::array()};
  if (dice.roll(0, 1))
    args["inner"] = {{"a", {{"b", 7}}}, {"c", false}};
  return args;
}

/// Slices of a track nest, unless they may overlap.
static Recording recordAtRandom(Dice &dice, int64_t maxStart) {
  Recording recording;
  recording.layout.groups = {"machine", "cores"};
  unsigned tracks = dice.roll(1, 3);
  for (unsigned track = 0; track < tracks; ++track)
    recording.layout.tracks.push_back({track % 2, "t" + std::to_string(track)});
  recording.layout.counters = {{"bytes held", "B"},
                               {"bandwidth", "GB/s", /*hasDecimals=*/true}};
  for (int64_t number = 0, count = dice.roll(1, 30); number < count; ++number) {
    Recording::Slice slice;
    slice.track = dice.roll(0, tracks - 1);
    slice.startNanoseconds = dice.roll(0, maxStart);
    slice.endNanoseconds = slice.startNanoseconds + dice.roll(0, 20);
    slice.name = "slice " + std::to_string(number);
    slice.category = "op";
    slice.args = argsOf(dice);
    recording.slices.push_back(slice);
  }
  for (int64_t count = dice.roll(0, 20), last = recording.slices.size() - 1;
       count > 0; --count)
    recording.arrows.push_back({dice.roll(0, 1) ? TraceArrow::Kind::Prefetch
                                                : TraceArrow::Kind::Dependence,
                                size_t(dice.roll(0, last)),
                                size_t(dice.roll(0, last))});
  for (int64_t count = dice.roll(0, 20); count > 0; --count)
    recording.samples.push_back({unsigned(dice.roll(0, 1)),
                                 dice.roll(0, maxStart),
                                 dice.roll(-5000000000, 5000000000)});
  return recording;
}

/// Tracks for what overlaps are called "t1 overlap 2".
static std::string laneName(StringRef group, StringRef track) {
  return (group + "/" + track.split(" overlap").first).str();
}

static Content contentOf(const Recording &recording) {
  Content content;
  int64_t first = INT64_MAX;
  for (const Recording::Slice &slice : recording.slices)
    first = std::min(first, slice.startNanoseconds);
  for (const Recording::Sample &sample : recording.samples)
    first = std::min(first, sample.nanoseconds);
  for (const Recording::Slice &slice : recording.slices) {
    const TraceTrack &track = recording.layout.tracks[slice.track];
    content.slices[slice.name] = {
        laneName(recording.layout.groups[track.group], track.name),
        slice.startNanoseconds - first, slice.endNanoseconds - first,
        slice.args.empty() ? "" : slice.args.dump()};
  }
  for (const Recording::Arrow &arrow : recording.arrows)
    content.arrows.insert(
        {recording.slices[arrow.from].name, recording.slices[arrow.into].name});
  for (const Recording::Sample &sample : recording.samples) {
    const TraceCounter &counter = recording.layout.counters[sample.counter];
    content.samples.insert(
        {counter.name, counter.unit, sample.nanoseconds - first,
         counter.hasDecimals ? sample.value / 1e9 : double(sample.value)});
  }
  return content;
}

static Content contentOf(const ImportedTrace &trace) {
  Content content;
  for (const TraceEvent &event : trace.events) {
    const TraceLane &lane = trace.lanes[event.lane];
    std::string name = trace.nameOf(event).str();
    content.slices[name] = {laneName(lane.processName, lane.threadName),
                            event.startNanoseconds, event.endNanoseconds,
                            trace.argsOf(event).str()};
    content.parents[name] = nameOf(trace, event.parent);
  }
  for (auto [from, into] : trace.arrows)
    content.arrows.insert({nameOf(trace, from), nameOf(trace, into)});
  for (const ImportedTrace::Sample &sample : trace.samples) {
    const ImportedTrace::Counter &counter = trace.counters[sample.counter];
    content.samples.insert(
        {counter.name, counter.unit, sample.nanoseconds, sample.value});
  }
  return content;
}

template <typename Write>
static std::string toText(TraceEncoding encoding, Write write) {
  std::string text;
  {
    ::llvm::raw_string_ostream stream(text);
    TraceWriter writer(encoding, stream);
    write(writer.sink());
  }
  return text;
}

/// By hand: zero lengths, equal times, an arrow back in time.
TEST(RoundTrip, OfWhatIsHardToTellApart) {
  Recording recording;
  recording.layout.groups = {"machine"};
  recording.layout.tracks = {{0, "t0"}};
  recording.slices = {{0, 5, 9, "outer", "op"}, {0, 5, 9, "inner", "op"},
                      {0, 5, 5, "point", "op"}, {0, 5, 5, "again", "op"},
                      {0, 9, 9, "end", "op"},   {0, 6, 7, "short", "op"}};
  recording.arrows = {{TraceArrow::Kind::Dependence, 4, 0},
                      {TraceArrow::Kind::Dependence, 0, 2},
                      {TraceArrow::Kind::Dependence, 2, 3},
                      {TraceArrow::Kind::Prefetch, 5, 5},
                      {TraceArrow::Kind::Prefetch, 1, 4}};
  ImportedTrace trace = readText(toText(
      TraceEncoding::Json, [&](TraceSink &sink) { recording.write(sink); }));
  EXPECT_TRUE(trace.notes.empty());
  Content content = contentOf(trace), wanted = contentOf(recording);
  wanted.parents = {{"outer", "none"},  {"inner", "outer"}, {"point", "inner"},
                    {"again", "inner"}, {"end", "none"},    {"short", "inner"}};
  EXPECT_TRUE(content == wanted);
}

/// Random recordings come back equal from our JSON; and equal again, what lies
/// in what included, when what was read is written. Times are small, so that
/// many are equal, or of 2023.
TEST(RoundTrip, OfRandomRecordings) {
  Dice dice(21);
  for (int round = 0; round < 400 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Recording recording = recordAtRandom(dice, 60);
    if (round % 4 == 0)
      for (Recording::Slice &slice : recording.slices) {
        slice.startNanoseconds += 1700000000123456789;
        slice.endNanoseconds += 1700000000123456789;
      }
    if (round % 4 == 0)
      recording.samples.clear();
    TraceEncoding encoding =
        round % 2 ? TraceEncoding::Json : TraceEncoding::JsonGzip;
    ImportedTrace trace = readText(
        toText(encoding, [&](TraceSink &sink) { recording.write(sink); }));
    Content content = contentOf(trace);
    Content wanted = contentOf(recording);
    EXPECT_EQ(content.slices, wanted.slices);
    EXPECT_EQ(content.arrows, wanted.arrows);
    EXPECT_EQ(content.samples, wanted.samples);
    EXPECT_TRUE(trace.notes.empty());

    auto write = [&](TraceSink &sink) { writeImportedTrace(trace, sink); };
    ImportedTrace again = readText(toText(TraceEncoding::Json, write));
    Content second = contentOf(again);
    EXPECT_EQ(second.slices, content.slices);
    EXPECT_EQ(second.arrows, content.arrows);
    EXPECT_EQ(second.samples, content.samples);
    // What overlaps has a track of its own then, in which less lies.
    if (again.lanes.size() == trace.lanes.size()) {
      EXPECT_EQ(second.parents, content.parents);
    }
    EXPECT_FALSE(toText(TraceEncoding::Proto, write).empty());
  }
}

/// Sinks get what they ask for: time that does not go back, slices that nest.
TEST(RoundTrip, HandsSinksWhatTheyAskFor) {
  Dice dice(22);
  for (int round = 0; round < 400 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Recording recording = recordAtRandom(dice, 40);
    ImportedTrace trace = readText(toText(
        TraceEncoding::Json, [&](TraceSink &sink) { recording.write(sink); }));
    StrictSink sink;
    writeImportedTrace(trace, sink);
    EXPECT_TRUE(sink.hasEnded);
    EXPECT_EQ(sink.begun.size(), trace.events.size());
    EXPECT_EQ(sink.ended, trace.events.size());
    EXPECT_EQ(sink.leaves.size(), trace.arrows.size());
    EXPECT_EQ(sink.arrives.size(), trace.arrows.size());
    EXPECT_EQ(sink.samples.size(), trace.samples.size());
  }
}

/// A launch that the trace does not draw is drawn; one that it draws, once.
TEST(RoundTrip, DrawsLaunches) {
  ImportedTrace trace;
  trace.lanes.resize(2);
  trace.lanes[1].isDevice = true;
  for (uint32_t number = 0; number < 3; ++number) {
    TraceEvent event;
    event.startNanoseconds = number;
    event.endNanoseconds = number + 1;
    event.lane = number > 0;
    event.name = trace.texts.add(std::to_string(number));
    event.kind = number ? TraceEventKind::Kernel : TraceEventKind::Call;
    event.launchedBy = number ? 0 : TraceEvent::none;
    trace.events.push_back(event);
  }
  trace.arrows = {{0, 1}, {1, 2}};
  ImportedTrace again =
      readText(toText(TraceEncoding::Json, [&](TraceSink &sink) {
        writeImportedTrace(trace, sink);
      }));
  Content content = contentOf(again);
  EXPECT_EQ(content.arrows,
            (decltype(content.arrows){{"0", "1"}, {"0", "2"}, {"1", "2"}}));
  EXPECT_EQ(again.events[findEvent(again, "1")].kind, TraceEventKind::Kernel);
  EXPECT_TRUE(again.lanes[again.events[findEvent(again, "2")].lane].isDevice);
}
