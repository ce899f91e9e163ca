//===- StageSearch.cpp - Stages, each searched for itself -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageSearch.h"
#include "Core/Graph.h"
#include "Core/Stages.h"
#include "llm/Scheduling/Bounds.h"

#include <algorithm>
#include <climits>
#include <map>

namespace mlir::llm::scheduling {

//===----------------------------------------------------------------------===//
// Equal stages
//===----------------------------------------------------------------------===//

template <typename T, typename Equal>
static bool haveEqual(const std::vector<T> &a, const std::vector<T> &b,
                      Equal equal) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), equal);
}

/// The functions here do not look at predecessors, which a task alone does not
/// have.
static bool areEqualAlone(const Source &a, const Source &b) {
  return a.bytes == b.bytes && a.sliceBytes == b.sliceBytes &&
         a.stagingBytes == b.stagingBytes;
}

static bool areEqualAlone(const Part &a, const Part &b) {
  return a.overheadCycles == b.overheadCycles &&
         a.serialCycles == b.serialCycles &&
         a.computeCycles == b.computeCycles && a.bytes == b.bytes &&
         a.workingSetBytes == b.workingSetBytes && a.count == b.count &&
         haveEqual(a.sources, b.sources,
                   [](const auto &own, const auto &other) {
                     return areEqualAlone(own, other);
                   });
}

static bool areEqualAlone(const std::vector<Part> &a,
                          const std::vector<Part> &b) {
  return haveEqual(a, b, [](const Part &own, const Part &other) {
    return areEqualAlone(own, other);
  });
}

static bool areEqualAlone(const Task &a, const Task &b) {
  return a.kinds == b.kinds && a.group == b.group && a.with == b.with &&
         a.lastCombines == b.lastCombines && a.chains == b.chains &&
         areEqualAlone(a.parts, b.parts) &&
         haveEqual(a.alternatives, b.alternatives,
                   [](const Split &own, const Split &other) {
                     return own.lastCombines == other.lastCombines &&
                            own.chains == other.chains &&
                            areEqualAlone(own.parts, other.parts);
                   });
}

/// Compares the predecessors of sources. `own` gives those of `b` numbers.
template <typename Own>
static bool waitForEqual(const std::vector<Part> &a, const std::vector<Part> &b,
                         const Own &own) {
  return haveEqual(a, b, [&](const Part &one, const Part &two) {
    return haveEqual(one.sources, two.sources,
                     [&](const Source &of, const Source &like) {
                       return of.predecessors == own(like.predecessors);
                     });
  });
}

template <typename Own>
static bool areEqual(const Task &a, const Task &b, const Own &own) {
  return a.predecessors == own(b.predecessors) && areEqualAlone(a, b) &&
         waitForEqual(a.parts, b.parts, own) &&
         haveEqual(a.alternatives, b.alternatives,
                   [&](const Split &one, const Split &two) {
                     return waitForEqual(one.parts, two.parts, own);
                   });
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

std::vector<unsigned> StageSearch::renumber(const std::vector<unsigned> &tasks,
                                            size_t begin, size_t end) const {
  std::vector<unsigned> own;
  for (unsigned task : tasks)
    if (position[task] >= begin && position[task] < end)
      own.push_back(position[task] - begin);
  return own;
}

/// Returns the stage alone. Its inputs from outside are there from the start.
Problem StageSearch::extract(size_t begin, size_t end) const {
  auto renumberWriters = [&](std::vector<Part> &parts) {
    for (Part &part : parts)
      for (Source &source : part.sources)
        source.predecessors = renumber(source.predecessors, begin, end);
  };
  Problem stage = {problem.clockHz, problem.resources, problem.engines, {}};
  for (size_t at = begin; at < end; ++at) {
    Task task = problem.tasks[order[at]];
    task.predecessors = renumber(task.predecessors, begin, end);
    renumberWriters(task.parts);
    for (Split &alternative : task.alternatives)
      renumberWriters(alternative.parts);
    stage.tasks.push_back(std::move(task));
  }
  return stage;
}

static int64_t boundOf(const Problem &problem) {
  return largestBound(lowerBounds(problem).value_or(std::vector<Bound>()));
}

StageSearch::StageSearch(const Problem &problem, bool isBrief,
                         const TryReport &report)
    : problem(problem), isBrief(isBrief), report(report),
      order(topologicalOrder(problem)), position(problem.tasks.size()),
      borders(findBorders(problem, order)) {
  for (size_t at = 0; at < order.size(); ++at)
    position[order[at]] = at;
}

/// Limits the search of one cut. It goes from few parts to many, so only fine
/// cuts are left out if there are too many parts. In a block on a machine with
/// little private memory, the ways to cut one op have a million parts.
size_t StageSearch::effortAlone() const {
  constexpr size_t least = 256;
  size_t ofAll = isBrief ? 30'000 : size_t(1) << 19;
  return std::max(least, ofAll / order.size());
}

/// A number that equal tasks share, and others hardly ever do.
static size_t hashOf(const Task &task) {
  size_t hash = task.alternatives.size();
  auto mix = [&](int64_t value) {
    hash = (hash ^ static_cast<size_t>(value)) * 0x9E3779B97F4A7C15;
  };
  for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice)
    for (const Part &part : task.partsOf(choice)) {
      mix(part.computeCycles);
      mix(part.count);
      for (int64_t bytes : part.bytes)
        mix(bytes);
    }
  return hash;
}

