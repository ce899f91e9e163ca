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
// Of what happens in one nanosecond it takes ends (E) first, then complete
// slices (X), the longer before the shorter, then the rest as it stands in the
// file. So a slice is complete, unless a slice without length lies where it
// starts: it would take that in, and lose its arrows to it. Such a slice is a
// begin (B) and an end, and so is the next one where that ends, because older
// versions take ends in the order of the file, too.
//
//===----------------------------------------------------------------------===//

#include "llm/Files/Utf8.h"
#include "llm/Support/ShortestDecimal.h"
#include "llm/Trace/TraceSink.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <cstdlib>
#include <optional>

using namespace mlir;
using namespace mlir::llm;
using llvm::json::OStream;

StringRef mlir::llm::stringify(TraceArrow::Kind kind) {
  return kind == TraceArrow::Kind::Prefetch ? "prefetch" : "dependence";
}

/// Prints microseconds with exactly three decimals, because a double would lose
/// nanoseconds.
static std::string inMicroseconds(int64_t nanoseconds) {
  std::string text = std::to_string(nanoseconds / 1000);
  // The three decimals, behind a one that the point replaces.
  size_t point = text.size();
  text += std::to_string(1000 + nanoseconds % 1000);
  text[point] = '.';
  return text;
}

/// Cuts, and does not round, to the decimals that all readers understand.
/// Perfetto multiplies a 64-bit divisor by ten for each decimal, and a double
/// has 15 digits.
static std::string cutDecimals(double microseconds) {
  double whole = std::floor(microseconds);
  // The product may have been rounded up, so this takes the double below it.
  double decimals =
      std::floor(std::nextafter((microseconds - whole) * 1e15, 0.0));
  std::string text;
  llvm::raw_string_ostream(text)
      << int64_t(whole) << '.'
      << llvm::format("%015lld", static_cast<long long>(decimals));
  return text;
}

/// Whether a double of microseconds still tells the nanosecond. Doubles are too
/// coarse for that from some months on.
static bool isSameNanosecond(double microseconds, int64_t nanoseconds) {
  constexpr int64_t exactlyInDoubles = int64_t(1) << 53;
  return nanoseconds < exactlyInDoubles &&
         std::abs(microseconds * 1000 - double(nanoseconds)) < 0.5;
}

/// Prints billionths of a unit, without zeros at the end.
static std::string inUnits(int64_t billionths) {
  constexpr int64_t billion = 1000000000;
  std::string decimals =
      std::to_string(billion + std::abs(billionths % billion));
  decimals.erase(decimals.find_last_not_of('0') + 1);
  decimals[0] = '.'; // of a one and nine digits
  return (billionths < 0 ? "-" : "") +
         std::to_string(std::abs(billionths / billion)) +
         (decimals.size() > 1 ? decimals : "");
}

static void writeNumber(OStream &json, StringRef key, StringRef text) {
  json.attributeBegin(key);
  json.rawValue(text);
  json.attributeEnd();
}

namespace {
/// The slices under way on a track.
///
/// Some readers (speedscope) add lengths to starts in doubles. They must find
/// no end behind the start of the next slice, or behind the end of the slice
/// around it.
class OpenSlices {
public:
  struct Ended {
    std::string microseconds, name, category;
  };

  bool canBeComplete(const TraceSlice &slice) const {
    return slice.start == slice.end || slice.start != lastPoint;
  }
  /// Returns the length of a complete slice in microseconds, as a decimal. If
  /// that is too long in doubles, it is the longest that is not, as long as
  /// that is the same nanosecond.
  std::string addComplete(const TraceSlice &slice);
  void addBegun(const TraceSlice &slice);
  /// Ends the innermost slice. Returns nothing if its beginning has told the
  /// end.
  std::optional<Ended> end(int64_t nanoseconds);

private:
  struct Slice {
    double readEnd; ///< as readers compute it, in microseconds
    bool isComplete;
    std::string name, category;
  };
  /// Readers must not compute an end behind this.
  double limitOf(int64_t end) const {
    double decimal = double(end) / 1000;
    return slices.empty() ? decimal : std::min(decimal, slices.back().readEnd);
  }
  SmallVector<Slice, 4> slices;
  int64_t lastPoint = -1; ///< where something other than a complete slice with
                          ///< a length was written last, in nanoseconds
};
} // namespace

