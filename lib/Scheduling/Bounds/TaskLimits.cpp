//===- TaskLimits.cpp - What no schedule of a task can beat ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskLimits.h"
#include "Core/Lanes.h"
#include "Core/Parts.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace mlir::llm::scheduling {

/// If a part has more sources, not all sets of them are looked at.
static constexpr size_t mostSources = 4;

namespace {

class LimitFinder {
public:
  LimitFinder(const Problem &problem,
              const std::vector<FetchLimit> &fetchLimits)
      : problem(problem), fetchLimits(fetchLimits),
        prefetches(hasMemoryEngine(problem)),
        resources(problem.resources.size()) {}

  /// Finds the limits of each way to cut the task, or of each entry that no way
  /// is below, in `choices`. Returns false on overflow.
  bool findChoices(const Task &task, Cuts cuts,
                   std::vector<TaskLimits> &choices);
  void takeGroupSets(ProblemLimits &limits) const;

private:
  /// Finds the limits of one part, on the groups that can run it.
  struct PartLimits {
    int64_t fetched, streamed;
    std::vector<int64_t> fetchable; ///< bytes per resource, at most
  };
  using Points = std::vector<FetchCurve::Point>;
  std::optional<TaskLimits> findChoice(const Task &task, unsigned choice);
  std::optional<TaskLimits> findLeast(const Task &task, const LeastWork &least);
  /// The curve by the limit on fetching with this number.
  FetchCurve leastCurve(const Task &task, const LeastWork &least, size_t limit,
                        double fetchedCycles);
  /// Adds what an engine needs for a share of the work. There is a point for
  /// each set of fetched sources, combined with more or less of what is
  /// streamed again.
  void addSharePoints(const EngineGroup &engine, const LeastWork &least,
                      LeastWork::EvenShare share, size_t resource,
                      Points &own) const;
  /// Adds points as if each fetched byte saved the time that it takes the port.
  void addUnevenPoints(const EngineGroup &engine, const LeastWork &least,
                       size_t resource, double fetchedCycles,
                       Points &own) const;
  /// Sets `found`.
  void findPart(const Task &task, const Part &part);
  int64_t lengthOn(const EngineGroup &engine, const Part &part,
                   const std::vector<int64_t> &bytes) const;
  /// Sets `points`.
  void findPoints(const Task &task, const Part &part);
  void addRun(const EngineGroup &engine, const Part &part, unsigned fetched);
  bool canFetch(const Part &part) const {
    return prefetches && !part.sources.empty();
  }

  const Problem &problem;
  const std::vector<FetchLimit> &fetchLimits;
  bool prefetches;
  size_t resources;
  GroupSet groups; ///< that can run a part of the task
  /// Figures of the part that is looked at. They are kept, because there may be
  /// many tasks.
  PartLimits found;
  std::vector<Points> points;
  std::vector<int64_t> left;   ///< bytes that are streamed
  std::vector<int64_t> cycles; ///< of the parts
  std::map<GroupSet, unsigned> numberOf, numberOfWith;
};

} // namespace

int64_t LimitFinder::lengthOn(const EngineGroup &engine, const Part &part,
                              const std::vector<int64_t> &bytes) const {
  // Ports have no more lanes than there are.
  return lengthWithLanes(problem, bytes,
                         part.overheadCycles + part.serialCycles,
                         part.computeCycles, engine.portLanes, &engine)
      .value_or(INT64_MAX);
}

void LimitFinder::findPart(const Task &task, const Part &part) {
  found.fetched = found.streamed = INT64_MAX;
  found.fetchable.assign(resources, 0);
  int64_t leastNeed = leastNeedOf(problem, part);
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (!mayRun(problem, group, task, part))
      continue;
    groups[group] = true;
    const EngineGroup &engine = problem.engines[group];
    found.streamed =
        std::min(found.streamed, lengthOn(engine, part, part.bytes));
    if (!canFetch(part))
      continue;
    left = part.bytes;
    for (const Source &source : part.sources)
      if (source.sliceBytes <= engine.privateBytes - leastNeed)
        for (size_t m = 0; m < left.size(); ++m)
          left[m] -= source.bytes[m];
    found.fetched = std::min(found.fetched, lengthOn(engine, part, left));
    for (size_t m = 0; m < left.size(); ++m)
      found.fetchable[m] =
          std::max(found.fetchable[m], part.bytes[m] - left[m]);
  }
  if (!canFetch(part))
    found.fetched = found.streamed;
}

