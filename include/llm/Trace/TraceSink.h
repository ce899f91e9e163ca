//===- TraceSink.h - What a trace holds, whatever its format ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sink takes a trace and writes it as a file. Tracks and counters are
// declared first. Then events come one at a time, in the order of time. A sink
// keeps only those that have not ended.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_TRACESINK_H
#define LLM_TRACE_TRACESINK_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir::llm {

/// Takes the members of an object, or the elements of a list, which have no
/// key.
class TraceValues {
public:
  using Fill = function_ref<void(TraceValues &)>;
  virtual ~TraceValues() = default;
  virtual void number(StringRef key, int64_t value) = 0;
  virtual void real(StringRef key, double value) = 0; ///< must be finite
  virtual void text(StringRef key, StringRef value) = 0;
  virtual void flag(StringRef key, bool value) = 0;
  virtual void object(StringRef key, Fill fill) = 0;
  virtual void list(StringRef key, Fill fill) = 0;
  /// Takes the result of `TraceSink::encodeObject` or `encodeList` of the same
  /// sink.
  virtual void encoded(StringRef key, StringRef value) = 0;
};

/// A track: a line of slices, which overlap only if they nest.
struct TraceTrack {
  unsigned group = 0;
  std::string name;
};

struct TraceCounter {
  std::string name; ///< the title of a line in a viewer
  std::string unit;
  bool hasDecimals = false; ///< values are in billionths of the unit
  std::string about = {};   ///< further explanation; may be empty
};

/// The groups, tracks and counters of a trace. The first group is the whole
/// machine, and has all counters.
struct TraceLayout {
  std::vector<std::string> groups;
  std::vector<TraceTrack> tracks;
  std::vector<TraceCounter> counters;
};

/// One end of an arrow between two slices.
struct TraceArrow {
  enum class Kind { Dependence, Prefetch };
  Kind kind;
  int64_t id; ///< above 0, and unique among arrows of its kind
};
StringRef stringify(TraceArrow::Kind kind);

struct TraceSlice {
  unsigned track = 0;
  int64_t start = 0, end = 0; ///< nanoseconds
  StringRef name, category;
  TraceValues::Fill fillArgs;
  ArrayRef<TraceArrow> into = {}, outOf = {};
};

class TraceSink {
public:
  using Fill = TraceValues::Fill;
  virtual ~TraceSink() = default;

  /// Begins the trace. `fillHead` writes args of the whole trace.
  virtual void begin(const TraceLayout &layout, Fill fillHead) = 0;
  /// Adds one more track, after those of its group. Its number is the next free
  /// one.
  virtual void addTrack(const TraceTrack &track) = 0;
  /// Begins a slice. If several begin together on a track, the outer one must
  /// come first.
  virtual void beginSlice(const TraceSlice &slice) = 0;
  /// Ends the innermost slice of a track.
  virtual void endSlice(unsigned track, int64_t nanoseconds) = 0;
  virtual void writeCounter(unsigned counter, int64_t nanoseconds,
                            int64_t value) = 0;
  virtual void end() = 0;

  /// These encode a value that is written often, for `TraceValues::encoded`.
  virtual std::string encodeObject(Fill fill) = 0;
  virtual std::string encodeList(Fill fill) = 0;
};

/// Makes a sink for Chrome's JSON format.
std::unique_ptr<TraceSink> makeJsonTrace(::llvm::raw_ostream &os);
/// Makes a sink for Perfetto's own format, TrackEvent.
std::unique_ptr<TraceSink> makeProtoTrace(::llvm::raw_ostream &os);

} // namespace mlir::llm

#endif // LLM_TRACE_TRACESINK_H
