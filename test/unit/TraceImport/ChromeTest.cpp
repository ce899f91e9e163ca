//===- ChromeTest.cpp - Traces in Chrome's JSON ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceText.h"

using namespace mlir;
using namespace mlir::llm;

using Names = std::vector<std::string>;

static std::string textOf(StringRef events) {
  return ("{\"traceEvents\":[" + events + "]}").str();
}

static ImportedTrace readEvents(StringRef events) {
  return readText(textOf(events));
}

/// "text: 2, the first at byte 17.": where the object begins that holds
/// `marker` first.
static std::string noteOf(StringRef text, unsigned count, StringRef events,
                          StringRef marker) {
  std::string all = textOf(events);
  size_t begin = all.rfind('{', all.find(marker.str()));
  return (text + ": " + Twine(count) + ", the first at byte " + Twine(begin) +
          ".")
      .str();
}

TEST(Chrome, PairsBeginningsAndEnds) {
  StringRef events =
      R"(
{"ph":"B","name":"outer","pid":1,"tid":2,"ts":1},
{"ph":"B","name":"other","pid":1,"tid":3,"ts":1.5},
{"ph":"B","name":"inner","pid":1,"tid":2,"ts":2,"args":{"a":[1,{"b":null}]}},
{"ph":"E","pid":1,"tid":2,"ts":4,"args":{"late":1}},
{"ph":"E","pid":1,"tid":2,"ts":5,"args":{"late":2}},
{"ph":"I","name":"mark","pid":1,"tid":3,"ts":7.25},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}})";
  ImportedTrace trace = readEvents(events);
  EXPECT_EQ(describe(trace, "outer"),
            R"(range 0-4000 of /main in none by none {"late":2})");
  EXPECT_EQ(describe(trace, "inner"),
            R"(range 1000-3000 of /main in outer by none )"
            R"({"a":[1,{"b":null}]})");
  EXPECT_EQ(describe(trace, "other"), "range 500-6250 of / in none by none ");
  EXPECT_EQ(describe(trace, "mark"), "range 6250-6250 of / in none by none ");
  EXPECT_EQ(trace.notes,
            (Names{noteOf("Events that begin (B, b) and do not end are taken "
                          "to end with the last event of their thread",
                          1, events, R"("other")")}));
}

/// Two requests at a time need two lanes; the third takes one that is free.
TEST(Chrome, GivesAsyncEventsLanes) {
  ImportedTrace trace = readEvents(R"(
{"ph":"b","cat":"net","id":"0x1","name":"first","pid":1,"tid":2,"ts":0},
{"ph":"b","cat":"net","id2":{"local":"0x2"},"name":"second","pid":1,"ts":1},
{"ph":"n","cat":"net","id":1,"name":"answer","pid":1,"ts":2},
{"ph":"b","cat":"net","id":1,"name":"part","pid":1,"ts":2},
{"ph":"e","cat":"net","id":1,"name":"part","pid":1,"ts":3},
{"ph":"e","cat":"net","id":1,"name":"first","pid":1,"ts":4},
{"ph":"b","cat":"net","id":3,"name":"third","pid":1,"ts":5},
{"ph":"e","cat":"net","id":3,"name":"third","pid":1,"ts":8},
{"ph":"e","cat":"net","id2":{"local":"0x2"},"pid":1,"ts":9})");
  EXPECT_EQ(describe(trace, "first"), "range 0-4000 of /net in none by none ");
  EXPECT_EQ(describe(trace, "answer"),
            "range 2000-2000 of /net in part by none ");
  EXPECT_EQ(describe(trace, "part"),
            "range 2000-3000 of /net in first by none ");
  EXPECT_EQ(describe(trace, "second"),
            "range 1000-9000 of /net 2 in none by none ");
  EXPECT_EQ(describe(trace, "third"),
            "range 5000-8000 of /net in none by none ");
  EXPECT_EQ(trace.lanes.size(), 2u);
  EXPECT_TRUE(trace.notes.empty());
}

