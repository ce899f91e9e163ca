//===- ListSearch.cpp - Ways to cut and start tasks, tried ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListSearch.h"
#include "Core/Parts.h"
#include "ListRun.h"
#include "llm/Support/Units.h"

#include <algorithm>

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

static bool hasAwaitedSources(const Problem &problem) {
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

int64_t ListSearch::inFront(int64_t cycles) {
  // This is about as long as the longest way to the end, and small enough that
  // sums of it do not overflow.
  return std::min(cycles, maxCount / 1024);
}

/// Finds for each task the first choice with a part for each engine. Levels
/// begin there, behind the whole task.
static std::vector<unsigned> findFirstLevels(const Problem &problem) {
  std::vector<unsigned> first;
  for (const Task &task : problem.tasks) {
    int64_t engines = countEngines(problem, [&](unsigned group) {
      return isEligible(problem, group, task);
    });
    unsigned choice = 1;
    while (choice < task.alternatives.size() &&
           countParts(task.partsOf(choice)) < engines)
      ++choice;
    first.push_back(choice);
  }
  return first;
}

bool isNearEnough(int64_t makespan, int64_t lowerBoundCycles) {
  return makespan <= lowerBoundCycles + lowerBoundCycles / nearEnough;
}

ListSearch::ListSearch(const Problem &problem, int64_t bound,
                       const SearchEffort &effort, const TryReport &report)
    : problem(problem), bound(bound), effort(effort), report(report),
      firstLevels(findFirstLevels(problem)) {}

double ListSearch::worth() const {
  // If this share of the bound may be won, the search is worth all its
  // patience.
  double much = 0.1 / effort.patience;
  int64_t best = shortest ? shortest->makespan : INT64_MAX;
  double toWin = double(best) / double(std::max<int64_t>(bound, 1)) - 1;
  return std::clamp(toWin / much, 0.0, mostWorth);
}

size_t ListSearch::patience() const {
  size_t most = std::min<size_t>(100 * (problem.tasks.size() + 1), 1500);
  return static_cast<size_t>(worth() * effort.patience * double(most));
}

void ListSearch::keep(Solution solution, const Choices &choices,
                      const ListOptions &with) {
  if (shortest && solution.makespan >= shortest->makespan) {
    spare = std::move(solution);
    return;
  }
  spare = shortest ? std::move(*shortest) : Solution();
  shortest = std::move(solution);
  shortest->choices = choices;
  options = with;
}

void ListSearch::note(const Outcome &outcome) {
  if (report)
    report();
  placed += outcome.placed;
  if (!outcome.makespan && !outcome.atLeast)
    return;
  ++runsInVain;
  if (outcome.makespan &&
      *outcome.makespan < lastGain - lastGain / nearEnough) {
    lastGain = *outcome.makespan;
    renewPatience();
  }
}

size_t ListSearch::priceOf(const ListRun &listRun, const Plan &plan) const {
  // To begin a run takes about as long as to place so many parts.
  constexpr size_t toBegin = 30;
  return effort.isBrief ? toBegin + listRun.startedParts()
                        : plan.table.parts.size();
}

std::optional<int64_t> ListSearch::limitOf(std::optional<int64_t> limit) const {
  if (!effort.wanted)
    return limit;
  int64_t best = shortest ? shortest->makespan : INT64_MAX;
  return std::min({limit.value_or(INT64_MAX), *effort.wanted, best});
}

ListSearch::Outcome ListSearch::run(const Problem &resolved, const Plan &plan,
                                    const ListOptions &with,
                                    const Choices &choices,
                                    std::optional<int64_t> limit) {
  limit = limitOf(limit);
  ListRun listRun(resolved, plan, with, limit, std::move(spare));
  std::optional<Solution> solution = listRun.run();
  Outcome outcome = {priceOf(listRun, plan), std::nullopt,
                     listRun.takeMostAtOnce()};
  if (solution) {
    outcome.makespan = solution->makespan;
    keep(std::move(*solution), choices, with);
  } else {
    spare = listRun.takeSpare();
    if (listRun.hasGivenUp())
      outcome.atLeast = limit;
  }
  note(outcome);
  return outcome;
}

const Problem &ListSearch::cut(const Choices &choices, Problem &copy) const {
  // Runs do not look at alternatives, so the problem itself will do, which
  // saves a copy of many tasks.
  if (std::all_of(choices.begin(), choices.end(),
                  [](unsigned choice) { return choice == 0; }))
    return problem;
  Solution solution;
  solution.choices = choices;
  copy = resolve(problem, solution);
  return copy;
}

const Problem &ListSearch::cutAgain(const Choices &choices) {
  if (lastCut.tasks.empty()) {
    Solution solution;
    solution.choices = choices;
    lastCut = resolve(problem, solution);
  }
  for (unsigned task = 0; task < problem.tasks.size(); ++task) {
    unsigned choice = choices.empty() ? 0 : choices[task];
    if (!lastChoices.empty() && lastChoices[task] != choice)
      lastCut.tasks[task] = cutTask(problem.tasks[task], choice);
  }
  lastChoices = choices;
  lastChoices.resize(problem.tasks.size(), 0);
  return lastCut;
}

void ListSearch::tryOnce(const Choices &choices, const ListOptions &with) {
  noteStart(with, choices, evaluate(choices, with));
}

static std::vector<int64_t> keyOf(const Choices &choices,
                                  const ListOptions &with) {
  // The lengths of lists come first, so that different options have different
  // keys.
  std::vector<int64_t> key = {with.prefetches, with.halvings,
                              int64_t(choices.size()),
                              int64_t(with.habits.size())};
  key.insert(key.end(), choices.begin(), choices.end());
  for (const Habit &habit : with.habits)
    key.insert(key.end(), {int64_t(habit.manner), habit.waitsForSources,
                           habit.mostStreams.value_or(-1),
                           habit.mostParts.value_or(-1), habit.alwaysMostParts,
                           habit.shares, habit.fetchesOne, habit.waitPercent});
  key.insert(key.end(), with.extraCycles.begin(), with.extraCycles.end());
  return key;
}

ListSearch::Outcome ListSearch::evaluate(const Choices &choices,
                                         const ListOptions &with,
                                         std::optional<int64_t> limit) {
  limit = limitOf(limit);
  std::vector<int64_t> key = keyOf(choices, with);
  auto known = outcomes.find(key);
  // A run that gave up at one limit may be below a higher one.
  auto isEnough = [&](const Outcome &outcome) {
    return !outcome.atLeast || (limit && *limit <= *outcome.atLeast);
  };
  if (known != outcomes.end() && isEnough(known->second)) {
    Outcome again = known->second;
    if (effort.isBrief)
      again.placed = 0;
    note(again);
    return again;
  }
  const Problem &resolved = cutAgain(choices);
  std::optional<Plan> plan = Plan::make(resolved, with.extraCycles);
  if (!plan)
    return {};
  Outcome outcome = run(resolved, *plan, with, choices, limit);
  outcomes.insert_or_assign(std::move(key), outcome);
  return outcome;
}

/// Returns the options with fetching ahead and, last, those without.
std::vector<ListOptions> ListSearch::eagerOptions(const Problem &resolved) {
  std::vector<ListOptions> all(1);
  if (canPrefetch(resolved)) {
    ListOptions with;
    with.prefetches = true;
    all.insert(all.begin(), with);
    with.habits.front().waitsForSources = true;
    if (hasAwaitedSources(resolved))
      all.insert(all.begin(), with);
  }
  return all;
}

/// Returns some options that show which levels are good. If something can be
/// fetched ahead, fetching is mostly better.
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

std::vector<ListOptions> ListSearch::fewOptions(const Problem &resolved) {
  std::vector<ListOptions> all = eagerOptions(resolved);
  if (countComputeEngines(resolved) > 1) {
    all.push_back(all.front());
    all.back().habits.front().shares = Habit::evenShares;
  }
  return all;
}

/// Returns the options of every other way to start parts.
std::vector<ListOptions> ListSearch::otherOptions(const Problem &resolved,
                                                  const Plan &plan,
                                                  bool isAsGiven) {
  std::vector<ListOptions> all;
  int64_t engines = countComputeEngines(resolved);
  // More engines can mean a longer schedule (Graham), so half of them are
  // tried, too. Parts that were made for all engines keep all engines.
  unsigned mostHalvings =
      isAsGiven ? MachineState::mostHalvings(resolved, plan.table) : 0;
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
    if (engines > 1)
      for (int64_t shares : {Habit::evenShares, engines,
                             engines + countMemoryEngines(resolved)}) {
        with.habits.front().shares = shares;
        all.push_back(with);
      }
    with.habits.front().shares = 1;
    for (int64_t left = engines; left > 0;) {
      left /= 2;
      with.habits.front().mostStreams = left;
      all.push_back(with);
    }
  }
  return all;
}

