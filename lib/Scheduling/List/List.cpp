//===- List.cpp - List scheduling -----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// This file decides which runs are tried, and in which order. One run is in
// ListRun.cpp. MachineState.cpp records where and when a part starts and ends.

#include "List.h"
#include "ListSearch.h"
#include "StageSearch.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"

#include <algorithm>

namespace mlir::llm::scheduling {

/// What is won of a schedule that runs often is won as often. With three times
/// the patience, one of the layers of 352 whole models is 0.51 % longer than
/// what a search finds that no lack of gain ends, and none of the others is
/// more than 0.5 % longer. With the usual patience one was 7 % longer.
static bool runsOften(int64_t repeats) { return repeats >= 8; }

/// Whether the problem is that of a block, and not of a whole model without
/// loops.
static bool isBlock(const Problem &problem) {
  return problem.tasks.size() <= 200;
}

/// What runs seldom (a block that stands alone) is a question, and its answer
/// should cost little more than to read it. Of 225 blocks on three machines, 14
/// are more than 0.5 % longer than with the search of a million parts (4.9 % at
/// most, and 0.1 % on average). The search takes a tenth of the time.
/// `scheduleImproved` is there for more.
static SearchEffort briefEffort() {
  SearchEffort effort;
  effort.isBrief = true;
  effort.parts = 30'000;
  return effort;
}

static SearchEffort fullEffort(int64_t repeats) {
  SearchEffort effort;
  if (runsOften(repeats))
    effort.patience = 3;
  return effort;
}

/// Tries all ops with the cuts that are best for each alone, on all engines and
/// on half of them.
static void tryCutsAlone(StageSearch &stages, ListSearch &search) {
  for (bool onHalf : {false, true})
    if (!search.isDone())
      search.tryFew(stages.cutsAlone(onHalf));
  if (!search.isDone())
    search.tryFetchingBehind(stages.cutsAlone(/*onHalf=*/false));
}

/// If that is not near enough, tries all stages as is best for each alone.
/// Returns whether that shows that nothing else is worth a try.
static bool tryCuts(const Problem &problem, int64_t bound,
                    const SearchEffort &effort, ListSearch &search,
                    const TryReport &report) {
  StageSearch stages(problem, effort.isBrief, report);
  tryCutsAlone(stages, search);
  if (search.isDone())
    return false;
  // What is found for one stage is worth more than one run of all, because
  // equal stages share it.
  constexpr double worthOfStages = 5;
  std::optional<StageResults> found =
      stages.run(effort, std::min(1.0, worthOfStages * search.worth()));
  if (!found)
    return false;
  ListOptions options = std::move(found->options);
  search.tryOnce(found->choices, options);
  options.prefetches = true;
  search.tryOnce(found->choices, options);
  // A stage alone does not see that another one writes its sources, or selects
  // them.
  for (Habit &habit : options.habits)
    habit.waitsForSources = true;
  search.tryOnce(found->choices, options);
  search.setAlike(std::move(found->alike));
  // Stages have been searched already, so less patience will do. With half of
  // it, none of 462 problems ends more than 0.4 % longer.
  search.setMostWorth(search.worth() / 2);
  search.renewPatience();
  if (!search.isDone())
    search.descendFromBest();
  search.setMostWorth(1);
  // If stages have little left to win, nothing else is worth a try: the descent
  // has looked for what one of them may fetch for the next. Other tries
  // shortened two of 528 problems by more than 0.05 % (by 1.1 and 1.3 %), and
  // took up to half of the search.
  constexpr int64_t much = 25; // 1/25 of the bound
  return found->cyclesToWin <= double(bound / nearEnough) && search.best() &&
         search.best()->makespan <= bound + bound / much;
}

static std::optional<ListResult> searchWith(const SearchEffort &effort,
                                            const Problem &problem,
                                            int64_t bound, size_t levelsToTry,
                                            const TryReport &report) {
  ListSearch search(problem, bound, effort, report);
  bool canCut =
      std::any_of(problem.tasks.begin(), problem.tasks.end(),
                  [](const Task &task) { return !task.alternatives.empty(); });
  bool isDone = canCut && tryCuts(problem, bound, effort, search, report);
  // A brief search goes on only where little was placed until here. In none of
  // 180 blocks does it win anything that way, and it takes a fifth of the time;
  // small problems need it.
  if (canCut && effort.isBrief)
    isDone |= search.placedParts() > effort.parts / 8;
  search.renewPatience();
  if (!isDone && !search.isDone())
    search.tryLevels(levelsToTry);
  if (std::optional<Solution> earliest = scheduleEarliest(problem))
    search.keep(std::move(*earliest), {}, ListOptions());
  search.renewPatience();
  if (!isDone && !search.isDone())
    search.descend();
  std::optional<Solution> best = search.takeBest();
  if (!best)
    return std::nullopt;
  return ListResult{std::move(*best), search.bestOptions(), bound};
}

std::optional<ListResult> searchList(const Problem &problem,
                                     const TryReport &report, int64_t repeats,
                                     std::optional<int64_t> lowerBoundCycles) {
  if (!lowerBoundCycles)
    if (std::optional<std::vector<Bound>> bounds = lowerBounds(problem))
      lowerBoundCycles = largestBound(*bounds);
  if (!lowerBoundCycles)
    return std::nullopt;
  int64_t bound = *lowerBoundCycles;
  size_t levelsToTry = runsOften(repeats) ? manyLevels : 1;
  // What repeats is searched briefly, too, so that a layer in a loop is never
  // longer than the same layer alone.
  std::optional<ListResult> brief;
  if (isBlock(problem))
    brief =
        searchWith(briefEffort(), problem, bound, /*levelsToTry=*/1, report);
  if (brief &&
      (!runsOften(repeats) || isNearEnough(brief->solution.makespan, bound)))
    return brief;
  std::optional<ListResult> full =
      searchWith(fullEffort(repeats), problem, bound, levelsToTry, report);
  bool isBriefBetter =
      brief && (!full || brief->solution.makespan <= full->solution.makespan);
  return isBriefBetter ? std::move(brief) : std::move(full);
}

std::optional<Solution> scheduleListBriefly(const Problem &problem,
                                            const TryReport &report,
                                            int64_t wanted) {
  StageSearch stages(problem, isBlock(problem), report);
  SearchEffort effort;
  effort.wanted = wanted;
  ListSearch search(problem, /*bound=*/0, effort, report);
  tryCutsAlone(stages, search);
  if (search.best() && search.best()->makespan >= wanted)
    return std::nullopt;
  return search.takeBest();
}

std::optional<Solution> scheduleList(const Problem &problem,
                                     const TryReport &report, int64_t repeats,
                                     std::optional<int64_t> lowerBoundCycles) {
  std::optional<ListResult> result =
      searchList(problem, report, repeats, lowerBoundCycles);
  return result ? std::optional<Solution>(std::move(result->solution))
                : std::nullopt;
}

} // namespace mlir::llm::scheduling
