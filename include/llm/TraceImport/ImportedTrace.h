//===- ImportedTrace.h - A run that another tool recorded -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common form of traces of other tools: what ran when and where, and which
// part of the program launched which work. An event takes some 48 bytes, and
// equal texts are kept once. So a trace of some gigabytes fits into some
// hundred megabytes.
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

/// Texts with numbers. Equal texts have the same number. Number 0 is the empty
/// text.
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

/// The kinds of events, from names in the program down to work of the machine.
enum class TraceEventKind : uint8_t {
  Range,    ///< named by who wrote the program: NVTX, record_function, a graph
  Op,       ///< an op of a framework: "aten::mm"; a node of ggml's graph
  Function, ///< a frame of a call stack
  Call,     ///< a call of a runtime or driver that launches work
  Kernel,   ///< a kernel on a device
  Copy,     ///< a copy of memory on a device
  Fill,     ///< a fill of memory on a device
  Other
};
StringRef stringify(TraceEventKind kind);

/// A thread of the host, or a stream of a device.
struct TraceLane {
  bool isDevice = false;
  int64_t process = 0; ///< process of the host, or number of the device
  int64_t thread = 0;  ///< thread of the host, or number of the stream
  std::string processName, threadName;
};

struct TraceEvent {
  static constexpr uint32_t none = ~uint32_t(0);

  int64_t startNanoseconds = 0, endNanoseconds = 0; ///< since the first event
  uint32_t lane = 0;
  uint32_t name = 0; ///< number of its text
  uint32_t args = 0; ///< number of a JSON object or of the empty text
  /// The event of the host that launched this work: a call, or if there is
  /// none, an op. It is `none` for work of the host, and if the trace does not
  /// say.
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
  std::vector<std::string> devices; ///< names of devices, if it has them
  TraceTexts texts;
  std::vector<TraceLane> lanes;
  /// All events, sorted by lane, then by start, then with the longer one first.
  std::vector<TraceEvent> events;
  /// For work that was recorded once and runs often (a CUDA graph): the event
  /// of the host in which it was recorded.
  llvm::DenseMap<uint32_t, uint32_t> recordedIn;
  std::vector<Counter> counters;
  std::vector<Sample> samples;
  std::vector<Arrow> arrows;
  /// Sentences that a reader of the figures must know: what the format does not
  /// measure, and what was left out and how often.
  std::vector<std::string> notes;

  StringRef nameOf(const TraceEvent &event) const { return texts[event.name]; }
  StringRef argsOf(const TraceEvent &event) const { return texts[event.args]; }
};

/// Reads a trace of any known format, which its content tells. Errors name the
/// file, the byte or the row, and what was expected there.
llvm::Expected<ImportedTrace> readTrace(StringRef path);
/// Does the same for bytes in memory, with a name for errors.
llvm::Expected<ImportedTrace> readTrace(llvm::MemoryBufferRef bytes);
/// Returns the format of a file by its first bytes: "trace of ggml-viz". It is
/// empty if the file is no trace or cannot be read.
StringRef findTraceFormat(StringRef path);

/// A piece of work, in which a run spends time. The times of a list add up. If
/// events overlap without nesting, the common time counts for one of them.
struct TraceWork {
  uint32_t event = 0;
  uint64_t nanoseconds = 0;
  bool isAround = false; ///< other pieces lie in it and do not count for it
};
/// Lists the work of devices, in the order of time. If no device is in the
/// trace, it lists all ops of the host, and all ranges of threads without ops.
/// The time of a piece does not include the pieces inside it.
std::vector<TraceWork> listOwnWork(const ImportedTrace &trace);
/// Lists the same time in larger pieces. An op of the host is one piece with
/// the ops that it calls, because "aten::mm" calls small ops. Ops that are
/// called from a range inside of an op are pieces of their own.
std::vector<TraceWork> listWholeWork(const ImportedTrace &trace);

/// Returns the chain of ranges and ops of the host around an event, outermost
/// first, without the event. It follows the launch: for a kernel, these are the
/// events around its call. For recorded work, the events around its recording
/// come after them.
SmallVector<uint32_t> eventsAround(const ImportedTrace &trace, uint32_t event);

/// Writes every event, counter and arrow as it is in the trace, on one clock.
void writeImportedTrace(const ImportedTrace &trace, TraceSink &sink);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_IMPORTEDTRACE_H
