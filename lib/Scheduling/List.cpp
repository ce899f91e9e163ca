//===- List.cpp - List scheduling -----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "List.h"
#include "ListSearch.h"
#include "StageSearch.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"

#include <algorithm>

namespace mlir::llm::scheduling {

std::optional<ListResult> searchList(const Problem &problem,
                                     const TryReport &report) {
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  if (!bounds)
    return std::nullopt;
  int64_t bound = largestBound(*bounds);

  // Parts to place before a large problem is tried in fewer ways.
  constexpr size_t effort = 1'000'000;
  ListSearch search(problem, bound, effort, report);
  bool canCut =
      std::any_of(problem.tasks.begin(), problem.tasks.end(),
                  [](const Task &task) { return !task.alternatives.empty(); });
  if (canCut) {
    if (std::optional<StageResults> stages =
            searchStages(problem, effort, report)) {
      ListOptions options = std::move(stages->options);
      search.tryOnce(stages->choices, options);
      options.prefetches = true;
      search.tryOnce(stages->choices, options);
      // A stage alone does not see that another one writes its sources, or
      // selects them.
      for (Habit &habit : options.habits)
        habit.waitsForSources = true;
      search.tryOnce(stages->choices, options);
      search.setAlike(std::move(stages->alike));
      if (!search.isDone())
        search.descendFromBest();
    } else {
      search.tryChoicesOfBound();
    }
  }
  if (!search.isDone())
    search.tryLevels();
  search.keep(scheduleEarliest(problem), {}, ListOptions());
  if (!search.isDone())
    search.descend();
  std::optional<Solution> best = search.takeBest();
  if (!best)
    return std::nullopt;
  return ListResult{std::move(*best), search.bestOptions(), bound};
}

std::optional<Solution> scheduleList(const Problem &problem,
                                     const TryReport &report) {
  std::optional<ListResult> result = searchList(problem, report);
  return result ? std::optional<Solution>(std::move(result->solution))
                : std::nullopt;
}

} // namespace mlir::llm::scheduling