/// Adds the run if what it needs fits.
void LimitFinder::addRun(const EngineGroup &engine, const Part &part,
                         unsigned fetched) {
  left = part.bytes;
  int64_t need = part.workingSetBytes;
  for (size_t i = 0; i < part.sources.size(); ++i) {
    if (!(fetched >> i & 1))
      continue;
    const Source &source = part.sources[i];
    // Both numbers are at most `maxCount`, so the sum fits. Beyond that, it is
    // known to be too much.
    need = std::min(need + source.sliceBytes - source.stagingBytes, maxCount);
    for (size_t m = 0; m < left.size(); ++m)
      left[m] -= source.bytes[m];
  }
  int64_t cycles = lengthOn(engine, part, left);
  // A part that takes no time holds nothing.
  if (cycles > maxCount || (cycles > 0 && need > engine.privateBytes))
    return;
  PartRun run{&part, &engine, fetched, cycles, need};
  for (size_t i = 0; i < points.size(); ++i)
    points[i].push_back({fetchLimits[i].amountOf(run), double(cycles)});
}

/// Goes over all sets of sources, because some of them may save more than all.
/// Many sources are counted as fetched in no time at best.
void LimitFinder::findPoints(const Task &task, const Part &part) {
  points.resize(fetchLimits.size());
  for (Points &own : points)
    own.clear();
  if (points.empty())
    return;
  if (part.sources.size() <= mostSources)
    for (const EngineGroup &engine : problem.engines)
      if (mayRun(problem, &engine - problem.engines.data(), task, part))
        for (unsigned set = 0; set < 1u << part.sources.size(); ++set)
          addRun(engine, part, set);
  for (Points &own : points)
    if (own.empty())
      own = {{0, double(found.fetched)}};
}

std::optional<TaskLimits> LimitFinder::findChoice(const Task &task,
                                                  unsigned choice) {
  const std::vector<Part> &parts = task.partsOf(choice);
  cycles.clear();
  TaskLimits limits;
  limits.streams.resize(resources);
  std::vector<FetchCurveSum> fetching(fetchLimits.size());
  for (const Part &part : parts) {
    auto add = [&](int64_t &sum, int64_t each) {
      std::optional<int64_t> all =
          each > maxCount ? std::nullopt : checkedMul(each, part.count);
      std::optional<int64_t> next = all ? checkedAdd(sum, *all) : std::nullopt;
      sum = next.value_or(sum);
      return next.has_value();
    };
    findPart(task, part);
    cycles.push_back(found.fetched);
    if (!add(limits.engineCycles, found.fetched) || found.streamed > maxCount)
      return std::nullopt;
    limits.streamedCycles += double(found.streamed) * double(part.count);
    for (size_t m = 0; m < resources; ++m)
      if (!add(limits.streams[m].bytes, part.bytes[m]) ||
          !add(limits.streams[m].ownBytes, part.bytes[m] - found.fetchable[m]))
        return std::nullopt;
    findPoints(task, part);
    for (size_t i = 0; i < points.size(); ++i)
      fetching[i].add(FetchCurve(points[i]), double(part.count));
  }
  limits.fetching.reserve(fetching.size());
  for (FetchCurveSum &sum : fetching)
    limits.fetching.push_back(sum.take());
  std::optional<int64_t> span = spanOf(problem, task, choice, cycles);
  if (!span)
    return std::nullopt;
  limits.spanCycles = *span;
  return limits;
}

