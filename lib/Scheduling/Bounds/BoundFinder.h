//===- BoundFinder.h - Lower bounds, one by one -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_BOUNDS_BOUNDFINDER_H
#define LLM_LIB_SCHEDULING_BOUNDS_BOUNDFINDER_H

#include "TaskLimits.h"
#include "llm/Scheduling/Bounds.h"

#include <functional>
#include <string>

namespace mlir::llm::scheduling {

/// The bounds of `lowerBounds()`; nothing on overflow.
class BoundFinder {
public:
  static std::optional<BoundFinder> make(const Problem &problem, Cuts cuts);

  /// A set of engine groups.
  struct Groups {
    std::string name; ///< such as "_core_vpu"
    int64_t engines;
    /// By `TaskLimits::groupSet`: a task is confined to these groups.
    std::vector<bool> confines;
    /// By `TaskLimits::withSet`: a task holds an engine of these groups beside
    /// its own.
    std::vector<bool> lends;

    bool confine(const TaskLimits &task) const {
      return confines[task.groupSet];
    }
    /// Whether the task takes some of these engines wherever it runs.
    bool areTakenBy(const TaskLimits &task) const {
      return confine(task) || lends[task.withSet];
    }
  };
  /// The sets of groups to which some task is confined, and the groups of which
  /// some task holds an engine beside its own.
  const std::vector<Groups> &groupsThatMatter() const { return groupsOfAll; }

  /// The longest way of tasks that wait for each other, in cycles.
  int64_t criticalPath() const;
  /// The bound by the work of tasks that take an engine of `groups` wherever
  /// they run.
  std::optional<int64_t> work(const Groups &groups) const;
  /// The bound by all bytes that pass the resource.
  std::optional<int64_t> bytes(size_t resource) const;
  /// The bound by streams. What is fetched ahead shortens parts, but memory
  /// engines have ports, too. So engines x T >= cycles with nothing fetched -
  /// what is saved by the bytes that memory engines can move within T.
  std::optional<int64_t> streams(const Groups &groups) const;
  /// The same bound by what private memory can hold. It is left out for very
  /// many tasks.
  std::optional<int64_t> room(const Groups &groups) const;
  bool looksAtRoom() const;
  /// The bound by stages. Some tasks wait for everything before, and everything
  /// behind waits for them. What is between two of those adds up. Only what
  /// fits into private memory is fetched across a border.
  std::optional<int64_t> stages() const;
  /// Leaves only tasks that the end of the longest way waits for, and says
  /// whether there were others. A schedule of all tasks is one of these tasks,
  /// too, so their bound holds for it. Without that, a task that nothing waits
  /// for (it writes what only a later step reads) would let no other task be a
  /// stage. After that, only `stages()` may be asked.
  bool dropLooseEnds();

private:
  /// The number of ways to cut stages that are looked at, for all stages
  /// together.
  static constexpr size_t mostLooks = 5000;
  /// Some tasks, each with its limits in one way to cut it, or in any way.
  using Row = std::vector<const TaskLimits *>;
  /// A row in which the first `decided` of the tasks that can be cut have their
  /// cuts, and the others are cut in any way.
  struct PartlyCut {
    int64_t cycles;
    size_t number;
    size_t decided;
    Row row;
    /// The best one comes last: of fewest cycles, with most tasks decided, and
    /// the earliest.
    bool operator<(const PartlyCut &other) const;
  };

  explicit BoundFinder(const Problem &problem) : problem(&problem) {}

  void listGroups(const ProblemLimits &limits);
  void findRates();
  std::optional<int64_t> cyclesOf(int64_t bytes, size_t resource) const;
  /// The tasks of a row that are confined to the groups.
  static Row confinedTo(const Groups &groups, const Row &row);
  /// The bound by one limit on what is fetched ahead, for tasks that are
  /// confined to so many engines, if `held` was fetched before they start.
  /// `pieces` is memory to work with.
  std::optional<int64_t> fetched(size_t limit, const Row &confined,
                                 int64_t engines, const HeldAhead &held,
                                 std::vector<FetchCurve::Piece> &pieces) const;
  /// The largest bound over limits on bytes, or on room.
  std::optional<int64_t> fetched(bool isRoom, const Groups &groups) const;

