//===- Improve.cpp - A search from the list schedule on -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core/Graph.h"
#include "Core/Parts.h"
#include "Core/Stages.h"
#include "List.h"
#include "ListRun.h"
#include "ListSearch.h"
#include "llm/Scheduling/Solvers.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace mlir::llm::scheduling {

namespace {

/// Gives the same numbers on every platform. Of <random>, only the engines do
/// that, and the distributions do not.
class Dice {
public:
  explicit Dice(uint32_t seed) : engine(seed) {}
  int64_t between(int64_t low, int64_t high) {
    uint64_t bits = engine();
    bits = bits << 32 | engine();
    return low + static_cast<int64_t>(bits % (uint64_t(high - low) + 1));
  }
  bool oneIn(int64_t n) { return between(1, n) == 1; }

private:
  std::mt19937 engine;
};

/// What the list scheduler makes a schedule from.
struct Recipe {
  Choices choices;
  ListOptions options; ///< habits and extra cycles for each task
};

/// Does late acceptance hill climbing: a change is kept if it makes the
/// schedule no longer than it is, or than it was some changes ago. That needs
/// no temperature, which would depend on the problem, on a clock and on
/// rounding.
class Improver {
public:
  Improver(const Problem &problem, const ImproveOptions &options,
           ListResult start);
  ImproveResult run();

private:
  using Clock = std::chrono::steady_clock;
  using Tasks = std::vector<unsigned>;

  void measureStages(const Solution &solution);
  bool goesOn() const;
  /// Returns the recipe with a change among the tasks of one stage.
  Recipe changed(Recipe recipe);
  Tasks pickSome(const Tasks &stage);
  void recutSome(Recipe &recipe, const Tasks &stage);
  void recutAlike(Recipe &recipe, const Tasks &stage);
  void reorder(Recipe &recipe, const Tasks &stage);
  void changeHabits(Recipe &recipe, const Tasks &stage);
  std::optional<Solution> schedule(const Recipe &recipe) const;
  /// Keeps the solution if it is the shortest so far, and returns whether it
  /// is.
  bool keep(const Recipe &recipe, Solution solution);

  const Problem &problem;
  const ImproveOptions &options;
  Dice dice;
  Clock::time_point startTime = Clock::now();
  int64_t engines; ///< that compute
  std::vector<Tasks> stages;
  std::vector<unsigned> stageOf;    ///< of each task
  std::vector<int64_t> stageCycles; ///< from its first start to its last end
  Recipe best;
  int64_t bestMakespan = INT64_MAX; ///< of `best`
  ImproveResult result;
};

} // namespace

Improver::Improver(const Problem &problem, const ImproveOptions &options,
                   ListResult start)
    : problem(problem), options(options), dice(options.seed),
      engines(countComputeEngines(problem)) {
  size_t tasks = problem.tasks.size();
  best = {start.solution.choices, start.options};
  best.options.expand(tasks);
  best.choices.resize(tasks, 0);
  result.solution = std::move(start.solution);
  result.lowerBoundCycles = start.lowerBoundCycles;

  std::vector<unsigned> order = topologicalOrder(problem);
  std::vector<size_t> borders = findBorders(problem, order);
  stageOf.resize(tasks);
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    stages.emplace_back(order.begin() + borders[i],
                        order.begin() + borders[i + 1]);
    for (unsigned task : stages.back())
      stageOf[task] = i;
  }
  stageCycles.assign(stages.size(), 0);
}

void Improver::measureStages(const Solution &solution) {
  std::vector<int64_t> first(stages.size(), INT64_MAX), last(stages.size(), 0);
  for (const Slot &slot : solution.slots) {
    unsigned stage = stageOf[slot.task];
    first[stage] = std::min(first[stage], slot.start);
    last[stage] = std::max(last[stage], slot.end);
  }
  for (size_t stage = 0; stage < stages.size(); ++stage)
    stageCycles[stage] = std::max<int64_t>(0, last[stage] - first[stage]);
}

