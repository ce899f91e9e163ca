//===- ImportedTrace.h - A run that another tool recorded -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What readers of foreign traces make, whatever the format: what ran when and
// where, and which part of the program launched which work. An event takes some
// 48 bytes, and equal texts are kept once. So a trace of some gigabytes fits
// into some hundred megabytes.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_IMPORTEDTRACE_H
#define LLM_TRACEIMPORT_IMPORTEDTRACE_H

#include "llm/Trace/TraceSink.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>

namespace mlir::llm {

/// Texts by number; equal ones have one number. Number 0 is the empty text.
class TraceTexts {
public:
  TraceTexts() { add(""); }
  uint32_t add(StringRef text) {
    auto [entry, isNew] = numbers.try_emplace(text, uint32_t(texts.size()));
    if (isNew)
      texts.push_back(entry->getKey());
    return entry->second;
  }
  StringRef operator[](uint32_t number) const { return texts[number]; }
  size_t size() const { return texts.size(); }

private:
  llvm::StringMap<uint32_t> numbers; ///< owns the texts, which never move
  std::vector<StringRef> texts;
};

/// What an event is, from the program's words down to the machine's work.
enum class TraceEventKind : uint8_t {
  Range,    ///< named by who wrote the program: NVTX, record_function, a graph
  Op,       ///< of a framework, on the host: "aten::mm"; a node of ggml's graph
  Function, ///< a frame of a call stack
  Call,     ///< of a runtime or a driver, where work is launched
  Kernel,   ///< on a device
  Copy,     ///< of memory, on a device
  Fill,     ///< of memory, on a device
  Other
};
StringRef stringify(TraceEventKind kind);

/// A thread of the host, or a stream of a device.
struct TraceLane {
  bool isDevice = false;
  int64_t process = 0; ///< of the host, or the number of the device
  int64_t thread = 0;  ///< of the host, or the number of the stream
  std::string processName, threadName;
};

struct TraceEvent {
  static constexpr uint32_t none = ~uint32_t(0);

  int64_t startNanoseconds = 0, endNanoseconds = 0; ///< from the first event
  uint32_t lane = 0;
  uint32_t name = 0; ///< number of a text
  uint32_t args = 0; ///< of the text of a JSON object, or of the empty one
  /// The event of the host that launched this work: a call, or else an op.
  /// `none` for work of the host, and if the trace does not say.
  uint32_t launchedBy = none;
  /// The innermost event of the same lane in which this one lies, or `none`.
  uint32_t parent = none;
  TraceEventKind kind = TraceEventKind::Other;
};

struct ImportedTrace {
  struct Sample {
    uint32_t counter = 0;
    int64_t nanoseconds = 0;
    double value = 0;
  };
  struct Counter {
    std::string name, unit;
  };
  /// An arrow from one event to another, as the trace draws it.
  struct Arrow {
    uint32_t from = 0, into = 0;
  };

  std::string format;               ///< for people: "nsys 2022.4 (SQLite)"
  std::vector<std::string> devices; ///< names of what it ran on, where it says
  TraceTexts texts;
  std::vector<TraceLane> lanes;
  /// All events, by lane, then by start, then the longer one first.
  std::vector<TraceEvent> events;
  /// For work that was recorded once and runs often: the event of the host in
  /// which it was recorded.
  llvm::DenseMap<uint32_t, uint32_t> recordedIn;
  std::vector<Counter> counters;
  std::vector<Sample> samples;
  std::vector<Arrow> arrows;
  /// Sentences that a reader of the figures must know: what the format does not
  /// measure, what was left out and how often.
  std::vector<std::string> notes;

  StringRef nameOf(const TraceEvent &event) const { return texts[event.name]; }
  StringRef argsOf(const TraceEvent &event) const { return texts[event.args]; }
};

/// Reads a trace of any known format. Its content tells the format. Errors name
/// the file and the byte or the row, and what was expected there.
llvm::Expected<ImportedTrace> readTrace(StringRef path);
/// Does the same for bytes in memory, with a name for errors.
llvm::Expected<ImportedTrace> readTrace(llvm::MemoryBufferRef bytes);
/// What a file that begins so is: "trace of ggml-viz". It is empty if it is no
/// trace, or cannot be read.
StringRef findTraceFormat(StringRef path);

/// A piece of what a run spends its time in. The times of a list add up. If
/// events cut each other, what lies in two pieces counts for one of them.
struct TraceWork {
  uint32_t event = 0;
  uint64_t nanoseconds = 0;
  bool isAround = false; ///< others lie in it, whose time it is without
};
/// Lists the events of devices, in the order of time. If no device is in the
/// trace, it lists all ops of the host, and all ranges of threads without ops.
/// Each has the time that no other inside it has.
std::vector<TraceWork> listOwnWork(const ImportedTrace &trace);
/// Lists the same time in larger pieces: ops of the host with all that they
/// call, because "aten::mm" takes its time itself and calls small ops. Ops that
/// are called from a range inside of an op are pieces of their own.
std::vector<TraceWork> listWholeWork(const ImportedTrace &trace);

/// Returns the chain of ranges and ops of the host around an event, outermost
/// first, without the event. It goes across the launch: for a kernel, it is
/// what is around its call. For work that was recorded, what is around its
/// recording comes behind that.
SmallVector<uint32_t> eventsAround(const ImportedTrace &trace, uint32_t event);

/// Records every event, counter and arrow on one clock, as it is in the trace.
void writeImportedTrace(const ImportedTrace &trace, TraceSink &sink);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_IMPORTEDTRACE_H