  /// The tasks at positions [first, last) of the order, cut in any way.
  Row rowOf(size_t first, size_t last) const;
  /// The bytes that tasks of the row stream through the resource; at most
  /// `maxCount`.
  static int64_t bytesOf(const Row &row, size_t resource);
  /// The longest ways to and from each task of a row, within the row.
  struct Ways {
    std::vector<int64_t> heads, tails;
    int64_t longest;
  };
  Ways waysOf(size_t first, const Row &row) const;
  /// What a row from `first` on takes if it is all there is: its longest way,
  /// and what its tasks share between the ways to and from them.
  std::optional<int64_t> alone(size_t first, const Row &row) const;
  /// A bound for stages in a row, between two borders. What they stream passes
  /// within this time, except what private memories hold when they begin.
  std::optional<int64_t> passing(const Row &row, bool isFirst) const;
  /// What some stages before a stage have streamed through a resource, ahead of
  /// what the stage streams.
  struct Carried {
    int64_t bytes = 0;  ///< less what was held when they began; may be < 0
    int64_t cycles = 0; ///< from then on until the stage begins, at least
  };
  /// Begins a row at this stage wherever that gives a longer bound.
  void beginRows(std::vector<Carried> &carried) const;
  /// Adds a stage that takes so many cycles, and whose tasks are cut in any
  /// way.
  void pass(const Row &row, int64_t cycles,
            std::vector<Carried> &carried) const;
  /// The largest of alone(), passing(), and the time of the stage behind what
  /// is carried of each resource.
  std::optional<int64_t> stage(size_t first, const Row &row,
                               const std::vector<Carried> &carried) const;
  /// The earliest end of the next stage that rows of two stages or more allow.
  /// Such a row ends with it, and `ended` has the ends of the stages before it.
  std::optional<int64_t> endOfRows(const std::vector<size_t> &borders,
                                   const std::vector<int64_t> &ended,
                                   size_t longestRow) const;
  /// The least of stage() over the ways to cut the tasks, for each stage.
  std::optional<std::vector<int64_t>>
  leastOfStages(const std::vector<size_t> &borders) const;
  std::optional<int64_t> leastOfCuts(size_t first, size_t last, int64_t bound,
                                     const std::vector<Carried> &carried,
                                     size_t &looksLeft) const;
  /// Whether `count` tasks from these two positions on have equal limits.
  bool areEqual(size_t first, size_t other, size_t count) const;
  /// The positions of the tasks that can be cut, among [first, last).
  std::vector<size_t> findCuttable(size_t first, size_t last) const;

  const Problem *problem; ///< a pointer, so that finders can be moved
  std::vector<FetchLimit> fetchLimits;
  std::vector<TaskLimits> limits;
  std::vector<std::vector<TaskLimits>> choices; ///< as in `ProblemLimits`
  std::vector<unsigned> order;                  ///< topological
  std::vector<size_t> position;                 ///< in it, of each task
  std::vector<int64_t> ahead, behind; ///< of each task, without itself
  /// What is held of each resource before any row except the first. Nothing
  /// stands for any number.
  std::vector<std::optional<HeldAhead>> heldBytes;
  std::optional<HeldAhead> heldRoom;
  std::vector<Groups> groupsOfAll;
  /// The cycles that a byte takes to pass a resource through all ports
  /// together, `above[0] above[1] / (below[0] below[1])`, in lowest terms. So
  /// most products fit into 64 bits.
  struct CyclesPerByte {
    int64_t above[2], below[2];
  };
  std::vector<CyclesPerByte> cyclesPerByte; ///< of each resource
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_BOUNDS_BOUNDFINDER_H
