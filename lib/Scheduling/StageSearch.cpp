//===- StageSearch.cpp - Stages, each searched for itself -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageSearch.h"
#include "Graph.h"
#include "Stages.h"
#include "llm/Scheduling/Bounds.h"

#include <algorithm>
#include <map>

namespace mlir::llm::scheduling {

namespace {

class StageSearch {
public:
  StageSearch(const Problem &problem, size_t effort)
      : problem(problem), order(topologicalOrder(problem)),
        borders(findBorders(problem, order)),
        effort(effort / std::max<size_t>(1, borders.size() - 1)) {}
  std::optional<StageResults> run();

private:
  /// What one stage says of its tasks, in their order.
  struct Found {
    Choices choices;
    Habit habit;
  };

  Problem extract(size_t begin, size_t end) const;
  Found search(const Problem &stage) const;

  const Problem &problem;
  std::vector<unsigned> order;
  std::vector<size_t> borders;
  size_t effort; ///< for each stage
};

} // namespace

//===----------------------------------------------------------------------===//
// Equal stages
//===----------------------------------------------------------------------===//

template <typename T, typename Equal>
static bool haveEqual(const std::vector<T> &a, const std::vector<T> &b,
                      Equal equal) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), equal);
}

static bool areEqual(const Source &a, const Source &b) {
  return a.bytes == b.bytes && a.sliceBytes == b.sliceBytes &&
         a.stagingBytes == b.stagingBytes && a.predecessors == b.predecessors;
}

static bool areEqual(const Part &a, const Part &b) {
  return a.overheadCycles == b.overheadCycles &&
         a.serialCycles == b.serialCycles &&
         a.computeCycles == b.computeCycles && a.bytes == b.bytes &&
         a.workingSetBytes == b.workingSetBytes && a.count == b.count &&
         haveEqual(a.sources, b.sources,
                   [](const auto &own, const auto &other) {
                     return areEqual(own, other);
                   });
}

static bool areEqual(const std::vector<Part> &a, const std::vector<Part> &b) {
  return haveEqual(a, b, [](const Part &own, const Part &other) {
    return areEqual(own, other);
  });
}

static bool areEqual(const Task &a, const Task &b) {
  return a.kinds == b.kinds && a.group == b.group &&
         a.predecessors == b.predecessors && a.lastCombines == b.lastCombines &&
         areEqual(a.parts, b.parts) &&
         haveEqual(a.alternatives, b.alternatives,
                   [](const Split &own, const Split &other) {
                     return own.lastCombines == other.lastCombines &&
                            areEqual(own.parts, other.parts);
                   });
}

/// Whatever their names are.
static bool haveEqualTasks(const Problem &a, const Problem &b) {
  return haveEqual(a.tasks, b.tasks, [](const Task &own, const Task &other) {
    return areEqual(own, other);
  });
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// The stage alone: what comes from outside is there from the start.
Problem StageSearch::extract(size_t begin, size_t end) const {
  std::map<unsigned, unsigned> numberOf;
  for (size_t at = begin; at < end; ++at)
    numberOf[order[at]] = at - begin;
  auto renumber = [&](std::vector<unsigned> &tasks) {
    std::vector<unsigned> own;
    for (unsigned task : tasks)
      if (auto known = numberOf.find(task); known != numberOf.end())
        own.push_back(known->second);
    tasks = std::move(own);
  };
  auto renumberWriters = [&](std::vector<Part> &parts) {
    for (Part &part : parts)
      for (Source &source : part.sources)
        renumber(source.predecessors);
  };
  Problem stage = {problem.clockHz, problem.resources, problem.engines, {}};
  for (size_t at = begin; at < end; ++at) {
    Task task = problem.tasks[order[at]];
    renumber(task.predecessors);
    renumberWriters(task.parts);
    for (Split &alternative : task.alternatives)
      renumberWriters(alternative.parts);
    stage.tasks.push_back(std::move(task));
  }
  return stage;
}

StageSearch::Found StageSearch::search(const Problem &stage) const {
  std::optional<std::vector<Bound>> bounds = lowerBounds(stage);
  ListSearch search(stage, bounds ? largestBound(*bounds) : 0, effort);
  search.tryLevels();
  search.descend();
  Found found;
  if (search.best()) {
    found.choices = search.best()->choices;
    found.habit = search.bestOptions().habits.front();
  }
  found.choices.resize(stage.tasks.size(), 0);
  return found;
}

std::optional<StageResults> StageSearch::run() {
  if (borders.size() <= 2 || order.size() != problem.tasks.size())
    return std::nullopt;
  StageResults results;
  results.choices.resize(order.size());
  results.habits.resize(order.size());
  std::vector<std::pair<Problem, Found>> known;
  for (size_t stage = 0; stage + 1 < borders.size(); ++stage) {
    Problem own = extract(borders[stage], borders[stage + 1]);
    auto found =
        std::find_if(known.begin(), known.end(), [&](const auto &other) {
          return haveEqualTasks(other.first, own);
        });
    if (found == known.end()) {
      Found best = search(own);
      known.push_back({std::move(own), std::move(best)});
      found = known.end() - 1;
    }
    for (size_t at = borders[stage]; at < borders[stage + 1]; ++at) {
      results.choices[order[at]] = found->second.choices[at - borders[stage]];
      results.habits[order[at]] = found->second.habit;
    }
  }
  return results;
}

std::optional<StageResults> searchStages(const Problem &problem,
                                         size_t effort) {
  return StageSearch(problem, effort).run();
}

} // namespace mlir::llm::scheduling
