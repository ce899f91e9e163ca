//===- StageSearch.h - Stages, each searched for itself ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_STAGESEARCH_H
#define LLM_LIB_SCHEDULING_LIST_STAGESEARCH_H

#include "ListSearch.h"

#include <map>

namespace mlir::llm::scheduling {

/// How the tasks of all stages are cut and started best if each stage is alone
/// on the machine. A stage starts when the one before it has ended, so stages
/// hardly matter to each other. Equal stages are searched once.
struct StageResults {
  Choices choices;
  ListOptions options;
  std::vector<Alike> alike; ///< each task is in one of them
  double cyclesToWin = 0;   ///< above the bounds of all stages
};

class StageSearch {
public:
  /// A brief search looks at fewer cuts of tasks alone, see SearchEffort.
  StageSearch(const Problem &problem, bool isBrief, const TryReport &report);

  /// How each task is best cut if it runs alone. With `onHalf` it has half of
  /// the compute engines, as if others ran beside it. Equal tasks are looked at
  /// once.
  const Choices &cutsAlone(bool onHalf);

  /// Searches all stages. They share the parts of the effort. Each has as much
  /// of the patience as all stages together are worth (see ListSearch). Returns
  /// nothing if there is only one stage, unless the search is brief.
  std::optional<StageResults> run(SearchEffort effort, double worth);

private:
  /// What was found for the tasks of one stage, in their order.
  struct Found {
    Choices choices;
    ListOptions options;
    size_t placedParts = 0; ///< the effort that it took
    double cyclesToWin = 0;
  };

  /// One of several equal stages.
  struct Stage {
    Problem problem;
    int64_t bound;
    std::vector<size_t> places; ///< entries of `borders` where equal ones begin
  };

  /// Returns those of the tasks that stand between two places of the order, by
  /// their numbers there.
  std::vector<unsigned> renumber(const std::vector<unsigned> &tasks,
                                 size_t begin, size_t end) const;
  Problem extract(size_t begin, size_t end) const;
  /// Whether the tasks behind that border are equal to those of the stage, but
  /// for their names.
  bool isAt(const Problem &stage, size_t place) const;
  /// About how many parts are placed in order to find how one task is best cut.
  size_t effortAlone() const;
  /// Finds which tasks that may be cut are equal.
  void findKinds();
  /// Returns the best cut. The task alone has its own engines again then.
  unsigned cutAlone(Problem &task, bool onHalf) const;
  Found search(const Stage &stage, const SearchEffort &effort, double worth);
  void tryAll(ListSearch &search, const std::vector<Choices> &cuts) const;
  void tryBriefly(ListSearch &search, const std::vector<Choices> &cuts) const;
  void findStages();

  const Problem &problem;
  bool isBrief;
  const TryReport &report;
  std::vector<unsigned> order;
  std::vector<size_t> position; ///< of each task in `order`
  std::vector<size_t> borders;
  std::vector<Stage> stages;
  std::vector<Problem> kinds;                  ///< different tasks alone
  std::vector<std::optional<unsigned>> kindOf; ///< of tasks that may be cut
  /// Best cuts of all tasks; empty until looked for. The index is `onHalf`.
  Choices alone[2];
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_STAGESEARCH_H