std::string OpenSlices::addComplete(const TraceSlice &slice) {
  if (slice.start == slice.end)
    lastPoint = slice.start;
  int64_t nanoseconds = slice.end - slice.start;
  std::string text = inMicroseconds(nanoseconds);
  double from = double(slice.start) / 1000, limit = limitOf(slice.end);
  double length = double(nanoseconds) / 1000;
  if (from + length > limit) {
    length = std::max(limit - from, 0.0);
    while (length > 0 && from + length > limit)
      length = std::nextafter(length, 0.0);
    if (isSameNanosecond(length, nanoseconds)) {
      text = cutDecimals(length);
      length = std::strtod(text.c_str(), nullptr);
    }
  }
  slices.push_back({from + length, /*isComplete=*/true, {}, {}});
  return text;
}

void OpenSlices::addBegun(const TraceSlice &slice) {
  lastPoint = slice.start;
  slices.push_back({limitOf(slice.end), /*isComplete=*/false, slice.name.str(),
                    slice.category.str()});
}

std::optional<OpenSlices::Ended> OpenSlices::end(int64_t nanoseconds) {
  Slice slice = slices.pop_back_val();
  if (slice.isComplete)
    return std::nullopt;
  lastPoint = nanoseconds;
  bool isDecimal = slice.readEnd == double(nanoseconds) / 1000 ||
                   !isSameNanosecond(slice.readEnd, nanoseconds);
  std::string text =
      isDecimal ? inMicroseconds(nanoseconds) : cutDecimals(slice.readEnd);
  return Ended{std::move(text), std::move(slice.name),
               std::move(slice.category)};
}