unsigned ListSearch::choiceAt(unsigned task, unsigned level) const {
  return level == 0 ? 0 : firstLevels[task] + level - 1;
}

void ListSearch::tryLevels(size_t levelsToTry) {
  tryLevels(
      [&](unsigned task, unsigned level) { return choiceAt(task, level); },
      levelsToTry);
}

void ListSearch::runFew(
    const Choices &choices,
    const std::function<void(const Problem &, const Plan &,
                             const ListOptions &)> &runOne) {
  Problem copy;
  const Problem &resolved = cut(choices, copy);
  std::optional<Plan> plan = Plan::make(resolved);
  for (const ListOptions &with : fewOptions(resolved))
    if (plan && !isDone())
      runOne(resolved, *plan, with);
}

void ListSearch::tryFew(const Choices &choices) {
  runFew(choices, [&](const Problem &resolved, const Plan &plan,
                      const ListOptions &with) {
    noteStart(with, choices, run(resolved, plan, with, choices));
  });
}

void ListSearch::tryFetchingBehind(const Choices &cuts) {
  Choices choices = cutForFetches(cuts);
  Problem copy;
  const Problem &resolved = cut(choices, copy);
  std::optional<Plan> plan = Plan::make(resolved);
  if (!plan || !canPrefetch(resolved))
    return;
  std::vector<bool> computes = findStreams(*plan);
  computes.flip();
  std::vector<int64_t> extraCycles = comeFirst(computes);
  if (extraCycles.empty())
    return;
  std::vector<ListOptions> all;
  for (ListOptions with : eagerOptions(resolved)) {
    if (!with.prefetches)
      continue;
    for (int64_t left = countComputeEngines(resolved) / 2; left > 0;
         left /= 2) {
      with.habits.front().mostStreams = left;
      all.push_back(with);
    }
    with.habits.front().mostStreams.reset();
    with.extraCycles = extraCycles;
    all.push_back(with);
  }
  for (const ListOptions &with : all)
    if (!isDone())
      tryOnce(choices, with);
}

