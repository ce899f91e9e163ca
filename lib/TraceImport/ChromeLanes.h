//===- ChromeLanes.h - Threads of a trace in Chrome's JSON ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_CHROMELANES_H
#define LLM_TRACEIMPORT_CHROMELANES_H

#include "ChromeJson.h"
#include "TraceBuilder.h"

#include <map>

namespace mlir::llm {

/// Lanes by pid and tid, with what is under way on each.
class ChromeLanes {
public:
  struct Open {
    uint32_t event;
    uint64_t offsetBytes;
  };
  struct State {
    std::vector<Open> open;              ///< begun, not ended
    uint32_t last = TraceEvent::none;    ///< event, last in the file
    int64_t lastNanoseconds = INT64_MIN; ///< known of the lane
  };

  explicit ChromeLanes(TraceBuilder &builder) : builder(builder) {}

  uint32_t laneOf(const ChromeId &process, const ChromeId &thread);
  /// Returns the lane of an event that names no thread but an id. All events of
  /// an id are on one lane until they have ended. Then the lane may be of
  /// another id.
  uint32_t asyncLaneOf(const ChromeEvent &event);
  void releaseAsync(const ChromeEvent &event, uint32_t lane);
  State &stateOf(uint32_t lane) { return states[lane]; }
  size_t size() const { return states.size(); }

  /// Reads a metadata event (M).
  void setName(const ChromeEvent &event);
  int64_t numberText(StringRef text);
  StringRef textOf(const ChromeId &id) const {
    return id.kind == ChromeId::Text ? StringRef(texts[id.value]) : "";
  }
  /// Returns the name by metadata, or else the text that the pid is, or else
  /// nothing.
  std::string nameOf(const ChromeId &process) const;
  /// Names lanes. Must be called at the end, since names may stand behind the
  /// events that need them.
  void nameLanes();

private:
  using Key = std::pair<ChromeId, ChromeId>;
  /// The lanes of a category of a process.
  struct AsyncLanes {
    std::map<ChromeId, uint32_t> laneOfId; ///< lanes of ids that are under way
    std::vector<uint32_t> unused;
    unsigned count = 0;
  };

  uint32_t addLane(const Key &key, std::string threadName);
  AsyncLanes &asyncLanesOf(const ChromeEvent &event) {
    return asyncLanes[{event.process, event.category}];
  }
  int64_t toNumber(const ChromeId &id) const;

  TraceBuilder &builder;
  std::vector<State> states; ///< of each lane
  std::vector<Key> keys;     ///< of each lane
  std::map<Key, uint32_t> laneOfKey;
  std::map<Key, std::string> threadNames;
  std::map<ChromeId, std::string> processNames, labels;
  std::map<std::pair<ChromeId, std::string>, AsyncLanes> asyncLanes;
  std::vector<std::string> texts;
  ::llvm::StringMap<int64_t> numberOfText;
  int64_t largestNumber = 0;
};

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_CHROMELANES_H