namespace {
class JsonValues : public TraceValues {
public:
  explicit JsonValues(OStream &json, bool isList = false)
      : json(json), isList(isList) {}
  void number(StringRef key, int64_t value) override {
    write(key, [&] { json.value(value); });
  }
  void real(StringRef key, double value) override {
    write(key, [&] { json.rawValue(toShortestDecimal(value)); });
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
  void addTrack(const TraceTrack &track) override;
  void beginSlice(const TraceSlice &slice) override;
  void endSlice(unsigned track, int64_t nanoseconds) override;
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
  void writeNames(StringRef what, unsigned pid, unsigned tid, StringRef name,
                  unsigned order);
  void writePlace(OStream &json, unsigned track);
  void writeArrow(const TraceSlice &slice, const TraceArrow &arrow,
                  bool leaves);
  unsigned pidOf(unsigned group) const { return 1 + group; }
  unsigned tidOf(unsigned track) const {
    return 1 + layout->groups.size() + track;
  }

  raw_ostream &os;
  const TraceLayout *layout = nullptr;
  std::vector<unsigned> groups;       ///< of each track
  std::vector<OpenSlices> openSlices; ///< of each track
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

/// Writes names. Without a sort index, Perfetto would order by name.
void JsonTrace::writeNames(StringRef what, unsigned pid, unsigned tid,
                           StringRef name, unsigned order) {
  writeMetadata((what + "_name").str(), pid, tid,
                [&](OStream &json) { json.attribute("name", toUtf8(name)); });
  writeMetadata((what + "_sort_index").str(), pid, tid,
                [&](OStream &json) { json.attribute("sort_index", order); });
}

void JsonTrace::addTrack(const TraceTrack &track) {
  unsigned tid = tidOf(groups.size());
  groups.push_back(track.group);
  openSlices.emplace_back();
  writeNames("thread", pidOf(track.group), tid, track.name, tid);
}

/// Writes the head. What the trace is about is in it twice, because Perfetto
/// does not show `otherData`, but shows the args of an instant.
void JsonTrace::begin(const TraceLayout &tracks, Fill fillHead) {
  layout = &tracks;
  std::string head = encodeObject(fillHead);
  os << "{\"displayTimeUnit\":\"ns\",\"otherData\":" << head
     << ",\"traceEvents\":[";
  for (auto [group, name] : llvm::enumerate(layout->groups))
    writeNames("process", pidOf(group), pidOf(group), name, group);
  for (const TraceTrack &track : layout->tracks)
    addTrack(track);
  writeEvent("i", "schedule", [&](OStream &json) {
    json.attribute("s", "p"); // of the process
    json.attribute("pid", pidOf(0));
    writeNumber(json, "ts", inMicroseconds(0));
    writeNumber(json, "args", head);
  });
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void JsonTrace::writePlace(OStream &json, unsigned track) {
  json.attribute("pid", pidOf(groups[track]));
  json.attribute("tid", tidOf(track));
}

void JsonTrace::beginSlice(const TraceSlice &slice) {
  OpenSlices &open = openSlices[slice.track];
  bool isComplete = open.canBeComplete(slice);
  writeEvent(isComplete ? "X" : "B", slice.name, [&](OStream &json) {
    json.attribute("cat", slice.category);
    writePlace(json, slice.track);
    writeNumber(json, "ts", inMicroseconds(slice.start));
    if (isComplete)
      writeNumber(json, "dur", open.addComplete(slice));
    else
      open.addBegun(slice);
    json.attributeObject("args", [&] {
      JsonValues values(json);
      slice.fillArgs(values);
    });
  });
  // The arrows come right behind the slice, because readers find a slice
  // without length in no other way.
  for (const TraceArrow &arrow : slice.into)
    writeArrow(slice, arrow, /*leaves=*/false);
  for (const TraceArrow &arrow : slice.outOf)
    writeArrow(slice, arrow, /*leaves=*/true);
}

void JsonTrace::endSlice(unsigned track, int64_t nanoseconds) {
  std::optional<OpenSlices::Ended> ended = openSlices[track].end(nanoseconds);
  if (!ended)
    return;
  writeEvent("E", ended->name, [&](OStream &json) {
    json.attribute("cat", ended->category);
    writePlace(json, track);
    writeNumber(json, "ts", ended->microseconds);
  });
}

/// Writes an arrow's end. It belongs to the slice around its time, and the end
/// of a slice is no longer inside it. So the time is one nanosecond from either
/// end, or the start of a slice without an inside.
void JsonTrace::writeArrow(const TraceSlice &slice, const TraceArrow &arrow,
                           bool leaves) {
  StringRef kind = stringify(arrow.kind);
  int64_t arrival = slice.start + (slice.end - slice.start > 1 ? 1 : 0);
  int64_t time = leaves ? std::max(slice.start, slice.end - 1) : arrival;
  // A large trace is arrows for the most part, and nothing in them needs
  // escapes.
  os << (isFirst ? "\n" : ",\n") << "{\"ph\":\"" << (leaves ? "s" : "f")
     << "\",\"name\":\"" << kind << "\",\"cat\":\"" << kind
     << (leaves ? "\"" : "\",\"bp\":\"e\"") << ",\"id\":" << arrow.id
     << ",\"pid\":" << pidOf(groups[slice.track])
     << ",\"tid\":" << tidOf(slice.track) << ",\"ts\":" << inMicroseconds(time)
     << "}";
  isFirst = false;
}

void JsonTrace::writeCounter(unsigned number, int64_t nanoseconds,
                             int64_t value) {
  const TraceCounter &counter = layout->counters[number];
  writeEvent("C", counter.name, [&](OStream &json) {
    json.attribute("pid", pidOf(0));
    writeNumber(json, "ts", inMicroseconds(nanoseconds));
    json.attributeObject("args", [&] {
      if (counter.hasDecimals)
        writeNumber(json, counter.unit, inUnits(value));
      else
        json.attribute(counter.unit, value);
    });
  });
}
