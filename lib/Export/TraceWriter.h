//===- TraceWriter.h - Events of a trace, one at a time ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chrome's JSON format as Perfetto reads it: times are microseconds and must
// stay exact to the nanosecond; tracks are (pid, tid) pairs above zero; sort
// indexes are numbers.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_TRACEWRITER_H
#define LLM_LIB_EXPORT_TRACEWRITER_H

#include "llm/Analysis/Timeline.h"
#include "llm/Export/Passes.h"
#include "llm/Target/Target.h"
#include "llvm/Support/JSON.h"

namespace mlir::llm {

/// Text that JSON may hold: bytes that are no UTF-8 become replacement
/// characters.
std::string toUtf8(StringRef text);

/// A slice's place on the time axis.
struct TraceSpan {
  int64_t start = 0, end = 0; ///< nanoseconds
  unsigned track = 0;
};

class TraceWriter {
public:
  using Fill = function_ref<void(llvm::json::OStream &)>;

  TraceWriter(llvm::raw_ostream &os, const Target &target, TraceTime time);

  /// Head and names of all tracks; `fill` adds what the whole trace is about.
  void begin(Fill fill);
  void end();

  int64_t toNanoseconds(int64_t cycle) const;
  TraceSpan spanOf(const Slice &slice) const;

  void writeSlice(const TraceSpan &span, StringRef name, StringRef category,
                  Fill fillArgs);
  /// One end of an arrow, bound to the slice of `span`.
  void writeArrowOut(const TraceSpan &span, StringRef category, int64_t id);
  void writeArrowInto(const TraceSpan &span, StringRef category, int64_t id);
  void writeCounter(int64_t nanoseconds, StringRef name, Fill fillValues);

private:
  static constexpr int64_t pid = 1;
  void writeEvent(StringRef phase, StringRef name, Fill fill);
  void writeMetadata(StringRef kind, unsigned track, Fill fillArgs);
  void writeTracks();

  llvm::raw_ostream &os;
  const Target &target;
  TraceTime time;
  bool isFirst = true;
  llvm::StringMap<unsigned> firstTrackOfGroup;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_TRACEWRITER_H