void StageSearch::findKinds() {
  std::multimap<size_t, unsigned> byHash;
  kindOf.resize(order.size());
  for (size_t at = 0; at < order.size(); ++at) {
    const Task &task = problem.tasks[order[at]];
    if (task.alternatives.empty())
      continue;
    size_t hash = hashOf(task);
    auto [first, last] = byHash.equal_range(hash);
    auto same = std::find_if(first, last, [&](const auto &other) {
      return areEqualAlone(kinds[other.second].tasks.front(), task);
    });
    if (same == last) {
      same = byHash.insert({hash, static_cast<unsigned>(kinds.size())});
      kinds.push_back(extract(at, at + 1));
    }
    kindOf[order[at]] = same->second;
  }
}

unsigned StageSearch::cutAlone(Problem &task, bool onHalf) const {
  std::vector<EngineGroup> engines = task.engines;
  for (EngineGroup &engine : task.engines)
    if (onHalf && !engine.kinds.contains(EngineKind::Memory))
      engine.count = std::max<int64_t>(1, engine.count / 2);
  // Other stages come before it and behind it, so it is not done when it is
  // near its own bound.
  ListSearch search(task, /*bound=*/0, {effortAlone()}, report);
  search.tryEachChoice(isBrief ? 3 : UINT_MAX);
  task.engines = std::move(engines);
  return search.best() && !search.best()->choices.empty()
             ? search.best()->choices.front()
             : 0;
}

const Choices &StageSearch::cutsAlone(bool onHalf) {
  Choices &cuts = alone[onHalf];
  if (!cuts.empty())
    return cuts;
  if (kindOf.empty())
    findKinds();
  Choices ofKinds;
  for (Problem &kind : kinds)
    ofKinds.push_back(cutAlone(kind, onHalf));
  for (std::optional<unsigned> kind : kindOf)
    cuts.push_back(kind ? ofKinds[*kind] : 0);
  return cuts;
}

void StageSearch::tryAll(ListSearch &search,
                         const std::vector<Choices> &cuts) const {
  for (const Choices &own : cuts)
    if (!search.isDone())
      search.tryLevelsFrom(own);
  if (!search.isDone())
    search.tryLevels(manyLevels);
  search.descend();
}

/// The descent wins most where it wins at all, so it comes first. Some layers
/// end shorter if finer cuts are looked at, too.
void StageSearch::tryBriefly(ListSearch &search,
                             const std::vector<Choices> &cuts) const {
  if (!search.isDone())
    search.descendBriefly();
  for (bool onlyStreams : {true, false})
    for (const Choices &own : cuts)
      if (!search.isDone())
        search.tryLevelsBriefly(own, onlyStreams);
  if (!search.isDone())
    search.descendBriefly();
}

