//===- TraceText.h - What tests say of traces -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_TRACEIMPORT_TRACETEXT_H
#define LLM_TEST_UNIT_TRACEIMPORT_TRACETEXT_H

#include "llm/TraceImport/ImportedTrace.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

namespace mlir::llm {

inline ImportedTrace readText(StringRef text) {
  auto trace = readTrace(::llvm::MemoryBufferRef(text, "t.json"));
  if (trace)
    return std::move(*trace);
  ADD_FAILURE() << toString(trace.takeError());
  return {};
}

/// The number of the event of that name, which there is once.
inline uint32_t findEvent(const ImportedTrace &trace, StringRef name) {
  uint32_t found = TraceEvent::none;
  for (auto [number, event] : ::llvm::enumerate(trace.events))
    if (trace.nameOf(event) == name) {
      EXPECT_EQ(found, TraceEvent::none) << name.str() << " is there twice";
      found = number;
    }
  if (found != TraceEvent::none)
    return found;
  ADD_FAILURE() << name.str() << " is not there";
  return 0;
}

inline std::string nameOf(const ImportedTrace &trace, uint32_t event) {
  if (event == TraceEvent::none)
    return "none";
  return trace.nameOf(trace.events[event]).str();
}

/// "mm op 10-30 of python/main in outer by none {"a":1}"
inline std::string describe(const ImportedTrace &trace, StringRef name) {
  const TraceEvent &event = trace.events[findEvent(trace, name)];
  const TraceLane &lane = trace.lanes[event.lane];
  std::string text;
  ::llvm::raw_string_ostream(text)
      << stringify(event.kind) << " " << event.startNanoseconds << "-"
      << event.endNanoseconds << " of " << (lane.isDevice ? "device " : "")
      << lane.processName << "/" << lane.threadName << " in "
      << nameOf(trace, event.parent) << " by "
      << nameOf(trace, event.launchedBy) << " " << trace.argsOf(event);
  return text;
}

/// "a>b c>d", in the order of the trace.
inline std::string arrowsOf(const ImportedTrace &trace) {
  std::string text;
  for (auto [from, into] : trace.arrows)
    text += (text.empty() ? "" : " ") + nameOf(trace, from) + ">" +
            nameOf(trace, into);
  return text;
}

inline std::vector<std::string> namesOf(const ImportedTrace &trace,
                                        ArrayRef<uint32_t> events) {
  std::vector<std::string> names;
  for (uint32_t event : events)
    names.push_back(nameOf(trace, event));
  return names;
}

/// "aten::mm 30", and " around" of those that others lie in.
inline std::vector<std::string> describe(const ImportedTrace &trace,
                                         ArrayRef<TraceWork> work) {
  std::vector<std::string> pieces;
  for (const TraceWork &piece : work)
    pieces.push_back(nameOf(trace, piece.event) + " " +
                     std::to_string(piece.nanoseconds) +
                     (piece.isAround ? " around" : ""));
  return pieces;
}

} // namespace mlir::llm

#endif // LLM_TEST_UNIT_TRACEIMPORT_TRACETEXT_H
