//===- Prefetcher.h - Sources ahead of the parts that read them -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_PREFETCHER_H
#define LLM_LIB_SCHEDULING_PREFETCHER_H

#include "Machine.h"
#include "Plan.h"

#include <deque>

namespace mlir::llm::scheduling {

/// Gives idle memory engines the sources of the parts that come next. A part of
/// which a source was fetched runs on the engine whose private memory holds it.
///
/// Parts never wait for each other's room: a slice is fetched only where every
/// part that is ahead of its own in the plan's order, and has not started yet,
/// still fits beside all that was fetched.
class Prefetcher {
public:
  Prefetcher(const Problem &problem, const Plan &plan, Machine &machine);

  /// Starts what idle memory engines can fetch now, and adds the parts that
  /// must wait for that. False on overflow.
  bool startFetches(std::vector<size_t> &waiting);

  void noteStart(size_t part);
  void noteFetched(size_t part) { --states[part].inFlight; }

  /// The engine that the part must run on, if one was chosen.
  std::optional<EngineId> targetOf(size_t part) const {
    return states.empty() ? std::nullopt : states[part].target;
  }
  bool isFetching(size_t part) const {
    return !states.empty() && states[part].inFlight > 0;
  }
  /// What is left to stream of a part, less what was fetched.
  std::vector<int64_t> bytesLeft(size_t part) const;
  /// The shortest length of a part with these bytes.
  std::optional<LaneChoice> shortest(size_t part, unsigned group,
                                     const std::vector<int64_t> &bytes,
                                     const std::vector<int64_t> &lanes) const;

private:
  struct State {
    std::optional<EngineId> target;
    int inFlight = 0;
    bool hasStarted = false;
  };
  /// The greatest working set of parts that have not started, in a window of
  /// the plan's order that only moves forward, for one engine group.
  struct Window {
    std::deque<std::pair<size_t, int64_t>> greatest; ///< falling
    void push(size_t position, int64_t bytes);
    int64_t from(size_t position);
  };

  /// Looks at all parts up to the position.
  void widen(size_t position);
  std::optional<unsigned> idleQueue() const;
  /// The next source that makes the part shorter, largest first.
  std::optional<unsigned> nextSource(size_t part, unsigned group) const;
  std::optional<EngineId> chooseTarget(size_t part, int64_t bytes);
  bool hasRoom(EngineId engine, int64_t bytes);

  const Problem &problem;
  const Plan &plan;
  Machine &machine;
  std::vector<unsigned> queues; ///< groups of memory engines
  std::vector<State> states;    ///< of parts
  std::vector<Window> windows;  ///< of groups
  size_t firstUnstarted = 0, behindWindow = 0;
  size_t next = 0; ///< position of the part to fetch for
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_PREFETCHER_H
