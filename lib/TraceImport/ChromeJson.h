//===- ChromeJson.h - The events of a trace in Chrome's JSON ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a file of any length, one event at a time. This is only what the file
// says, and ChromeReader.cpp knows what it means.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_CHROMEJSON_H
#define LLM_TRACEIMPORT_CHROMEJSON_H

#include "FineTime.h"
#include "JsonCapture.h"
#include "TraceInput.h"

#include <tuple>

namespace mlir::llm {

/// A pid, a tid or an id. The format allows numbers and texts.
struct ChromeId {
  enum Kind : uint8_t { Missing, Number, Text };
  Kind kind = Missing;
  int64_t value = 0; ///< the number, or the number of the text

  bool isThere() const { return kind != Missing; }
  bool operator<(const ChromeId &other) const {
    return std::tie(kind, value) < std::tie(other.kind, other.value);
  }
  bool operator==(const ChromeId &other) const {
    return kind == other.kind && value == other.value;
  }
};

struct ChromeEvent {
  enum class Time : uint8_t { Missing, Bad, Good };

  uint64_t offsetBytes = 0; ///< of its opening brace
  char phase = 0;
  bool bindsEnclosing = false; ///< "bp": "e"
  bool flowsIn = false, flowsOut = false;
  Time hasStart = Time::Missing, hasDuration = Time::Missing;
  std::optional<FineTime> start, duration; ///< if they are valid
  std::string name, category;
  ChromeId process, thread, id, flow;
  /// Keys that join the event to others; they are not in `args`.
  std::optional<int64_t> correlation, externalId;
  StringRef args; ///< without what differs from event to event
  bool argsTooLong = false;
};

/// The members beside the events that are of use.
struct ChromeHead {
  bool isKineto = false;
  std::string schemaVersion;
  std::string deviceProperties, otherData; ///< JSON
};

class ChromeEventHandler {
public:
  virtual ~ChromeEventHandler() = default;
  /// Returns the number of the text of an id. Equal texts have one number.
  virtual int64_t numberText(StringRef text) = 0;
  virtual void event(const ChromeEvent &event, const ChromeHead &head) = 0;
  /// Says that the file ends as it should not, but behind whole events.
  virtual void note(const Twine &sentence) = 0;
};

/// Parses the file. Errors say at which byte.
::llvm::Error parseChromeJson(TraceInput &input, ChromeHead &head,
                              ChromeEventHandler &handler);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_CHROMEJSON_H