void LimitFinder::addSharePoints(const EngineGroup &engine,
                                 const LeastWork &least,
                                 LeastWork::EvenShare share, size_t resource,
                                 Points &own) const {
  double compute = share.work * double(least.evenCycles);
  // Bytes of each resource: first those that belong to no source, and then
  // those of sources.
  std::vector<double> others;
  for (size_t m = 0; m < least.bytes.size(); ++m) {
    int64_t once = least.bytes[m] - least.againBytes[m];
    for (const Source &source : least.sources)
      once -= source.bytes[m];
    others.push_back(share.work * double(once));
  }
  double again = share.work * double(least.againBytes[resource]),
         rate = portBytesPerCycle(problem, engine, resource);
  for (unsigned set = 0; set < 1u << least.sources.size(); ++set) {
    double moved = 0, busy = compute, streamed = 0;
    for (size_t m = 0; m < least.bytes.size(); ++m) {
      double left = others[m];
      for (size_t i = 0; i < least.sources.size(); ++i) {
        double bytes = share.sources * double(least.sources[i].bytes[m]);
        if (!(set >> i & 1))
          left += bytes;
        else if (m == resource)
          moved += bytes;
      }
      if (m == resource)
        streamed = left;
      else
        busy = std::max(busy, left / portBytesPerCycle(problem, engine, m));
    }
    // Bytes that are streamed again may belong to sources. Then they are
    // fetched, too, as far as that saves something.
    double useful =
        std::clamp(streamed + again - busy * rate, 0.0, set == 0 ? 0 : again);
    for (double more : {0.0, useful, set == 0 ? 0 : again})
      own.push_back(
          {moved + more, std::max(busy, (streamed + again - more) / rate)});
  }
}

void LimitFinder::addUnevenPoints(const EngineGroup &engine,
                                  const LeastWork &least, size_t resource,
                                  double fetchedCycles, Points &own) const {
  double rate = portBytesPerCycle(problem, engine, resource);
  double streamed =
      std::max(fetchedCycles, double(least.overheadCycles) +
                                  double(least.bytes[resource]) / rate);
  own.push_back({0, streamed});
  own.push_back({(streamed - fetchedCycles) * rate, fetchedCycles});
}

FetchCurve LimitFinder::leastCurve(const Task &task, const LeastWork &least,
                                   size_t limit, double fetchedCycles) {
  std::optional<size_t> resource = fetchLimits[limit].resource();
  // A slice may be so small that there is room for any number of them.
  if (!resource || fetchLimits[limit].isRoom() || !prefetches)
    return FetchCurve(fetchedCycles);
  bool isEven =
      !least.evenShares.empty() && least.sources.size() <= mostSources;
  FetchCurveSum sum;
  Points own;
  auto forEachEngine = [&](auto addPoints) {
    own.clear();
    for (unsigned group = 0; group < problem.engines.size(); ++group)
      if (isEligible(problem, group, task))
        addPoints(problem.engines[group]);
    sum.add(FetchCurve(own), 1);
  };
  if (!isEven) {
    forEachEngine([&](const EngineGroup &engine) {
      addUnevenPoints(engine, least, *resource, fetchedCycles, own);
    });
    return sum.take();
  }
  for (LeastWork::EvenShare share : least.evenShares)
    forEachEngine([&](const EngineGroup &engine) {
      addSharePoints(engine, least, share, *resource, own);
    });
  sum.add(FetchCurve(double(least.overheadCycles)), 1);
  FetchCurve curve = sum.take();
  curve.raiseTo(fetchedCycles);
  return curve;
}

std::optional<TaskLimits> LimitFinder::findLeast(const Task &task,
                                                 const LeastWork &least) {
  Part whole;
  whole.overheadCycles = least.overheadCycles;
  whole.computeCycles = least.computeCycles;
  std::vector<int64_t> own = least.bytes;
  // Bytes that are streamed again may belong to sources.
  bool hasSources = prefetches && !least.sources.empty();
  for (size_t m = 0; hasSources && m < own.size(); ++m) {
    own[m] -= least.againBytes[m];
    for (const Source &source : least.sources)
      own[m] -= source.bytes[m];
  }
  int64_t fetched = INT64_MAX, streamed = INT64_MAX, engines = 0;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    if (!isEligible(problem, group, task))
      continue;
    groups[group] = true;
    const EngineGroup &engine = problem.engines[group];
    engines = checkedAdd(engines, engine.count).value_or(maxCount);
    streamed = std::min(streamed, lengthOn(engine, whole, least.bytes));
    fetched = std::min(fetched, lengthOn(engine, whole, own));
  }
  if (streamed > maxCount || fetched > maxCount)
    return std::nullopt;
  TaskLimits limits;
  limits.engineCycles = fetched;
  limits.streamedCycles = double(streamed);
  engines = countTeams(problem, task, engines);
  // The engine that runs longest does its share of the work in one part or
  // more.
  limits.spanCycles =
      least.overheadCycles + ceilMulDiv(fetched - least.overheadCycles, 1, 1,
                                        std::min(engines, least.mostParts))
                                 .value_or(0);
  for (size_t m = 0; m < resources; ++m)
    limits.streams.push_back({least.bytes[m], own[m]});
  for (size_t i = 0; i < fetchLimits.size(); ++i)
    limits.fetching.push_back(leastCurve(task, least, i, double(fetched)));
  return limits;
}

