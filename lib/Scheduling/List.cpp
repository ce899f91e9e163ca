//===- List.cpp - List scheduling -----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "ListRun.h"
#include "Stages.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"
#include "llm/Support/Units.h"

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
  /// The way to cut the tasks of a stage with which it was over soonest.
  struct StageCut {
    int64_t cycles = INT64_MAX;
    Choices choices; ///< of all tasks
  };

  bool isDone() const { return best && best->makespan == bound; }
  bool keep(std::optional<Solution> solution, const Choices &choices);
  /// Runs over the problem with every task cut this way, in each manner.
  void tryChoices(const Choices &choices);
  void tryManners(const Problem &resolved, const Plan &plan,
                  ListOptions options, const Choices &choices);
  void findStages();
  void noteStages(const Solution &solution, const Choices &choices);
  /// Each stage cut as in the run in which it was over soonest.
  Choices bestOfStages() const;
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
  std::vector<size_t> stageOf; ///< of each task, if one can be cut
  std::vector<StageCut> stages;
};

} // namespace

static bool anySource(const Problem &problem,
                      bool (*holds)(const Source &source)) {
  for (const Task &task : problem.tasks)
    for (const Part &part : task.parts)
      if (std::any_of(part.sources.begin(), part.sources.end(), holds))
        return true;
  return false;
}

static bool canPrefetch(const Problem &problem) {
  return std::any_of(problem.engines.begin(), problem.engines.end(),
                     [](const EngineGroup &engine) {
                       return engine.kinds.contains(EngineKind::Memory);
                     }) &&
         anySource(problem, [](const Source &) { return true; });
}

static bool hasWrittenSources(const Problem &problem) {
  return anySource(problem, [](const Source &source) {
    return !source.predecessors.empty();
  });
}

static int64_t countComputeEngines(const Problem &problem) {
  int64_t count = 0;
  for (const EngineGroup &engine : problem.engines)
    if (!engine.kinds.contains(EngineKind::Memory))
      count = checkedAdd(count, engine.count).value_or(maxCount);
  return count;
}

bool ListSearch::keep(std::optional<Solution> solution,
                      const Choices &choices) {
  if (!solution || (best && solution->makespan >= best->makespan))
    return false;
  best = std::move(solution);
  best->choices = choices;
  return true;
}

void ListSearch::tryManners(const Problem &resolved, const Plan &plan,
                            ListOptions options, const Choices &choices) {
  auto attempt = [&](Manner manner) {
    options.manner = manner;
    if (isDone() || (best && placed >= effort))
      return;
    std::optional<Solution> solution = ListRun(resolved, plan, options).run();
    placed += plan.table.parts.size();
    if (solution && !stages.empty())
      noteStages(*solution, choices);
    if (keep(std::move(solution), choices))
      bestOptions = options;
  };
  // More engines can mean a longer schedule (Graham), hence the halvings; parts
  // that were made for all engines keep them.
  unsigned mostHalvings =
      choices.empty() ? Machine::mostHalvings(resolved, plan.table) : 0;
  for (; options.halvings <= mostHalvings; ++options.halvings) {
    attempt(Manner::Eager);
    attempt(Manner::Patient);
  }
  options.halvings = 0;
  int64_t engines = countComputeEngines(resolved);
  while (engines > 0) {
    engines /= 2;
    options.mostStreams = engines;
    attempt(Manner::Eager);
  }
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
  if (canPrefetch(actual)) {
    ListOptions options;
    options.prefetches = true;
    tryManners(actual, *plan, options, choices);
    options.waitsForSources = true;
    if (hasWrittenSources(actual))
      tryManners(actual, *plan, options, choices);
  }
  tryManners(actual, *plan, ListOptions(), choices);
}

void ListSearch::noteStages(const Solution &solution, const Choices &choices) {
  std::vector<int64_t> ends(stages.size(), 0);
  for (const Slot &slot : solution.slots)
    ends[stageOf[slot.task]] = std::max(ends[stageOf[slot.task]], slot.end);
  int64_t before = 0;
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    if (ends[stage] - before < stages[stage].cycles)
      stages[stage] = {ends[stage] - before, choices};
    before = ends[stage];
  }
}

Choices ListSearch::bestOfStages() const {
  Choices choices(problem.tasks.size(), 0);
  for (size_t task = 0; task < choices.size(); ++task)
    if (const Choices &own = stages[stageOf[task]].choices; !own.empty())
      choices[task] = own[task];
  return choices;
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
      for (unsigned other = 0; other <= problem.tasks[task].alternatives.size();
           ++other) {
        if (placed >= effort || isDone())
          return;
        if (other == choices[task])
          continue;
        choices[task] = other;
        std::optional<int64_t> makespan = tryAgain(choices);
        if (makespan && *makespan < *least) {
          least = makespan;
          kept = other;
          isShorter = true;
        }
        choices[task] = kept;
      }
    }
  }
}

std::optional<Solution> ListSearch::run() {
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  if (most > 0)
    findStages();
  tryChoices({});
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
    tryChoices(bestOfStages());
    Choices whole(problem.tasks.size(), 0), found = best->choices;
    found.resize(whole.size(), 0);
    descend(found);
    if (found != whole)
      descend(whole);
  }
  return std::move(best);
}

void ListSearch::findStages() {
  std::vector<unsigned> order = topologicalOrder(problem);
  std::vector<size_t> borders = findBorders(problem, order);
  stages.resize(borders.size() - 1);
  stageOf.resize(order.size());
  for (size_t stage = 0; stage < stages.size(); ++stage)
    for (size_t at = borders[stage]; at < borders[stage + 1]; ++at)
      stageOf[order[at]] = stage;
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
