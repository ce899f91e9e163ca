//===- StrictSink.h - A sink that holds writers to their word ---*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_TRACE_STRICTSINK_H
#define LLM_TEST_UNIT_TRACE_STRICTSINK_H

#include "llm/Trace/TraceSink.h"

#include <gtest/gtest.h>

#include <map>

namespace mlir::llm {

/// Values as text: {a: 1, b: [x, true]}.
class TextValues : public TraceValues {
public:
  explicit TextValues(std::string &text) : text_(text) {}
  void number(StringRef key, int64_t value) override {
    add(key, std::to_string(value));
  }
  void real(StringRef key, double value) override {
    add(key, std::to_string(value));
  }
  void text(StringRef key, StringRef value) override { add(key, value.str()); }
  void flag(StringRef key, bool value) override {
    add(key, value ? "true" : "false");
  }
  void object(StringRef key, Fill fill) override { nest(key, "{", "}", fill); }
  void list(StringRef key, Fill fill) override { nest(key, "[", "]", fill); }
  void encoded(StringRef, StringRef) override { FAIL(); }

private:
  void add(StringRef key, const std::string &value) {
    text_ +=
        (isFirst ? "" : ", ") + (key.empty() ? "" : key.str() + ": ") + value;
    isFirst = false;
  }
  void nest(StringRef key, StringRef open, StringRef close, Fill fill) {
    std::string inner;
    TextValues values(inner);
    fill(values);
    add(key, (open + inner + close).str());
  }

  std::string &text_;
  bool isFirst = true;
};

/// Holds writers to what `TraceSink` says: time does not go back, slices of a
/// track nest, and what is begun is ended.
class StrictSink : public TraceSink {
public:
  void begin(const TraceLayout &layout, Fill) override {
    tracks = layout.tracks.size();
    open.resize(tracks);
    for (const TraceTrack &track : layout.tracks)
      names.push_back(track.name);
  }
  void addTrack(const TraceTrack &track) override {
    ++tracks;
    open.emplace_back();
    names.push_back(track.name);
  }
  void beginSlice(const TraceSlice &slice) override {
    advance(slice.start);
    ASSERT_LT(slice.track, tracks);
    std::vector<int64_t> &own = open[slice.track];
    if (!own.empty()) {
      ASSERT_LE(slice.end, own.back()) << slice.name.str();
    }
    own.push_back(slice.end);
    std::string args;
    TextValues values(args);
    slice.fillArgs(values);
    begun[slice.name.str()] = {slice.start, slice.end, names[slice.track],
                               args};
    for (const TraceArrow &arrow : slice.outOf)
      ASSERT_TRUE(
          leaves.insert({{arrow.kind, arrow.id}, slice.name.str()}).second);
    for (const TraceArrow &arrow : slice.into)
      ASSERT_TRUE(
          arrives.insert({{arrow.kind, arrow.id}, slice.name.str()}).second);
  }
  void endSlice(unsigned track, int64_t nanoseconds) override {
    advance(nanoseconds);
    ASSERT_FALSE(open[track].empty());
    ASSERT_EQ(open[track].back(), nanoseconds);
    open[track].pop_back();
    ++ended;
  }
  void writeCounter(unsigned counter, int64_t nanoseconds,
                    int64_t value) override {
    advance(nanoseconds);
    samples.push_back({counter, nanoseconds, value});
  }
  void end() override { hasEnded = true; }
  std::string encodeObject(Fill) override { return ""; }
  std::string encodeList(Fill) override { return ""; }

  struct Begun {
    int64_t start, end;
    std::string track, args;
  };
  std::map<std::string, Begun> begun;
  using ArrowId = std::pair<TraceArrow::Kind, int64_t>;
  std::map<ArrowId, std::string> leaves, arrives;
  std::vector<std::tuple<unsigned, int64_t, int64_t>> samples;
  size_t tracks = 0, ended = 0;
  bool hasEnded = false;

private:
  void advance(int64_t nanoseconds) {
    ASSERT_GE(nanoseconds, now);
    now = nanoseconds;
  }
  int64_t now = 0;
  std::vector<std::vector<int64_t>> open;
  std::vector<std::string> names;
};

} // namespace mlir::llm

#endif // LLM_TEST_UNIT_TRACE_STRICTSINK_H