static void lower(TaskLimits &limits, const TaskLimits &other) {
  auto lowerTo = [](int64_t &limit, int64_t found) {
    limit = std::min(limit, found);
  };
  lowerTo(limits.spanCycles, other.spanCycles);
  lowerTo(limits.engineCycles, other.engineCycles);
  limits.streamedCycles = std::min(limits.streamedCycles, other.streamedCycles);
  for (size_t m = 0; m < limits.streams.size(); ++m) {
    lowerTo(limits.streams[m].bytes, other.streams[m].bytes);
    lowerTo(limits.streams[m].ownBytes, other.streams[m].ownBytes);
  }
  for (size_t i = 0; i < limits.fetching.size(); ++i)
    limits.fetching[i].lower(other.fetching[i]);
}

bool LimitFinder::findChoices(const Task &task, Cuts cuts,
                              std::vector<TaskLimits> &choices) {
  choices.clear();
  groups.assign(problem.engines.size(), false);
  bool isAny = cuts == Cuts::All && !task.least.empty();
  size_t count = isAny ? task.least.size() : task.alternatives.size() + 1;
  for (size_t number = 0; number < count; ++number) {
    std::optional<TaskLimits> own =
        isAny ? findLeast(task, task.least[number]) : findChoice(task, number);
    if (!own)
      return false;
    choices.push_back(std::move(*own));
  }
  unsigned groupSet =
      numberOf.try_emplace(groups, numberOf.size()).first->second;
  groups.assign(groups.size(), false);
  for (unsigned group : task.with)
    groups[group] = true;
  unsigned withSet =
      numberOfWith.try_emplace(groups, numberOfWith.size()).first->second;
  for (TaskLimits &choice : choices) {
    choice.groupSet = groupSet;
    choice.withSet = withSet;
  }
  return true;
}

void LimitFinder::takeGroupSets(ProblemLimits &limits) const {
  auto listSets = [](const std::map<GroupSet, unsigned> &numbers) {
    std::vector<GroupSet> sets(numbers.size());
    for (const auto &[set, number] : numbers)
      sets[number] = set;
    return sets;
  };
  limits.groupSets = listSets(numberOf);
  limits.withSets = listSets(numberOfWith);
}

std::optional<ProblemLimits>
findTaskLimits(const Problem &problem,
               const std::vector<FetchLimit> &fetchLimits, Cuts cuts) {
  LimitFinder finder(problem, fetchLimits);
  ProblemLimits limits;
  limits.tasks.reserve(problem.tasks.size());
  std::vector<TaskLimits> choices;
  for (const Task &task : problem.tasks) {
    if (!finder.findChoices(task, cuts, choices))
      return std::nullopt;
    size_t number = limits.tasks.size();
    if (choices.size() == 1) {
      limits.tasks.push_back(std::move(choices.front()));
      continue;
    }
    limits.tasks.push_back(choices.front());
    for (const TaskLimits &choice : choices)
      lower(limits.tasks.back(), choice);
    if (problem.tasks.size() > mostTasksLookedAtClosely)
      continue;
    limits.choices.resize(problem.tasks.size());
    limits.choices[number] = std::move(choices);
  }
  finder.takeGroupSets(limits);
  return limits;
}

} // namespace mlir::llm::scheduling
