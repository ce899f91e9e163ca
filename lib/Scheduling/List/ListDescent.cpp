//===- ListDescent.cpp - From a schedule on to shorter ones ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core/Graph.h"
#include "Core/Stages.h"
#include "ListSearch.h"
#include "Plan.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <climits>

namespace mlir::llm::scheduling {

void ListSearch::prepareDescent() {
  if (!hasCompany.empty())
    return;
  hasCompany = findCompany();
  if (alike.empty())
    for (unsigned task = 0; task < problem.tasks.size(); ++task)
      alike.push_back({task});
  sortAlike();
}

void ListSearch::sortStarts() {
  std::stable_sort(
      starts.begin(), starts.end(),
      [](const Start &a, const Start &b) { return a.makespan < b.makespan; });
}

/// Tries in vain in one direction before a descent looks no further there.
static constexpr int mostNear = 3;

void ListSearch::descend() {
  prepareDescent();
  // Looks first at what is near, then further.
  for (int mostInVain : {mostNear, INT_MAX}) {
    sortStarts();
    for (Start &start : starts)
      descendFrom(start, mostInVain);
  }
}

void ListSearch::descendBriefly() {
  prepareDescent();
  sortStarts();
  if (!starts.empty())
    descendFrom(starts.front(), mostNear);
}

std::vector<bool> ListSearch::findCompany() const {
  std::vector<bool> found(problem.tasks.size(), true);
  std::vector<unsigned> order = topologicalOrder(problem);
  std::vector<size_t> borders = findBorders(problem, order);
  for (size_t stage = 0; stage + 1 < borders.size(); ++stage)
    if (borders[stage + 1] == borders[stage] + 1)
      found[order[borders[stage]]] = false;
  return found;
}

/// Puts the equal tasks that now take longest first, because how they are cut
/// matters most.
void ListSearch::sortAlike() {
  std::vector<double> cycles(problem.tasks.size(), 0);
  if (std::optional<Plan> plan = Plan::make(problem))
    for (size_t part = 0; part < plan->table.parts.size(); ++part)
      cycles[plan->table.parts[part].task] +=
          double(plan->table.shapeOf(part).shortest);
  auto cyclesOf = [&](const Alike &tasks) {
    return cycles[tasks.front()] * double(tasks.size());
  };
  std::stable_sort(alike.begin(), alike.end(),
                   [&](const Alike &a, const Alike &b) {
                     return cyclesOf(a) > cyclesOf(b);
                   });
}

bool ListSearch::shorten(Start &start) {
  Outcome outcome = evaluate(start.choices, start.options, start.makespan);
  if (!outcome.makespan || *outcome.makespan >= start.makespan)
    return false;
  start.makespan = *outcome.makespan;
  start.mostAtOnce = std::move(outcome.mostAtOnce);
  return true;
}

bool ListSearch::walk(Start &start, Range range, int mostInVain,
                      const std::function<void(int64_t)> &set,
                      const std::function<bool(int64_t)> &isKnown) {
  int64_t kept = range.from;
  bool isShorter = false;
  for (int64_t step : {range.step, -range.step}) {
    int inVain = 0;
    for (int64_t other = kept + step;
         other >= range.least && other <= range.most && inVain < mostInVain &&
         !isDone();
         other += step) {
      set(other);
      if (isKnown && isKnown(other)) {
        ++runsInVain;
        ++inVain;
      } else if (shorten(start)) {
        kept = other;
        isShorter = true;
        inVain = 0;
      } else {
        ++inVain;
      }
    }
  }
  set(kept);
  return isShorter;
}

bool ListSearch::recut(Start &start, const Alike &tasks, int mostInVain) {
  // Neighbours are cut a little coarser or finer.
  int64_t last = problem.tasks[tasks.front()].alternatives.size();
  return walk(start, {start.choices[tasks.front()], 0, last, 1}, mostInVain,
              [&](int64_t choice) {
                for (unsigned task : tasks)
                  start.choices[task] = choice;
              });
}

bool ListSearch::holdsBackNone(const Start &start, const Alike &tasks,
                               int64_t mostParts) {
  return !start.mostAtOnce.empty() &&
         std::all_of(tasks.begin(), tasks.end(), [&](unsigned task) {
           return start.mostAtOnce[task] <= mostParts;
         });
}

bool ListSearch::limit(Start &start, const Alike &tasks, bool always) {
  int64_t engines = countComputeEngines(problem);
  int64_t step = std::max<int64_t>(1, engines / 16);
  Habit before = start.options.habits[tasks.front()];
  auto set = [&](std::optional<int64_t> most, bool alsoAlone) {
    for (unsigned task : tasks) {
      start.options.habits[task].mostParts = most;
      start.options.habits[task].alwaysMostParts = alsoAlone;
    }
  };
  bool isShorter = walk(
      start, {before.mostParts.value_or(engines), 1, engines, -step},
      /*mostInVain=*/3,
      [&](int64_t most) {
        set(most == engines ? std::nullopt : std::optional<int64_t>(most),
            always);
      },
      [&](int64_t most) {
        // `mostAtOnce` was counted under the present limit.
        bool isMore = before.mostParts && most > *before.mostParts;
        return holdsBackNone(start, tasks,
                             isMore ? *before.mostParts - 1 : most);
      });
  if (!isShorter)
    set(before.mostParts, before.alwaysMostParts);
  return isShorter;
}

bool ListSearch::reorder(Start &start, const Alike &tasks) {
  auto setExtra = [&](int64_t extra) {
    for (unsigned task : tasks)
      start.options.extraCycles[task] = extra;
  };
  int64_t before = start.options.extraCycles[tasks.front()];
  setExtra(before > 0 ? 0 : inFront(start.makespan));
  if (shorten(start))
    return true;
  setExtra(before);
  return false;
}

void ListSearch::descendFrom(Start &start, int mostInVain) {
  start.choices.resize(problem.tasks.size(), 0);
  start.options.expand(problem.tasks.size());
  for (bool isShorter = true; isShorter && !isDone();) {
    isShorter = false;
    for (const Alike &tasks : alike)
      if (!isDone()) {
        isShorter |= recut(start, tasks, mostInVain);
        isShorter |= reorder(start, tasks);
        if (hasCompany[tasks.front()])
          isShorter |= limit(start, tasks, /*always=*/false) ||
                       limit(start, tasks, /*always=*/true);
      }
  }
}

/// Returns the bytes of the slices of one part, the largest of these parts.
static int64_t sliceBytesOf(const std::vector<Part> &parts) {
  int64_t most = 0;
  for (const Part &part : parts) {
    int64_t bytes = 0;
    for (const Source &source : part.sources)
      bytes = std::min(bytes + source.sliceBytes, maxCount);
    most = std::max(most, bytes);
  }
  return most;
}

static double bytesOf(const std::vector<Part> &parts) {
  double sum = 0;
  for (const Part &part : parts)
    for (int64_t bytes : part.bytes)
      sum += double(part.count) * double(bytes);
  return sum;
}

Choices ListSearch::cutForFetches(Choices choices) const {
  int64_t privateBytes = 0;
  for (const EngineGroup &engine : problem.engines)
    privateBytes = std::max(privateBytes, engine.privateBytes);
  for (unsigned task = 0; task < choices.size(); ++task) {
    const Task &own = problem.tasks[task];
    double most = 1.02 * bytesOf(own.partsOf(choices[task]));
    for (unsigned finer = choices[task]; finer <= own.alternatives.size();
         ++finer) {
      const std::vector<Part> &parts = own.partsOf(finer);
      if (bytesOf(parts) > most)
        continue;
      choices[task] = finer;
      if (sliceBytesOf(parts) <= privateBytes / 8)
        break;
    }
  }
  return choices;
}

void ListSearch::descendFromBest() {
  if (!shortest)
    return;
  Start start{options, cutForFetches(shortest->choices), INT64_MAX, {}};
  shorten(start);
  prepareDescent();
  descendFrom(start, mostNear);
}

} // namespace mlir::llm::scheduling