TEST(Chrome, CountsByProcessAndKey) {
  StringRef events =
      R"(
{"ph":"C","name":"memory","pid":1,"ts":1,"args":{"bytes":1024,"share":0.25}},
{"ph":"C","name":"memory","pid":2,"ts":2,"args":{"bytes":1e3}},
{"ph":"C","name":"memory","pid":1,"ts":3,"args":{"bytes":"many"}},
{"ph":"C","name":"heap","id":"0xa","pid":1,"ts":3,"args":{"bytes":7}},
{"ph":"C","name":"empty","pid":1,"ts":4},
{"ph":"M","name":"process_name","pid":2,"args":{"name":"server"}})";
  ImportedTrace trace = readEvents(events);
  Names counters;
  for (const ImportedTrace::Counter &counter : trace.counters)
    counters.push_back(counter.name + " in " + counter.unit);
  EXPECT_EQ(counters, (Names{"memory (1) in bytes", "memory in share",
                             "memory (server 2) in bytes", "heap in bytes"}));
  ASSERT_EQ(trace.samples.size(), 4u);
  EXPECT_EQ(trace.samples[1].value, 0.25);
  EXPECT_EQ(trace.samples[2].value, 1000);
  EXPECT_EQ(trace.samples[2].nanoseconds, 1000);
  EXPECT_EQ(
      trace.notes,
      (Names{noteOf("Counters (C) without args are left out", 1, events,
                    R"("empty")"),
             noteOf("Values of counters (C) that are no numbers are left out",
                    1, events, R"("C","name":"memory","pid":1,"ts":3)")}));
}

/// An arrow's end is on the event ahead of it in the file, where that runs
/// then; else on the innermost one, or on the next one.
TEST(Chrome, DrawsArrows) {
  ImportedTrace trace = readEvents(R"(
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"s","cat":"c","name":"n","id":1,"pid":1,"tid":1,"ts":9},
{"ph":"f","cat":"c","name":"n","id":1,"pid":1,"tid":2,"ts":3},
{"ph":"s","cat":"d","name":"n","id":1,"pid":1,"tid":1,"ts":2},
{"ph":"t","cat":"d","name":"n","id":1,"pid":1,"tid":2,"ts":5,"bp":"e"},
{"ph":"f","cat":"d","name":"n","id":1,"pid":1,"tid":2,"ts":12,"bp":"e"},
{"ph":"X","name":"b","pid":1,"tid":2,"ts":4,"dur":3},
{"ph":"X","name":"c","pid":1,"tid":2,"ts":11,"dur":3},
{"ph":"X","name":"d","pid":1,"tid":3,"ts":0,"dur":1,
 "bind_id":"0x9","flow_out":true},
{"ph":"X","name":"e","pid":1,"tid":3,"ts":2,"dur":1,
 "bind_id":"0x9","flow_in":true,"flow_out":true},
{"ph":"X","name":"f","pid":1,"tid":3,"ts":4,"dur":1,
 "bind_id":9,"flow_in":true},
{"ph":"X","name":"g","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"f","cat":"e","name":"n","id":"x","bp":"e","pid":1,"tid":1,"ts":1},
{"ph":"s","cat":"e","name":"n","id":"x","pid":1,"tid":3,"ts":2.5})");
  EXPECT_EQ(arrowsOf(trace), "a>b a>b b>c d>e e>f e>g");
  EXPECT_TRUE(trace.notes.empty());
}

/// One launch may start many kernels: all ends go back to one beginning, and
/// an id that is used again starts anew.
TEST(Chrome, DrawsArrowsToManyEnds) {
  StringRef events =
      R"(
{"ph":"X","name":"graph","pid":1,"tid":1,"ts":0,"dur":2},
{"ph":"s","cat":"c","name":"n","id":1,"pid":1,"tid":1,"ts":0},
{"ph":"X","name":"k","pid":1,"tid":2,"ts":3,"dur":1},
{"ph":"f","bp":"e","cat":"c","name":"n","id":1,"pid":1,"tid":2,"ts":3},
{"ph":"X","name":"l","pid":1,"tid":2,"ts":5,"dur":1},
{"ph":"f","bp":"e","cat":"c","name":"n","id":1,"pid":1,"tid":2,"ts":5},
{"ph":"X","name":"again","pid":1,"tid":1,"ts":6,"dur":2},
{"ph":"s","cat":"c","name":"n","id":1,"pid":1,"tid":1,"ts":6},
{"ph":"X","name":"m","pid":1,"tid":2,"ts":9,"dur":1},
{"ph":"f","bp":"e","cat":"c","name":"n","id":1,"pid":1,"tid":2,"ts":9},
{"ph":"s","cat":"c","name":"n","id":2,"pid":1,"tid":1,"ts":6},
{"ph":"f","bp":"e","cat":"c","name":"n","id":3,"pid":1,"tid":2,"ts":9},
{"ph":"s","cat":"c","name":"n","id":4,"pid":1,"tid":1,"ts":6},
{"ph":"f","bp":"e","cat":"c","name":"n","id":4,"pid":1,"tid":2,"ts":99})";
  ImportedTrace trace = readEvents(events);
  EXPECT_EQ(arrowsOf(trace), "graph>k graph>l again>m");
  EXPECT_EQ(
      trace.notes,
      (Names{"Arrows that begin or end where no event is are left out: 1.",
             noteOf("Beginnings of arrows without an end are left out", 1,
                    events, R"("id":2)"),
             noteOf("Ends of arrows without a beginning are left out", 1,
                    events, R"("id":3)")}));
}

