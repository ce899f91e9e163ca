//===- TraceJson.cpp - A trace in Chrome's JSON format --------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As Perfetto reads it: times are microseconds and must stay exact to the
// nanosecond; tracks are (pid, tid) pairs above zero, and no tid may be a pid,
// which would make it a main thread; sort indexes are numbers.
//
//===----------------------------------------------------------------------===//

#include "TraceSink.h"
#include "Utf8.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;
using llvm::json::OStream;

StringRef mlir::llm::stringify(TraceArrow::Kind kind) {
  return kind == TraceArrow::Kind::Prefetch ? "prefetch" : "dependence";
}

/// Thousands of the unit with exactly three decimals: a double would lose
/// nanoseconds.
static void writeThousandths(OStream &json, StringRef key, int64_t value) {
  json.attributeBegin(key);
  json.rawValue([&](raw_ostream &os) {
    int64_t decimals = value % 1000;
    os << value / 1000 << '.' << decimals / 100 << decimals / 10 % 10
       << decimals % 10;
  });
  json.attributeEnd();
}

namespace {
/// The ends of slices as readers find them that add lengths to starts in
/// doubles (speedscope): behind no start of what follows, and behind no end of
/// what the slice lies in.
class DoubleEnds {
public:
  /// The length of a slice, in microseconds: nothing where the decimal ends it
  /// there, else the longest double that does, the same nanosecond still.
  /// Slices of a track come in the order of their starts.
  std::optional<double> add(unsigned track, int64_t start, int64_t end);

private:
  struct Slice {
    int64_t end;    ///< nanoseconds
    double readEnd; ///< microseconds
  };
  /// Of each track: those that hold the last slice, and that itself.
  std::vector<SmallVector<Slice, 4>> open;
};
} // namespace

std::optional<double> DoubleEnds::add(unsigned track, int64_t start,
                                      int64_t end) {
  open.resize(std::max<size_t>(open.size(), track + 1));
  SmallVector<Slice, 4> &stack = open[track];
  while (!stack.empty() && stack.back().end <= start)
    stack.pop_back();
  double from = double(start) / 1000, limit = double(end) / 1000;
  // What the schedule lets overlap is no frame.
  if (!stack.empty() && stack.back().end >= end)
    limit = std::min(limit, stack.back().readEnd);
  double decimal = double(end - start) / 1000, length = decimal;
  if (from + decimal > limit) {
    length = std::max(limit - from, 0.0);
    while (length > 0 && from + length > limit)
      length = std::nextafter(length, 0.0);
  }
  stack.push_back({end, from + length});
  return length == decimal ? std::nullopt : std::optional(length);
}

static void writeDouble(OStream &json, StringRef key, double value) {
  json.attributeBegin(key);
  json.rawValue([&](raw_ostream &os) { os << llvm::format("%.17g", value); });
  json.attributeEnd();
}

namespace {
class JsonValues : public TraceValues {
public:
  explicit JsonValues(OStream &json, bool isList = false)
      : json(json), isList(isList) {}
  void number(StringRef key, int64_t value) override {
    write(key, [&] { json.value(value); });
  }
  void text(StringRef key, StringRef value) override {
    write(key, [&] {
      if (llvm::json::isUTF8(value))
        json.value(value);
      else
        json.value(llvm::json::fixUTF8(value));
    });
  }
  void flag(StringRef key, bool value) override {
    write(key, [&] { json.value(value); });
  }
  void object(StringRef key, Fill fill) override {
    write(key, [&] { json.object([&] { nest(fill, false); }); });
  }
  void list(StringRef key, Fill fill) override {
    write(key, [&] { json.array([&] { nest(fill, true); }); });
  }
  void encoded(StringRef key, StringRef value) override {
    write(key, [&] { json.rawValue(value); });
  }

private:
  void write(StringRef key, function_ref<void()> writeValue) {
    if (isList)
      return writeValue();
    if (llvm::json::isUTF8(key))
      json.attributeBegin(key);
    else
      json.attributeBegin(toUtf8(key));
    writeValue();
    json.attributeEnd();
  }
  void nest(Fill fill, bool inList) {
    JsonValues inner(json, inList);
    fill(inner);
  }

  OStream &json;
  bool isList;
};

class JsonTrace : public TraceSink {
public:
  explicit JsonTrace(raw_ostream &os) : os(os) {}
  void begin(const TraceLayout &layout, Fill fillHead) override;
  void beginSlice(const TraceSlice &slice) override;
  void endSlice(unsigned, int64_t) override {} // its beginning has said when
  void writeCounter(unsigned counter, int64_t nanoseconds,
                    int64_t value) override;
  void end() override { os << "\n]}\n"; }
  std::string encodeObject(Fill fill) override { return encode(fill, false); }
  std::string encodeList(Fill fill) override { return encode(fill, true); }

private:
  using Write = function_ref<void(OStream &)>;
  std::string encode(Fill fill, bool isList);
  void writeEvent(StringRef phase, StringRef name, Write write);
  void writeMetadata(StringRef kind, unsigned pid, unsigned tid, Write write);
  void writeTracks();
  void writeArrow(const TraceSlice &slice, const TraceArrow &arrow,
                  bool leaves);
  unsigned pidOf(unsigned group) const { return 1 + group; }
  unsigned tidOf(unsigned track) const {
    return 1 + layout->groups.size() + track;
  }

