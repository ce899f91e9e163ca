//===- Machine.h - Engines and lanes as time goes by ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_MACHINE_H
#define LLM_LIB_SCHEDULING_MACHINE_H

#include "Parts.h"

#include <functional>
#include <queue>
#include <set>

namespace mlir::llm::scheduling {

/// The state of engines and lanes at one moment that only moves forward, and
/// the solution so far. Solvers decide; the machine keeps the books.
class Machine {
public:
  /// `halvings` times half of the compute engines, but one of each group stays.
  Machine(const Problem &problem, const PartTable &table,
          unsigned halvings = 0);

  /// After so many halvings each group has one compute engine.
  static unsigned mostHalvings(const Problem &problem, const PartTable &table);

  int64_t now() const { return time; }
  const std::vector<int64_t> &freeLanes() const { return free; }
  bool isIdle(unsigned group) const;
  /// When an engine of the group is idle next: now, or when the first one ends.
  int64_t nextIdle(unsigned group) const;
  /// When the next slot ends; nothing when all engines are idle.
  std::optional<int64_t> nextEnd() const;

  /// The first moment from `from` on at which the lanes are free, if nothing
  /// else starts.
  int64_t whenFree(const std::vector<int64_t> &lanes, int64_t from) const;

  /// The next moment at which lanes that `wanted` lacks are released, and the
  /// lanes that are free then. Looks only a few slots ahead.
  struct Relief {
    int64_t time;
    std::vector<int64_t> free;
  };
  std::optional<Relief> nextRelief(const std::vector<int64_t> &wanted) const;

  /// Moves on and frees what ended; returns those parts (indices of the table).
  std::vector<size_t> advanceTo(int64_t to);

  /// Starts a part now on the idle engine of the group with the lowest index. A
  /// slot without length occupies nothing and needs no idle engine. False on
  /// overflow.
  bool start(size_t part, unsigned group, const LaneChoice &choice);

  /// The solution, once every part was started.
  Solution takeSolution();

private:
  template <typename T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  struct Group {
    int64_t count = 0;
    int64_t touched = 0;   ///< engines from here on were never used
    MinHeap<int64_t> idle; ///< among the touched ones
    MinHeap<int64_t> ends; ///< of the busy ones
  };

  int64_t takeEngine(Group &group);

  const PartTable &table;
  int64_t time = 0;
  std::vector<int64_t> free;
  std::vector<Group> groups;
  std::set<std::pair<int64_t, size_t>> running; ///< end and part
  Solution solution;                            ///< one slot for each part
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_MACHINE_H
