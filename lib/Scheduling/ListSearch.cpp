//===- ListSearch.cpp - Ways to cut and start tasks, tried ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListSearch.h"
#include "BoundFinder.h"
#include "ListRun.h"
#include "Parts.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <climits>

namespace mlir::llm::scheduling {

static bool anyPart(const Problem &problem, bool (*holds)(const Part &part)) {
  for (const Task &task : problem.tasks)
    if (std::any_of(task.parts.begin(), task.parts.end(), holds))
      return true;
  return false;
}

static bool canPrefetch(const Problem &problem) {
  return hasMemoryEngine(problem) && anyPart(problem, [](const Part &part) {
           return !part.sources.empty();
         });
}

static bool hasWrittenSources(const Problem &problem) {
  return anyPart(problem, [](const Part &part) {
    return std::any_of(
        part.sources.begin(), part.sources.end(),
        [](const Source &source) { return !source.predecessors.empty(); });
  });
}

static bool hasSeveralSources(const Problem &problem) {
  return anyPart(problem,
                 [](const Part &part) { return part.sources.size() > 1; });
}

/// Extra cycles of a task that comes first: about what the longest way to the
/// end takes, and not so much that sums of them overflow.
static int64_t inFront(int64_t cycles) {
  return std::min(cycles, maxCount / 1024);
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
  std::optional<Plan> plan = Plan::make(resolved, with.extraCycles);
  return plan ? run(resolved, *plan, with, choices) : std::nullopt;
}

/// With and, at last, without fetching ahead.
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

/// Some that show which levels are good: where something can be fetched ahead,
/// that is better than not to, mostly.
std::vector<ListOptions> ListSearch::levelOptions(const Problem &resolved) {
  std::vector<ListOptions> all = eagerOptions(resolved);
  if (all.size() == 1)
    return all;
  all.pop_back();
  if (resolved.tasks.size() > 1) {
    all.push_back(all.front());
    all.back().habits.front().mostStreams = countComputeEngines(resolved) / 2;
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
    if (with.prefetches)
      for (int64_t percent : {25, 100}) {
        with.habits.front().waitPercent = percent;
        all.push_back(with);
      }
    with.habits.front().waitPercent = 0;
    if (with.prefetches && hasSeveralSources(resolved)) {
      with.habits.front().fetchesOne = true;
      all.push_back(with);
      with.habits.front().fetchesOne = false;
    }
    for (int64_t left = engines; left > 0;) {
      left /= 2;
      with.habits.front().mostStreams = left;
      all.push_back(with);
    }
  }
  return all;
}

void ListSearch::tryLevels() {
  tryLevels([](unsigned, unsigned level) { return level; });
}

void ListSearch::tryChoicesOfBound() {
  std::optional<BoundFinder> finder = BoundFinder::make(problem);
  if (std::optional<Choices> choices =
          finder ? finder->bestChoices() : std::nullopt)
    tryHabits(*choices);
}

void ListSearch::tryLevelsFrom(const Choices &cuts) {
  Problem copy;
  const Problem &resolved = cut(cuts, copy);
  std::optional<Plan> plan = Plan::make(resolved);
  if (!plan)
    return;
  tryLevels([&](unsigned task, unsigned level) {
    return std::max(level, cuts[task]);
  });
  std::vector<bool> streams = findStreams(*plan);
  tryLevels([&](unsigned task, unsigned level) {
    return streams[task] ? level : cuts[task];
  });
}

void ListSearch::tryLevels(
    const std::function<unsigned(unsigned task, unsigned level)> &choiceAt) {
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  // The makespan of each level, and how tasks are cut there.
  std::vector<std::pair<int64_t, Choices>> levels;
  for (unsigned level = 0; level <= most && !isDone(); ++level) {
    Choices choices;
    for (unsigned task = 0; task < problem.tasks.size(); ++task)
      choices.push_back(std::min<size_t>(
          choiceAt(task, level), problem.tasks[task].alternatives.size()));
    Problem copy;
    const Problem &resolved = cut(choices, copy);
    std::optional<Plan> plan = Plan::make(resolved);
    int64_t least = INT64_MAX;
    for (const ListOptions &with : levelOptions(resolved))
      if (plan && !isDone())
        least = std::min(
            least, run(resolved, *plan, with, choices).value_or(INT64_MAX));
    levels.push_back({least, std::move(choices)});
  }
  std::sort(levels.begin(), levels.end());
  constexpr size_t levelsToTry = 3;
  for (size_t i = 0; i < std::min(levels.size(), levelsToTry) && !isDone(); ++i)
    tryHabits(levels[i].second);
}

void ListSearch::tryHabits(const Choices &choices) {
  Problem copy;
  const Problem &resolved = cut(choices, copy);
  std::optional<Plan> plan = Plan::make(resolved);
  if (!plan)
    return;
  bool isAsGiven = std::all_of(choices.begin(), choices.end(),
                               [](unsigned choice) { return choice == 0; });
  std::vector<ListOptions> all = eagerOptions(resolved);
  for (ListOptions &other : otherOptions(resolved, *plan, isAsGiven))
    all.push_back(std::move(other));
  for (const ListOptions &with : all)
    if (!isDone())
      run(resolved, *plan, with, choices);
  std::vector<int64_t> extraCycles = comeFirst(findStreams(*plan));
  if (extraCycles.empty())
    return;
  for (ListOptions &with : all)
    if (!isDone()) {
      with.extraCycles = extraCycles;
      tryOnce(choices, with);
    }
}

/// Tasks that are longer than what they compute.
std::vector<bool> ListSearch::findStreams(const Plan &plan) const {
  std::vector<bool> streams(problem.tasks.size(), false);
  for (size_t task = 0; task < streams.size(); ++task) {
    size_t first = plan.table.first[task];
    streams[task] =
        first < plan.table.first[task + 1] && plan.table.shapeOf(first).streams;
  }
  return streams;
}

/// These come before others; nothing where all of them do, or none.
std::vector<int64_t>
ListSearch::comeFirst(const std::vector<bool> &tasks) const {
  size_t count = std::count(tasks.begin(), tasks.end(), true);
  if (count == 0 || count == tasks.size())
    return {};
  std::vector<int64_t> extraCycles;
  for (bool first : tasks)
    extraCycles.push_back(first ? inFront(bound) : 0);
  return extraCycles;
}

void ListSearch::noteStart(const ListOptions &with, const Choices &choices,
                           int64_t makespan) {
  auto known =
      std::find_if(starts.begin(), starts.end(), [&](const Start &start) {
        return start.options.hasHabitsOf(with);
      });
  if (known == starts.end())
    starts.push_back({with, choices, makespan});
  else if (makespan < known->makespan)
    *known = {with, choices, makespan};
}

void ListSearch::descend() {
  std::vector<unsigned> tasks = longestFirst();
  // First to what is near, then further.
  for (int mostInVain : {3, INT_MAX}) {
    std::vector<Start> from = starts;
    std::stable_sort(
        from.begin(), from.end(),
        [](const Start &a, const Start &b) { return a.makespan < b.makespan; });
    for (Start &start : from)
      descendFrom(std::move(start), tasks, mostInVain);
  }
}

/// Those first that take longest, as they are: how they are cut matters most.
std::vector<unsigned> ListSearch::longestFirst() const {
  std::vector<unsigned> tasks;
  std::vector<double> cycles(problem.tasks.size(), 0);
  std::optional<Plan> plan = Plan::make(problem);
  for (unsigned task = 0; task < problem.tasks.size(); ++task) {
    tasks.push_back(task);
    if (plan)
      for (size_t part = plan->table.first[task];
           part < plan->table.first[task + 1]; ++part)
        cycles[task] += double(plan->table.shapeOf(part).shortest);
  }
  std::stable_sort(tasks.begin(), tasks.end(), [&](unsigned a, unsigned b) {
    return cycles[a] > cycles[b];
  });
  return tasks;
}

bool ListSearch::recut(Start &start, unsigned task, int mostInVain) {
  // Neighbours are cut a little coarser or finer.
  int64_t last = problem.tasks[task].alternatives.size();
  unsigned &choice = start.choices[task];
  unsigned kept = choice;
  bool isShorter = false;
  for (int64_t step : {1, -1}) {
    int inVain = 0;
    for (int64_t other = kept + step;
         other >= 0 && other <= last && inVain < mostInVain && !isDone();
         other += step) {
      choice = other;
      std::optional<int64_t> makespan = tryOnce(start.choices, start.options);
      if (makespan && *makespan < start.makespan) {
        start.makespan = *makespan;
        kept = other;
        isShorter = true;
        inVain = 0;
      } else {
        ++inVain;
      }
    }
  }
  choice = kept;
  return isShorter;
}

bool ListSearch::reorder(Start &start, unsigned task) {
  int64_t &extra = start.options.extraCycles[task];
  int64_t before = extra;
  extra = before > 0 ? 0 : inFront(start.makespan);
  std::optional<int64_t> makespan = tryOnce(start.choices, start.options);
  if (makespan && *makespan < start.makespan) {
    start.makespan = *makespan;
    return true;
  }
  extra = before;
  return false;
}

void ListSearch::descendFrom(Start start, const std::vector<unsigned> &tasks,
                             int mostInVain) {
  start.choices.resize(problem.tasks.size(), 0);
  start.options.extraCycles.resize(problem.tasks.size(), 0);
  for (bool isShorter = true; isShorter && !isDone();) {
    isShorter = false;
    for (unsigned task : tasks)
      if (!isDone()) {
        isShorter |= recut(start, task, mostInVain);
        isShorter |= reorder(start, task);
      }
  }
}

} // namespace mlir::llm::scheduling
