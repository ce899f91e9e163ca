//===- ListSearch.cpp - Ways to cut and start tasks, tried ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListSearch.h"
#include "ListRun.h"
#include "Parts.h"

#include <algorithm>

namespace mlir::llm::scheduling {

static bool anySource(const Problem &problem,
                      bool (*holds)(const Source &source)) {
  for (const Task &task : problem.tasks)
    for (const Part &part : task.parts)
      if (std::any_of(part.sources.begin(), part.sources.end(), holds))
        return true;
  return false;
}

static bool canPrefetch(const Problem &problem) {
  return hasMemoryEngine(problem) &&
         anySource(problem, [](const Source &) { return true; });
}

static bool hasWrittenSources(const Problem &problem) {
  return anySource(problem, [](const Source &source) {
    return !source.predecessors.empty();
  });
}

ListSearch::ListSearch(const Problem &problem, int64_t bound, size_t effort)
    : problem(problem), bound(bound), effort(effort) {}

void ListSearch::keep(std::optional<Solution> solution, const Choices &choices,
                      const ListOptions &with) {
  if (!solution || (shortest && solution->makespan >= shortest->makespan))
    return;
  shortest = std::move(solution);
  shortest->choices = choices;
  options = with;
}

std::optional<int64_t> ListSearch::run(const Problem &resolved,
                                       const Plan &plan,
                                       const ListOptions &with,
                                       const Choices &choices) {
  placed += plan.table.parts.size();
  std::optional<Solution> solution = ListRun(resolved, plan, with).run();
  if (!solution)
    return std::nullopt;
  int64_t makespan = solution->makespan;
  noteStart(with, choices, makespan);
  keep(std::move(solution), choices, with);
  return makespan;
}

const Problem &ListSearch::cut(const Choices &choices, Problem &copy) const {
  // Runs look at no alternatives, so that many tasks need no copy.
  if (std::all_of(choices.begin(), choices.end(),
                  [](unsigned choice) { return choice == 0; }))
    return problem;
  Solution solution;
  solution.choices = choices;
  copy = resolve(problem, solution);
  return copy;
}

std::optional<int64_t> ListSearch::tryOnce(const Choices &choices,
                                           const ListOptions &with) {
  Problem copy;
  const Problem &resolved = cut(choices, copy);
  std::optional<Plan> plan = Plan::make(resolved);
  return plan ? run(resolved, *plan, with, choices) : std::nullopt;
}

/// With and without fetching ahead.
std::vector<ListOptions> ListSearch::eagerOptions(const Problem &resolved) {
  std::vector<ListOptions> all = {ListOptions()};
  if (canPrefetch(resolved)) {
    ListOptions with;
    with.prefetches = true;
    all.insert(all.begin(), with);
    with.habits.front().waitsForSources = true;
    if (hasWrittenSources(resolved))
      all.insert(all.begin(), with);
  }
  return all;
}

/// Every other way to start parts.
std::vector<ListOptions> ListSearch::otherOptions(const Problem &resolved,
                                                  const Plan &plan,
                                                  bool isAsGiven) {
  std::vector<ListOptions> all;
  int64_t engines = countComputeEngines(resolved);
  // More engines can mean a longer schedule (Graham), hence the halvings; parts
  // that were made for all engines keep them.
  unsigned mostHalvings =
      isAsGiven ? Machine::mostHalvings(resolved, plan.table) : 0;
  for (ListOptions with : eagerOptions(resolved)) {
    for (unsigned halvings = 0; halvings <= mostHalvings; ++halvings) {
      with.halvings = halvings;
      with.habits.front().manner = Manner::Eager;
      if (halvings > 0)
        all.push_back(with);
      with.habits.front().manner = Manner::Patient;
      all.push_back(with);
    }
    with.halvings = 0;
    with.habits.front().manner = Manner::Eager;
    for (int64_t left = engines; left > 0;) {
      left /= 2;
      with.habits.front().mostStreams = left;
      all.push_back(with);
    }
  }
  return all;
}

Choices ListSearch::atLevel(unsigned level) const {
  Choices choices;
  for (const Task &task : problem.tasks)
    choices.push_back(std::min<size_t>(level, task.alternatives.size()));
  return choices;
}

void ListSearch::tryLevels() {
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  // The makespan of each level, and its number.
  std::vector<std::pair<int64_t, unsigned>> levels;
  for (unsigned level = 0; level <= most && !isDone(); ++level) {
    Choices choices = atLevel(level);
    Problem copy;
    const Problem &resolved = cut(choices, copy);
    std::optional<Plan> plan = Plan::make(resolved);
    int64_t least = INT64_MAX;
    for (const ListOptions &with : eagerOptions(resolved))
      if (plan && !isDone())
        least = std::min(
            least, run(resolved, *plan, with, choices).value_or(INT64_MAX));
    levels.push_back({least, level});
  }
  std::sort(levels.begin(), levels.end());
  constexpr size_t levelsToTry = 3;
  for (size_t i = 0; i < std::min(levels.size(), levelsToTry) && !isDone();
       ++i) {
    Choices choices = atLevel(levels[i].second);
    Problem copy;
    const Problem &resolved = cut(choices, copy);
    std::optional<Plan> plan = Plan::make(resolved);
    if (!plan)
      continue;
    for (const ListOptions &with :
         otherOptions(resolved, *plan, levels[i].second == 0))
      if (!isDone())
        run(resolved, *plan, with, choices);
  }
}

void ListSearch::noteStart(const ListOptions &with, const Choices &choices,
                           int64_t makespan) {
  auto known =
      std::find_if(starts.begin(), starts.end(),
                   [&](const Start &start) { return start.options == with; });
  if (known == starts.end())
    starts.push_back({with, choices, makespan});
  else if (makespan < known->makespan)
    *known = {with, choices, makespan};
}

void ListSearch::descend() {
  std::vector<Start> from = starts;
  std::stable_sort(
      from.begin(), from.end(),
      [](const Start &a, const Start &b) { return a.makespan < b.makespan; });
  for (Start &start : from)
    descendFrom(std::move(start));
}

/// All numbers below `count` but `from`.
static std::vector<unsigned> nearestFirst(unsigned from, unsigned count) {
  std::vector<unsigned> numbers;
  for (unsigned step = 1; step < count; ++step) {
    if (from + step < count)
      numbers.push_back(from + step);
    if (from >= step)
      numbers.push_back(from - step);
  }
  return numbers;
}

void ListSearch::descendFrom(Start start) {
  Choices &choices = start.choices;
  choices.resize(problem.tasks.size(), 0);
  for (bool isShorter = true; isShorter;) {
    isShorter = false;
    for (unsigned task = 0; task < choices.size(); ++task) {
      unsigned kept = choices[task];
      for (unsigned other :
           nearestFirst(kept, problem.tasks[task].alternatives.size() + 1)) {
        if (isDone())
          return;
        choices[task] = other;
        std::optional<int64_t> makespan = tryOnce(choices, start.options);
        if (makespan && *makespan < start.makespan) {
          start.makespan = *makespan;
          kept = other;
          isShorter = true;
        }
        choices[task] = kept;
      }
    }
  }
}

} // namespace mlir::llm::scheduling