TEST(Chrome, SaysWhatItLeavesOut) {
  StringRef events =

      R"({"ph":"X","name":"good","pid":1,"tid":1,"ts":5,"dur":0},)"
      R"({"ph":"X","name":"no dur","pid":1,"tid":1,"ts":5},)"
      R"({"ph":"X","name":"no dur","pid":1,"tid":1,"ts":6},)"
      R"({"ph":"X","name":"no ts","pid":1,"tid":1,"dur":5},)"
      R"({"ph":"X","name":"early","pid":1,"tid":1,"ts":-0.001,"dur":5},)"
      R"({"ph":"X","name":"back","pid":1,"tid":1,"ts":1,"dur":-1},)"
      R"({"ph":"X","name":"far","pid":1,"tid":1,"ts":1e20,"dur":1},)"
      R"({"ph":"X","name":"long","pid":1,"tid":1,"ts":1,"dur":true},)"
      R"({"ph":"E","pid":1,"tid":1,"ts":5},)"
      R"({"ph":"N","name":"object","pid":1,"id":1,"ts":5},{})";
  ImportedTrace trace = readEvents(events);
  EXPECT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(
      trace.notes,
      (Names{
          noteOf("Complete events (X) without 'dur' are left out", 2, events,
                 R"(no dur)"),
          noteOf("Ends (E, e) without a beginning are left out", 1, events,
                 R"("E")"),
          noteOf("Events of phase N are left out", 1, events, R"("N")"),
          noteOf("Events whose 'dur' is no time are left out", 1, events,
                 R"("long")"),
          noteOf("Events whose 'ts' is no time are left out", 1, events,
                 R"("far")"),
          noteOf("Events with a negative 'dur' are left out", 1, events,
                 R"("back")"),
          noteOf("Events with a negative 'ts' are left out", 1, events,
                 R"("early")"),
          noteOf("Events without 'ts' are left out", 1, events, R"("no ts")"),
          "Objects without a phase ('ph') are left out: 1, the first at byte " +
              std::to_string(textOf(events).rfind("{}")) + "."}));
}

/// A list needs no bracket at its end, and commas may be too many.
TEST(Chrome, ReadsListsThatWereCut) {
  StringRef event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1})";
  for (std::string text :
       {("[" + event + "]").str(), ("\xEF\xBB\xBF [" + event + ",\n]").str(),
        ("[" + event + ",").str(), ("[" + event + "\n").str(),
        ("{\"traceEvents\":[" + event + ",]}").str()}) {
    ImportedTrace trace = readText(text);
    EXPECT_EQ(trace.events.size(), 1u) << text;
    EXPECT_EQ(trace.notes.size(), text.find("}]") == text.npos ? 1u : 0u)
        << text;
  }
  EXPECT_TRUE(readText("[]").events.empty());
  EXPECT_TRUE(readText("{\"traceEvents\":[]}").events.empty());
}

/// Their words for what they were made with go in front of the events.
TEST(Chrome, KnowsOurOwnHead) {
  ImportedTrace trace = readText(
      R"({"otherData":{"target":"npu","n":1},"traceEvents":[)"
      R"({"ph":"i","s":"p","name":"schedule","pid":1,"ts":0.000,)"
      R"("args":{"target":"npu","n":1}},)"
      R"({"ph":"i","s":"p","name":"own","pid":1,"ts":1,"args":{"n":1}}]})");
  EXPECT_EQ(trace.devices, Names{"npu"});
  EXPECT_EQ(trace.events.size(), 1u);
  EXPECT_EQ(describe(trace, "own"),
            R"(range 0-0 of / in none by none {"n":1})");
}
