//===- Prefetcher.h - Sources ahead of the parts that read them -*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_PREFETCHER_H
#define LLM_LIB_SCHEDULING_LIST_PREFETCHER_H

#include "Habit.h"
#include "MachineState.h"
#include "Plan.h"

#include <deque>
#include <map>
#include <set>

namespace mlir::llm::scheduling {

/// Gives idle memory engines the sources of the parts that come next. If a
/// source of a part was fetched, the part runs on the engine whose private
/// memory holds it.
///
/// Parts never wait for each other's room. A slice is fetched only if every
/// part that is ahead of its own in the plan's order, and has not started yet,
/// still fits beside all that was fetched, on each engine on which it may run.
class Prefetcher {
public:
  Prefetcher(const Problem &problem, const Plan &plan, MachineState &machine,
             const ListOptions &options);

  /// Starts what idle memory engines can fetch now, and adds the parts that
  /// must wait for that. Returns false on overflow.
  bool startFetches(std::vector<size_t> &waiting);

  void noteStart(size_t part);
  void noteEnded(unsigned task) {
    if (!states.empty())
      hasEnded[task] = true;
  }
  void noteFetched(size_t part);

  /// The engine that the part must run on, if one was chosen.
  std::optional<EngineId> targetOf(size_t part) const {
    return states.empty() ? std::nullopt : states[part].target;
  }
  /// When the first fetch that is under way to this engine for one of these
  /// parts ends.
  std::optional<int64_t> nextArrival(EngineId engine,
                                     const std::vector<bool> &forParts) const;
  bool isFetching(size_t part) const {
    return !states.empty() && states[part].inFlight > 0;
  }
  /// Writes to `bytes` what the part has left to stream, without what was
  /// fetched.
  void findBytesLeft(size_t part, std::vector<int64_t> &bytes) const;

private:
  struct State {
    std::optional<EngineId> target;
    int inFlight = 0;
    bool hasStarted = false;
    int64_t need = 0; ///< beside slices, on the target
  };
  /// The greatest working set of parts that have not started and for which
  /// nothing is fetched, in a window of the plan's order that only moves
  /// forward, for one engine group.
  struct Window {
    /// (position, bytes), bytes falling
    std::deque<std::pair<size_t, int64_t>> greatest;
    void push(size_t position, int64_t bytes);
    int64_t from(size_t position);
  };

  /// Moves on from the part at `next`, for which nothing is fetched.
  void skip();
  /// Makes the processor load what the parts behind `next` need, as in ListRun.
  void loadAhead() const;
  std::optional<unsigned> idleQueue() const;
  /// Sources that make the part shorter if they are fetched one after the
  /// other. The one that saves most is first.
  const std::vector<unsigned> &sourcesWorthFetching(size_t part,
                                                    unsigned group);
  std::optional<unsigned> nextSource(size_t part);
  /// Whether the source is written, and which part of it is read is known.
  bool isThere(const Source &source) const;
  std::optional<EngineId> chooseTarget(size_t part, unsigned source);
  /// Whether the part can have the source on this engine.
  bool hasRoom(EngineId engine, size_t part, unsigned source);
  /// The bytes that the part needs beside slices once it has this source, too.
  int64_t needWith(size_t part, unsigned source) const;
  void bind(size_t part, EngineId engine, int64_t need);

  const Problem &problem;
  const Plan &plan;
  MachineState &machine;
  const ListOptions &options;
  const std::vector<int64_t> lanes; ///< all that there are
  std::vector<bool> hasEnded;       ///< of tasks
  std::vector<unsigned> queues;     ///< groups of memory engines
  std::vector<State> states;        ///< of parts
  std::vector<Window> windows;      ///< of groups
  /// The last answer of sourcesWorthFetching(), by shape and group. The
  /// function is called again for the same part, and equal parts follow one
  /// another.
  std::optional<std::pair<unsigned, unsigned>> worthFor;
  std::vector<unsigned> worthFetching;
  std::vector<int64_t> left; ///< bytes, where that is looked for
  /// For each engine, what those of its parts need that have not started.
  std::map<std::pair<unsigned, int64_t>, std::multiset<int64_t>> needs;
  /// For each engine, the end and the part of each fetch under way.
  std::map<std::pair<unsigned, int64_t>, std::set<std::pair<int64_t, size_t>>>
      arrivals;
  size_t firstUnstarted = 0;
  size_t next = 0; ///< position of the part to fetch for
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_PREFETCHER_H