void ListSearch::tryEachChoice(unsigned mostInVain) {
  unsigned inVain = 0;
  for (unsigned choice = 0;
       choice <= problem.tasks.front().alternatives.size() && !isDone() &&
       inVain < mostInVain;
       ++choice) {
    std::optional<int64_t> before;
    if (shortest)
      before = shortest->makespan;
    runFew({choice}, [&](const Problem &resolved, const Plan &plan,
                         const ListOptions &with) {
      run(resolved, plan, with, {choice},
          shortest ? std::optional<int64_t>(shortest->makespan) : std::nullopt);
    });
    if (shortest && (!before || shortest->makespan < *before))
      inVain = 0;
    else if (choice >= firstLevels.front())
      ++inVain;
  }
}

void ListSearch::tryLevelsFrom(const Choices &cuts) {
  Problem copy;
  const Problem &resolved = cut(cuts, copy);
  std::optional<Plan> plan = Plan::make(resolved);
  if (!plan)
    return;
  tryLevels(
      [&](unsigned task, unsigned level) {
        return std::max(choiceAt(task, level), cuts[task]);
      },
      manyLevels);
  std::vector<bool> streams = findStreams(*plan);
  tryLevels(
      [&](unsigned task, unsigned level) {
        return streams[task] ? choiceAt(task, level) : cuts[task];
      },
      manyLevels);
}

