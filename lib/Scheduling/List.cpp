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

/// Tries ways to cut the tasks and to start the parts, and keeps the best.
class ListSearch {
public:
  ListSearch(const Problem &problem, int64_t bound)
      : problem(problem), bound(bound) {}
  std::optional<Solution> run();

private:
  bool isDone() const { return best && best->makespan == bound; }
  void keep(std::optional<Solution> solution,
            const std::vector<unsigned> &choices);
  /// Runs over the problem with every task cut this way.
  void tryChoices(const std::vector<unsigned> &choices);
  void tryManners(const Problem &resolved, const Plan &plan, bool prefetches,
                  const std::vector<unsigned> &choices);

  /// Parts to place before a large problem is tried in fewer ways.
  static constexpr size_t effort = 400'000;

  const Problem &problem;
  int64_t bound;
  size_t placed = 0;
  std::optional<Solution> best;
};

} // namespace

void ListSearch::keep(std::optional<Solution> solution,
                      const std::vector<unsigned> &choices) {
  if (!solution || (best && solution->makespan >= best->makespan))
    return;
  best = std::move(solution);
  best->choices = choices;
}

void ListSearch::tryManners(const Problem &resolved, const Plan &plan,
                            bool prefetches,
                            const std::vector<unsigned> &choices) {
  // More engines can mean a longer schedule (Graham), hence the halvings; parts
  // that were made for all engines keep them.
  unsigned mostHalvings =
      choices.empty() ? Machine::mostHalvings(resolved, plan.table) : 0;
  for (unsigned halvings = 0; halvings <= mostHalvings; ++halvings) {
    for (Manner manner : {Manner::Patient, Manner::Eager}) {
      keep(ListRun(resolved, plan, {manner, prefetches, halvings}).run(),
           choices);
      placed += plan.table.parts.size();
      if (isDone())
        return; // nothing is shorter
    }
    if (placed >= effort)
      return;
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

void ListSearch::tryChoices(const std::vector<unsigned> &choices) {
  Problem resolved;
  if (!choices.empty()) {
    Solution cut;
    cut.choices = choices;
    resolved = resolve(problem, cut);
  }
  const Problem &actual = choices.empty() ? problem : resolved;
  std::optional<Plan> plan = Plan::make(actual);
  if (!plan)
    return;
  if (canPrefetch(actual))
    tryManners(actual, *plan, /*prefetches=*/true, choices);
  if (!isDone())
    tryManners(actual, *plan, /*prefetches=*/false, choices);
}

std::optional<Solution> ListSearch::run() {
  tryChoices({});
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  for (unsigned number = 1; number <= most && !isDone(); ++number) {
    std::vector<unsigned> choices;
    for (const Task &task : problem.tasks)
      choices.push_back(std::min<size_t>(number, task.alternatives.size()));
    tryChoices(choices);
  }
  if (!isDone())
    keep(scheduleEarliest(problem), {});
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
