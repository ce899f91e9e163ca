//===- List.cpp - List scheduling -----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListRun.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"

#include <algorithm>

namespace mlir::llm::scheduling {

namespace {

using Choices = std::vector<unsigned>;

/// Tries ways to cut the tasks and to start the parts, and keeps the best.
class ListSearch {
public:
  ListSearch(const Problem &problem, int64_t bound)
      : problem(problem), bound(bound) {}
  std::optional<Solution> run();

private:
  bool isDone() const { return best && best->makespan == bound; }
  bool keep(std::optional<Solution> solution, const Choices &choices);
  /// Runs over the problem with every task cut this way, in each manner.
  void tryChoices(const Choices &choices);
  void tryManners(const Problem &resolved, const Plan &plan, bool prefetches,
                  const Choices &choices);
  /// Cuts one task after the other in another way, as long as that makes the
  /// schedule shorter.
  void descend(Choices choices);
  /// The makespan of the problem cut this way with the best options so far.
  std::optional<int64_t> tryAgain(const Choices &choices);
  Problem cut(const Choices &choices) const;

  /// Parts to place before a large problem is tried in fewer ways.
  static constexpr size_t effort = 1'000'000;

  const Problem &problem;
  int64_t bound;
  size_t placed = 0;
  std::optional<Solution> best;
  ListOptions bestOptions;
};

} // namespace

bool ListSearch::keep(std::optional<Solution> solution,
                      const Choices &choices) {
  if (!solution || (best && solution->makespan >= best->makespan))
    return false;
  best = std::move(solution);
  best->choices = choices;
  return true;
}

void ListSearch::tryManners(const Problem &resolved, const Plan &plan,
                            bool prefetches, const Choices &choices) {
  // More engines can mean a longer schedule (Graham), hence the halvings; parts
  // that were made for all engines keep them.
  unsigned mostHalvings =
      choices.empty() ? Machine::mostHalvings(resolved, plan.table) : 0;
  for (unsigned halvings = 0; halvings <= mostHalvings; ++halvings) {
    for (Manner manner : {Manner::Eager, Manner::Patient}) {
      if (best && placed >= effort)
        return;
      ListOptions options{manner, prefetches, halvings};
      if (keep(ListRun(resolved, plan, options).run(), choices))
        bestOptions = options;
      placed += plan.table.parts.size();
      if (isDone())
        return; // nothing is shorter
    }
  }
}

static bool canPrefetch(const Problem &problem) {
  bool hasQueue =
      std::any_of(problem.engines.begin(), problem.engines.end(),
                  [](const EngineGroup &engine) {
                    return engine.kinds.contains(EngineKind::Memory);
                  });
  return hasQueue &&
         std::any_of(problem.tasks.begin(), problem.tasks.end(),
                     [](const Task &task) {
                       return std::any_of(task.parts.begin(), task.parts.end(),
                                          [](const Part &part) {
                                            return !part.sources.empty();
                                          });
                     });
}

Problem ListSearch::cut(const Choices &choices) const {
  Solution solution;
  solution.choices = choices;
  return resolve(problem, solution);
}

void ListSearch::tryChoices(const Choices &choices) {
  Problem resolved;
  if (!choices.empty())
    resolved = cut(choices);
  const Problem &actual = choices.empty() ? problem : resolved;
  std::optional<Plan> plan = Plan::make(actual);
  if (!plan)
    return;
  if (canPrefetch(actual))
    tryManners(actual, *plan, /*prefetches=*/true, choices);
  if (!isDone())
    tryManners(actual, *plan, /*prefetches=*/false, choices);
}

std::optional<int64_t> ListSearch::tryAgain(const Choices &choices) {
  Problem resolved = cut(choices);
  std::optional<Plan> plan = Plan::make(resolved);
  if (!plan)
    return std::nullopt;
  placed += plan->table.parts.size();
  std::optional<Solution> solution =
      ListRun(resolved, *plan, bestOptions).run();
  if (!solution)
    return std::nullopt;
  int64_t makespan = solution->makespan;
  keep(std::move(solution), choices);
  return makespan;
}

void ListSearch::descend(Choices choices) {
  std::optional<int64_t> least = tryAgain(choices);
  bool isShorter = least.has_value();
  while (isShorter) {
    isShorter = false;
    for (unsigned task = 0; task < choices.size(); ++task) {
      unsigned kept = choices[task];
      for (int step : {1, -1}) {
        if (placed >= effort || isDone())
          return;
        int64_t other = int64_t(kept) + step;
        if (other < 0 ||
            other > int64_t(problem.tasks[task].alternatives.size()))
          continue;
        choices[task] = other;
        std::optional<int64_t> makespan = tryAgain(choices);
        if (makespan && *makespan < *least) {
          least = makespan;
          isShorter = true;
          break;
        }
        choices[task] = kept;
      }
    }
  }
}

std::optional<Solution> ListSearch::run() {
  tryChoices({});
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  for (unsigned number = 1; number <= most && !isDone() && placed < effort;
       ++number) {
    Choices choices;
    for (const Task &task : problem.tasks)
      choices.push_back(std::min<size_t>(number, task.alternatives.size()));
    tryChoices(choices);
  }
  if (!isDone())
    keep(scheduleEarliest(problem), {});
  if (best && most > 0) {
    Choices whole(problem.tasks.size(), 0), found = best->choices;
    found.resize(whole.size(), 0);
    descend(found);
    if (found != whole)
      descend(whole);
  }
  return std::move(best);
}

std::optional<Solution> scheduleList(const Problem &problem) {
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  if (!bounds)
    return std::nullopt;
  int64_t bound = 0;
  for (const Bound &each : *bounds)
    bound = std::max(bound, each.cycles);
  return ListSearch(problem, bound).run();
}

} // namespace mlir::llm::scheduling