StageSearch::Found StageSearch::search(const Stage &stage,
                                       const SearchEffort &effort,
                                       double worth) {
  ListSearch search(stage.problem, stage.bound, effort, report);
  search.setMostWorth(worth);
  size_t begin = borders[stage.places.front()];
  std::vector<Choices> cuts;
  for (bool onHalf : {false, true}) {
    Choices own;
    for (size_t i = 0; i < stage.problem.tasks.size(); ++i)
      own.push_back(cutsAlone(onHalf)[order[begin + i]]);
    if (cuts.empty() || cuts.front() != own)
      cuts.push_back(std::move(own));
  }
  for (const Choices &own : cuts)
    if (!search.isDone())
      search.tryFew(own);
  if (!search.isDone())
    search.tryFetchingBehind(cuts.front());
  if (effort.isBrief)
    tryBriefly(search, cuts);
  else
    tryAll(search, cuts);
  Found found;
  found.placedParts = search.placedParts();
  if (search.best()) {
    found.choices = search.best()->choices;
    found.options = search.bestOptions();
    found.cyclesToWin = double(search.best()->makespan - stage.bound);
  }
  found.choices.resize(stage.problem.tasks.size(), 0);
  found.options.extraCycles.resize(stage.problem.tasks.size(), 0);
  return found;
}

bool StageSearch::isAt(const Problem &stage, size_t place) const {
  size_t begin = borders[place], end = borders[place + 1];
  if (stage.tasks.size() != end - begin)
    return false;
  auto own = [&](const std::vector<unsigned> &tasks) {
    return renumber(tasks, begin, end);
  };
  for (size_t at = begin; at < end; ++at)
    if (!areEqual(stage.tasks[at - begin], problem.tasks[order[at]], own))
      return false;
  return true;
}

void StageSearch::findStages() {
  std::multimap<size_t, size_t> byHash;
  for (size_t at = 0; at + 1 < borders.size(); ++at) {
    size_t hash = 0;
    for (size_t of = borders[at]; of < borders[at + 1]; ++of)
      hash = hash * 31 + hashOf(problem.tasks[order[of]]);
    auto [first, last] = byHash.equal_range(hash);
    auto same = std::find_if(first, last, [&](const auto &other) {
      return isAt(stages[other.second].problem, at);
    });
    if (same == last) {
      same = byHash.insert({hash, stages.size()});
      Problem own = extract(borders[at], borders[at + 1]);
      int64_t bound = boundOf(own);
      stages.push_back({std::move(own), bound, {}});
    }
    stages[same->second].places.push_back(at);
  }
}

std::optional<StageResults> StageSearch::run(SearchEffort effort,
                                             double worth) {
  // A brief search looks at one stage in the same few ways.
  if ((borders.size() <= 2 && !isBrief) || order.size() != problem.tasks.size())
    return std::nullopt;
  findStages();
  // Each stage gets the share of the effort that it has of the time. What one
  // stage leaves goes to those behind it. Large stages are last, because they
  // need more than their share.
  std::stable_sort(stages.begin(), stages.end(),
                   [](const Stage &a, const Stage &b) {
                     return a.problem.tasks.size() < b.problem.tasks.size();
                   });
  auto cyclesOf = [](const Stage &stage) {
    return double(stage.bound) * double(stage.places.size());
  };
  double cycles = 1;
  for (const Stage &stage : stages)
    cycles += cyclesOf(stage);
  StageResults results;
  results.choices.resize(order.size());
  results.options.habits.resize(order.size());
  results.options.extraCycles.resize(order.size());
  for (const Stage &stage : stages) {
    SearchEffort share = effort;
    share.parts = double(effort.parts) * (cyclesOf(stage) / cycles);
    Found best = search(stage, share, worth);
    effort.parts -= std::min(effort.parts, best.placedParts);
    cycles -= cyclesOf(stage);
    results.cyclesToWin += best.cyclesToWin * double(stage.places.size());
    for (size_t i = 0; i < best.choices.size(); ++i) {
      results.alike.emplace_back();
      for (size_t place : stage.places)
        results.alike.back().push_back(order[borders[place] + i]);
    }
    for (size_t place : stage.places)
      for (size_t i = 0; i < best.choices.size(); ++i) {
        unsigned task = order[borders[place] + i];
        results.choices[task] = best.choices[i];
        results.options.habits[task] = best.options.habitOf(i);
        results.options.extraCycles[task] = best.options.extraCycles[i];
      }
  }
  return results;
}

} // namespace mlir::llm::scheduling