void ListSearch::tryLevelsBriefly(const Choices &cuts, bool onlyStreams) {
  Problem copy;
  std::optional<Plan> plan = Plan::make(cut(cuts, copy));
  if (!plan)
    return;
  std::vector<bool> streams = findStreams(*plan);
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  Choices last = cuts;
  for (unsigned level = 1; level <= most && !isDone(); ++level) {
    Choices choices = cuts;
    for (unsigned task = 0; task < problem.tasks.size(); ++task) {
      unsigned finest = problem.tasks[task].alternatives.size();
      unsigned own = std::min(choiceAt(task, level), finest);
      if (!onlyStreams)
        choices[task] = std::max(own, cuts[task]);
      else if (streams[task])
        choices[task] = own;
    }
    if (choices != last)
      tryStreamsFirst(choices);
    last = std::move(choices);
  }
}

void ListSearch::tryStreamsFirst(const Choices &choices) {
  Problem copy;
  const Problem &resolved = cut(choices, copy);
  std::optional<Plan> plan = Plan::make(resolved);
  if (!plan)
    return;
  ListOptions with = eagerOptions(resolved).front();
  std::vector<std::optional<int64_t>> mostStreams = {std::nullopt};
  if (with.prefetches)
    mostStreams.insert(mostStreams.end(),
                       {0, countComputeEngines(resolved) / 2});
  std::vector<std::vector<int64_t>> orders(1);
  if (auto first = comeFirst(findStreams(*plan)); !first.empty())
    orders.push_back(std::move(first));
  for (std::vector<int64_t> &order : orders) {
    with.extraCycles = std::move(order);
    for (std::optional<int64_t> streams : mostStreams) {
      if (isDone())
        return;
      with.habits.front().mostStreams = streams;
      std::optional<int64_t> limit;
      if (shortest)
        limit = shortest->makespan;
      noteStart(with, choices, evaluate(choices, with, limit));
    }
  }
}

void ListSearch::tryLevels(
    const std::function<unsigned(unsigned task, unsigned level)> &choiceAt,
    size_t levelsToTry) {
  size_t most = 0;
  for (const Task &task : problem.tasks)
    most = std::max(most, task.alternatives.size());
  // Each entry has the makespan of a level, and how tasks are cut there.
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
        least = std::min(least, noteStart(with, choices,
                                          run(resolved, *plan, with, choices)));
    levels.push_back({least, std::move(choices)});
  }
  std::sort(levels.begin(), levels.end());
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
      noteStart(with, choices, run(resolved, *plan, with, choices));
  std::vector<int64_t> extraCycles = comeFirst(findStreams(*plan));
  if (extraCycles.empty())
    return;
  for (ListOptions &with : all)
    if (!isDone()) {
      with.extraCycles = extraCycles;
      tryOnce(choices, with);
    }
}

/// Finds the tasks that take longer than their computation.
std::vector<bool> ListSearch::findStreams(const Plan &plan) const {
  std::vector<bool> streams(problem.tasks.size(), false);
  for (size_t task = 0; task < streams.size(); ++task) {
    size_t first = plan.table.first[task];
    streams[task] =
        first < plan.table.first[task + 1] && plan.table.shapeOf(first).streams;
  }
  return streams;
}

/// Returns extra cycles that let these tasks come before others. Returns
/// nothing if these are all tasks, or none.
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

int64_t ListSearch::noteStart(const ListOptions &with, const Choices &choices,
                              Outcome found) {
  if (!found.makespan)
    return INT64_MAX;
  int64_t makespan = *found.makespan;
  auto known =
      std::find_if(starts.begin(), starts.end(), [&](const Start &start) {
        return start.options.hasHabitsOf(with);
      });
  if (known == starts.end())
    starts.push_back({with, choices, makespan, std::move(found.mostAtOnce)});
  else if (makespan < known->makespan)
    *known = {with, choices, makespan, std::move(found.mostAtOnce)};
  return makespan;
}

} // namespace mlir::llm::scheduling