  raw_ostream &os;
  const TraceLayout *layout = nullptr;
  DoubleEnds ends;
  bool isFirst = true;
};
} // namespace

std::unique_ptr<TraceSink> mlir::llm::makeJsonTrace(raw_ostream &os) {
  return std::make_unique<JsonTrace>(os);
}

std::string JsonTrace::encode(Fill fill, bool isList) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  JsonValues values(json, isList);
  if (isList)
    json.array([&] { fill(values); });
  else
    json.object([&] { fill(values); });
  return text;
}

void JsonTrace::writeEvent(StringRef phase, StringRef name, Write write) {
  os << (isFirst ? "\n" : ",\n");
  isFirst = false;
  OStream json(os);
  json.object([&] {
    json.attribute("ph", phase);
    if (llvm::json::isUTF8(name))
      json.attribute("name", name);
    else
      json.attribute("name", llvm::json::fixUTF8(name));
    write(json);
  });
}

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

void JsonTrace::writeMetadata(StringRef kind, unsigned pid, unsigned tid,
                              Write write) {
  writeEvent("M", kind, [&](OStream &json) {
    json.attribute("pid", pid);
    json.attribute("tid", tid);
    json.attributeObject("args", [&] { write(json); });
  });
}

/// Without a sort index Perfetto orders by name.
void JsonTrace::writeTracks() {
  auto writeName = [&](StringRef what, unsigned pid, unsigned tid,
                       StringRef name, unsigned order) {
    writeMetadata((what + "_name").str(), pid, tid,
                  [&](OStream &json) { json.attribute("name", toUtf8(name)); });
    writeMetadata((what + "_sort_index").str(), pid, tid,
                  [&](OStream &json) { json.attribute("sort_index", order); });
  };
  for (auto [group, name] : llvm::enumerate(layout->groups))
    writeName("process", pidOf(group), pidOf(group), name, group);
  for (auto [number, track] : llvm::enumerate(layout->tracks))
    writeName("thread", pidOf(track.group), tidOf(number), track.name,
              tidOf(number));
}

void JsonTrace::begin(const TraceLayout &tracks, Fill fillHead) {
  layout = &tracks;
  os << "{\"displayTimeUnit\":\"ns\",\"otherData\":" << encodeObject(fillHead)
     << ",\"traceEvents\":[";
  writeTracks();
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void JsonTrace::beginSlice(const TraceSlice &slice) {
  writeEvent("X", slice.name, [&](OStream &json) {
    json.attribute("cat", slice.category);
    json.attribute("pid", pidOf(layout->tracks[slice.track].group));
    json.attribute("tid", tidOf(slice.track));
    writeThousandths(json, "ts", slice.start);
    if (std::optional<double> length =
            ends.add(slice.track, slice.start, slice.end))
      writeDouble(json, "dur", *length);
    else
      writeThousandths(json, "dur", slice.end - slice.start);
    json.attributeObject("args", [&] {
      JsonValues values(json);
      slice.fillArgs(values);
    });
  });
  // Right behind it: a slice of no length is found in no other way.
  for (const TraceArrow &arrow : slice.into)
    writeArrow(slice, arrow, /*leaves=*/false);
  for (const TraceArrow &arrow : slice.outOf)
    writeArrow(slice, arrow, /*leaves=*/true);
}

/// An arrow's end belongs to the slice that holds its time, and the end of a
/// slice is no longer inside it: hence one nanosecond from either end, or the
/// start of a slice without an inside.
void JsonTrace::writeArrow(const TraceSlice &slice, const TraceArrow &arrow,
                           bool leaves) {
  StringRef kind = stringify(arrow.kind);
  writeEvent(leaves ? "s" : "f", kind, [&](OStream &json) {
    json.attribute("cat", kind);
    if (!leaves)
      json.attribute("bp", "e");
    json.attribute("id", arrow.id);
    json.attribute("pid", pidOf(layout->tracks[slice.track].group));
    json.attribute("tid", tidOf(slice.track));
    int64_t arrival = slice.start + (slice.end - slice.start > 1 ? 1 : 0);
    writeThousandths(json, "ts",
                     leaves ? std::max(slice.start, slice.end - 1) : arrival);
  });
}

void JsonTrace::writeCounter(unsigned number, int64_t nanoseconds,
                             int64_t value) {
  const TraceCounter &counter = layout->counters[number];
  writeEvent("C", counter.name, [&](OStream &json) {
    json.attribute("pid", pidOf(0));
    writeThousandths(json, "ts", nanoseconds);
    json.attributeObject("args", [&] {
      if (counter.hasDecimals)
        writeThousandths(json, counter.unit, value);
      else
        json.attribute(counter.unit, value);
    });
  });
}