std::optional<Solution> Improver::schedule(const Recipe &recipe) const {
  Solution cuts;
  cuts.choices = recipe.choices;
  Problem resolved = resolve(problem, cuts);
  std::optional<Plan> plan = Plan::make(resolved, recipe.options.extraCycles);
  std::optional<Solution> solution =
      plan ? ListRun(resolved, *plan, recipe.options).run() : std::nullopt;
  if (solution)
    solution->choices = recipe.choices;
  return solution;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

Improver::Tasks Improver::pickSome(const Tasks &stage) {
  Tasks some;
  for (int64_t count = dice.between(1, 3); count > 0; --count)
    some.push_back(stage[dice.between(0, stage.size() - 1)]);
  return some;
}

/// Cuts some tasks in another way. Mostly it is a little coarser or finer,
/// because alternatives are in about that order.
void Improver::recutSome(Recipe &recipe, const Tasks &stage) {
  for (unsigned task : pickSome(stage)) {
    int64_t last = problem.tasks[task].alternatives.size();
    unsigned &choice = recipe.choices[task];
    int64_t step = dice.oneIn(2) ? dice.between(1, 2) : -dice.between(1, 2);
    choice = dice.oneIn(3) ? dice.between(0, last)
                           : std::clamp<int64_t>(choice + step, 0, last);
  }
}

/// Cuts tasks with equally many alternatives alike. They are often equal, such
/// as the products for gate and up.
void Improver::recutAlike(Recipe &recipe, const Tasks &stage) {
  auto waysOf = [&](unsigned task) {
    return problem.tasks[task].alternatives.size();
  };
  size_t ways = waysOf(stage[dice.between(0, stage.size() - 1)]);
  unsigned choice = dice.between(0, ways);
  for (unsigned task : stage)
    if (waysOf(task) == ways)
      recipe.choices[task] = choice;
}

/// Lets some tasks, and what leads to them, come before others.
void Improver::reorder(Recipe &recipe, const Tasks &stage) {
  int64_t cycles = stageCycles[stageOf[stage.front()]];
  for (unsigned task : pickSome(stage)) {
    int64_t most = std::max<int64_t>(1, cycles >> dice.between(0, 4));
    recipe.options.extraCycles[task] =
        dice.oneIn(3) ? 0 : dice.between(1, most);
  }
}

void Improver::changeHabits(Recipe &recipe, const Tasks &stage) {
  Tasks tasks = dice.oneIn(2) ? stage : pickSome(stage);
  Habit habit = recipe.options.habits[tasks.front()];
  switch (dice.between(0, 5)) {
  case 0:
    habit.manner =
        habit.manner == Manner::Eager ? Manner::Patient : Manner::Eager;
    break;
  case 1:
    habit.waitsForSources = !habit.waitsForSources;
    break;
  case 2:
    habit.mostStreams = std::nullopt;
    break;
  case 3:
    habit.mostStreams = dice.between(0, std::max<int64_t>(0, engines - 1));
    break;
  case 4:
    habit.shares = dice.oneIn(2) ? 1 : dice.between(1, 2 * engines);
    break;
  case 5:
    habit.mostParts = std::nullopt;
    if (engines > 1 && !dice.oneIn(3))
      habit.mostParts = dice.between(1, engines - 1);
    habit.alwaysMostParts = dice.oneIn(2);
    break;
  }
  for (unsigned task : tasks)
    recipe.options.habits[task] = habit;
}

Recipe Improver::changed(Recipe recipe) {
  const Tasks &stage =
      stages[stageOf[dice.between(0, problem.tasks.size() - 1)]];
  // Changes of how tasks are cut gain most, so they are the most frequent.
  int64_t which = dice.between(1, 10);
  if (which <= 4)
    recutSome(recipe, stage);
  else if (which <= 6)
    recutAlike(recipe, stage);
  else if (which <= 9)
    reorder(recipe, stage);
  else
    changeHabits(recipe, stage);
  return recipe;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

bool Improver::goesOn() const {
  if (result.solution.makespan == result.lowerBoundCycles ||
      (options.evaluations > 0 && result.evaluations >= options.evaluations))
    return false;
  std::chrono::duration<double> passed = Clock::now() - startTime;
  if (options.seconds > 0 && passed.count() >= options.seconds)
    return false;
  return !options.report ||
         options.report({result.evaluations, result.solution.makespan,
                         result.lowerBoundCycles});
}

bool Improver::keep(const Recipe &recipe, Solution solution) {
  if (solution.makespan >= bestMakespan)
    return false;
  bestMakespan = solution.makespan;
  best = recipe;
  if (solution.makespan < result.solution.makespan)
    result.solution = std::move(solution);
  return true;
}

ImproveResult Improver::run() {
  // This is the list schedule again, or another one if `scheduleEarliest` was
  // shorter.
  std::optional<Solution> start = schedule(best);
  if (!start)
    return std::move(result);
  measureStages(*start);
  keep(Recipe(best), std::move(*start));
  constexpr size_t memory = 50;      // evaluations to look back
  constexpr int64_t patience = 1000; // changes in vain before a restart
  std::vector<int64_t> history(memory, bestMakespan);
  Recipe current = best;
  int64_t makespan = bestMakespan, lastGain = 0;
  while (goesOn()) {
    Recipe next = changed(current);
    std::optional<Solution> solution = schedule(next);
    int64_t evaluation = ++result.evaluations;
    int64_t &before = history[evaluation % memory];
    if (solution && solution->makespan <= std::max(makespan, before)) {
      makespan = solution->makespan;
      current = std::move(next);
      if (keep(current, std::move(*solution)))
        lastGain = evaluation;
    }
    before = makespan;
    if (evaluation - lastGain < patience)
      continue;
    current = best;
    makespan = bestMakespan;
    // The next changes may be longer than the best by half a percent.
    std::fill(history.begin(), history.end(),
              bestMakespan + bestMakespan / 200);
    lastGain = evaluation;
  }
  return std::move(result);
}

std::optional<ImproveResult> scheduleImproved(const Problem &problem,
                                              const ImproveOptions &options) {
  std::optional<ListResult> start =
      searchList(problem, options.reportStart, options.repeats);
  if (!start)
    return std::nullopt;
  return Improver(problem, options, std::move(*start)).run();
}

} // namespace mlir::llm::scheduling
