//===- ListSearch.h - Ways to cut and start tasks, tried --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LISTSEARCH_H
#define LLM_LIB_SCHEDULING_LISTSEARCH_H

#include "Habit.h"
#include "Plan.h"

#include <functional>

namespace mlir::llm::scheduling {

/// Of each task how it is cut (`Task::partsOf`); empty: all as they are.
using Choices = std::vector<unsigned>;

/// Runs the list scheduler with ways to cut the tasks and to start the parts,
/// and keeps the shortest solution.
class ListSearch {
public:
  /// Stops at `bound` cycles, which nothing is shorter than, and once so many
  /// parts were placed.
  ListSearch(const Problem &problem, int64_t bound, size_t effort);

  const std::optional<Solution> &best() const { return shortest; }
  /// Those that it was found with.
  const ListOptions &bestOptions() const { return options; }
  bool isDone() const {
    return shortest && (shortest->makespan <= bound || placed >= effort);
  }

  /// Every task in its first way, every one in its second, and so on; the best
  /// of these with all habits.
  void tryLevels();
  /// The same, but no task in an earlier way than in `cuts`; and again with
  /// those tasks as in `cuts` that compute for longer than they stream.
  void tryLevelsFrom(const Choices &cuts);
  /// Tasks cut as where the bounds of stages are least.
  void tryChoicesOfBound();
  /// One run; its makespan.
  std::optional<int64_t> tryOnce(const Choices &choices,
                                 const ListOptions &options);
  /// From the best of each habit on: cuts one task after the other in another
  /// way, as long as that makes the schedule shorter.
  void descend();
  void keep(std::optional<Solution> solution, const Choices &choices,
            const ListOptions &with);

private:
  /// The shortest solution with these options.
  struct Start {
    ListOptions options;
    Choices choices;
    int64_t makespan;
  };

  void noteStart(const ListOptions &with, const Choices &choices,
                 int64_t makespan);
  void tryLevels(
      const std::function<unsigned(unsigned task, unsigned level)> &choiceAt);
  /// These cuts with all habits.
  void tryHabits(const Choices &choices);
  std::vector<bool> findStreams(const Plan &plan) const;
  std::vector<int64_t> comeFirst(const std::vector<bool> &tasks) const;
  std::vector<unsigned> longestFirst() const;
  void descendFrom(Start start, const std::vector<unsigned> &tasks,
                   int mostInVain);
  /// Whether it is shorter when the task, and what leads to it, comes first, or
  /// where it does not any more: that is kept.
  bool reorder(Start &start, unsigned task);
  /// Whether another cut of the task makes the schedule shorter: it is kept.
  /// Gives up after so many coarser, or finer, ones in vain.
  bool recut(Start &start, unsigned task, int mostInVain);
  static std::vector<ListOptions> eagerOptions(const Problem &resolved);
  static std::vector<ListOptions> levelOptions(const Problem &resolved);
  static std::vector<ListOptions>
  otherOptions(const Problem &resolved, const Plan &plan, bool isAsGiven);
  std::optional<int64_t> run(const Problem &resolved, const Plan &plan,
                             const ListOptions &with, const Choices &choices);
  /// The problem cut so: itself where that changes nothing, or else `copy`.
  const Problem &cut(const Choices &choices, Problem &copy) const;

  const Problem &problem;
  int64_t bound;
  size_t effort, placed = 0;
  std::optional<Solution> shortest;
  ListOptions options;
  std::vector<Start> starts;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LISTSEARCH_H
