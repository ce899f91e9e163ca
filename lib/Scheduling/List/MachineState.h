//===- MachineState.h - Engines and lanes as time goes by -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_MACHINESTATE_H
#define LLM_LIB_SCHEDULING_LIST_MACHINESTATE_H

#include "Core/FreeRanges.h"
#include "Core/IndexSet.h"
#include "Core/Parts.h"

#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

namespace mlir::llm::scheduling {

/// What ended at a moment. It is kept, because there are many moments.
struct Ended {
  std::vector<size_t> parts;   ///< indices of the table
  std::vector<size_t> fetched; ///< parts for which a fetch has ended
};

/// The state of engines, lanes and private memories at one moment that only
/// moves forward, and the solution so far. Solvers decide, and the machine
/// keeps the books.
class MachineState {
public:
  /// Leaves out half of the compute engines, `halvings` times. One engine of
  /// each group stays. The slots take the memory of `spare`, a solution that is
  /// no longer needed.
  MachineState(const Problem &problem, const PartTable &table,
               unsigned halvings = 0, Solution spare = {});

  /// Returns the number of halvings after which each group has one compute
  /// engine.
  static unsigned mostHalvings(const Problem &problem, const PartTable &table);

  int64_t now() const { return time; }
  const std::vector<int64_t> &freeLanes() const { return free; }
  bool isIdle(unsigned group) const { return !groups[group].idle.empty(); }
  bool isIdle(EngineId engine) const {
    return groups[engine.group].idle.contains(engine.index);
  }
  /// Whether each of these groups has an idle engine. Null stands for no
  /// groups.
  bool areIdle(const std::vector<unsigned> *with) const;
  /// The number of idle engines of the group.
  int64_t idleOf(unsigned group) const {
    return groups[group].count - int64_t(groups[group].ends.size());
  }
  /// The number of idle engines that compute.
  int64_t idleComputeEngines() const;
  /// When an engine of the group is idle next: now, or at the end of the first
  /// part there.
  int64_t nextIdle(unsigned group) const;
  /// The latest of these moments over `group` and the groups `with`.
  int64_t nextIdle(unsigned group, const std::vector<unsigned> *with) const;
  /// The end of the next slot. Nothing if all engines are idle.
  std::optional<int64_t> nextEnd() const;

  /// The first moment from `from` on at which the lanes are free, if nothing
  /// else starts.
  int64_t whenFree(const int64_t *lanes, int64_t from) const;

  /// The next moment at which lanes that `wanted` lacks are released. The lanes
  /// that are free then are in `freeThen`. Looks only a few slots ahead.
  std::optional<int64_t> nextRelief(const int64_t *wanted,
                                    std::vector<int64_t> &freeThen) const;

  /// Moves on and frees what ended. The result is valid until it moves on
  /// again.
  const Ended &advanceTo(int64_t to);

  /// Finds the idle engine of the group with the lowest index that has
  /// `workingSetBytes` of private memory left beside what was fetched.
  std::optional<EngineId> findIdle(unsigned group, int64_t workingSetBytes);

  /// Starts a part now for so many cycles, with these lanes of each resource
  /// and the first idle engines of the groups beside its own. A part without
  /// length for which nothing was fetched occupies nothing, needs no idle
  /// engine, and is not among what ends. Returns false on overflow.
  bool start(size_t part, EngineId engine, int64_t length,
             const int64_t *lanes);

  /// Starts to fetch a source for a part that will run on `target`, on an idle
  /// engine of the group. Returns false on overflow.
  bool fetch(size_t part, unsigned source, EngineId target, unsigned group,
             LaneChoice choice);

  /// Engines of the group that a solver may use.
  int64_t countOf(unsigned group) const { return groups[group].count; }
  /// The private memory in bytes that fetched slices hold on the engine.
  int64_t fetchedBytes(EngineId engine) const;
  /// The address at which slices on the engine would end with one more of so
  /// many bytes (0: without one more). Each slice has a range of its own.
  int64_t topOfSlices(EngineId engine, int64_t sliceBytes) const;
  /// The working set in bytes of the part that runs on the engine now.
  int64_t runningBytes(EngineId engine) const;
  const std::vector<PrefetchSlot> &fetchesOf(size_t part) const {
    return solution.slots[part].prefetches;
  }

  /// The end of a part that was started.
  int64_t endOf(size_t part) const { return solution.slots[part].end; }

  /// Makes the processor load the slot of a part that starts soon.
  void loadAhead(size_t part) const {
    const Slot &slot = solution.slots[part];
    __builtin_prefetch(&slot, /*rw=*/1);
    __builtin_prefetch(&slot.prefetches, /*rw=*/1);
  }

  /// The solution, once every part was started.
  Solution takeSolution();

private:
  template <typename T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<T>>;

  /// Private memory of one engine that ever held a fetched slice.
  struct Room {
    int64_t fetched = 0, running = 0;
    FreeRanges ranges; ///< of slices; working sets are above them
    /// The slices of each part: (address, bytes).
    std::multimap<size_t, std::pair<int64_t, int64_t>> slices;
  };

  struct Group {
    explicit Group(int64_t count);
    int64_t count;
    IndexSet idle;
    MinHeap<int64_t> ends; ///< of the busy ones
    std::vector<Room> rooms;
  };

  /// A slot or a fetch, by its end.
  struct Running {
    int64_t end;
    size_t part;
    int fetch; ///< -1: the part itself
    bool operator<(const Running &other) const {
      return std::tie(end, part, fetch) <
             std::tie(other.end, other.part, other.fetch);
    }
  };

  const std::vector<int64_t> &lanesOf(const Running &run) const;
  EngineId engineOf(const Running &run) const;
  Room &roomOf(EngineId engine);
  void enqueue(Running run);
  void takeEngine(EngineId engine, int64_t end);
  void giveBackEngine(EngineId engine);
  void takeLanes(const std::vector<int64_t> &lanes);

  const Problem &problem;
  const PartTable &table;
  int64_t time = 0;
  Ended ended;
  std::vector<int64_t> free;
  std::vector<Group> groups;
  /// In the order of ends. A part that starts mostly ends behind those that run
  /// already, so few entries make room for it.
  std::deque<Running> running;
  Solution solution; ///< one slot for each part
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_MACHINESTATE_H
