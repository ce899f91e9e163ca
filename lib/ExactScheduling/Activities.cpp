//===- Activities.cpp - Everything that can have a slot -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activities.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling::exact {

namespace {

/// Larger problems are not worth an attempt.
constexpr size_t mostActivities = 4096;
constexpr size_t mostWays = 1 << 16;
constexpr size_t mostSources = 6;

class Lister {
public:
  explicit Lister(const Problem &problem) : problem(problem) {}
  std::variant<Activities, std::string> run();

private:
  void findContended();
  bool addPart(unsigned task, unsigned choice, unsigned number,
               const Part &part);
  void addFetch(unsigned consumer, unsigned source);
  /// Adds all lengths of S2 and S3 on engines of the group, the shortest first.
  void addLengths(const Part &part, unsigned group, Way way,
                  std::vector<Way> &ways) const;
  std::vector<Way> waysOfPart(const Task &task, const Part &part) const;
  std::vector<Way> waysOfFetch(const Source &source) const;
  void dropDominated(std::vector<Way> &ways, const Part &part) const;

  bool isMemoryEngine(unsigned group) const {
    return problem.engines[group].kinds.contains(EngineKind::Memory);
  }

  const Problem &problem;
  Activities activities;
  size_t ways = 0;
};

} // namespace

/// Makes the part without the sources of the set.
static Part without(const Part &part, unsigned fetched) {
  Part rest = part;
  for (size_t source = 0; source < part.sources.size(); ++source)
    for (size_t m = 0; fetched >> source & 1 && m < rest.bytes.size(); ++m)
      rest.bytes[m] -= part.sources[source].bytes[m];
  return rest;
}

static bool takesTime(const Part &part) {
  return part.overheadCycles + part.serialCycles + part.computeCycles > 0 ||
         std::any_of(part.bytes.begin(), part.bytes.end(),
                     [](int64_t bytes) { return bytes > 0; });
}

static int64_t sliceBytes(const Part &part, unsigned fetched) {
  int64_t bytes = 0;
  for (size_t source = 0; source < part.sources.size(); ++source)
    if (fetched >> source & 1)
      bytes = std::min(bytes + part.sources[source].sliceBytes, INT64_MAX / 4);
  return bytes;
}

/// Returns the private memory that the part needs beside slices.
static int64_t needOf(const Part &part, unsigned fetched) {
  int64_t bytes = part.workingSetBytes;
  for (size_t source = 0; source < part.sources.size(); ++source)
    if (fetched >> source & 1)
      bytes -= part.sources[source].stagingBytes;
  return std::max<int64_t>(bytes, 0);
}

std::variant<Activities, std::string> Lister::run() {
  findContended();
  for (unsigned t = 0; t < problem.tasks.size(); ++t) {
    const Task &task = problem.tasks[t];
    if (!task.with.empty())
      return "the parts of task '" + task.name +
             "' hold engines of several groups at once, which the exact search "
             "does not know";
    for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice) {
      const std::vector<Part> &parts = task.partsOf(choice);
      unsigned number = 0;
      for (const Part &part : parts) {
        if (part.sources.size() > mostSources)
          return "part " + std::to_string(number) + " of task '" + task.name +
                 "' has " + std::to_string(part.sources.size()) +
                 " sources; sets of at most " + std::to_string(mostSources) +
                 " are searched";
        for (int64_t same = 0; same < part.count; ++same, ++number)
          if (!addPart(t, choice, number, part))
            return "it has more than " + std::to_string(mostActivities) +
                   " parts and fetches, or more than " +
                   std::to_string(mostWays) + " ways to run them";
      }
    }
  }
  return std::move(activities);
}

void Lister::findContended() {
  for (unsigned m = 0; m < problem.resources.size(); ++m) {
    std::optional<int64_t> wanted = 0;
    for (const EngineGroup &engine : problem.engines) {
      std::optional<int64_t> lanes =
          checkedMul(engine.count, engine.portLanes[m]);
      wanted = wanted && lanes ? checkedAdd(*wanted, *lanes) : std::nullopt;
    }
    if (!wanted || *wanted > problem.resources[m].lanes)
      activities.contended.push_back(m);
  }
}

bool Lister::addPart(unsigned task, unsigned choice, unsigned number,
                     const Part &part) {
  unsigned index = activities.all.size();
  Activity activity;
  activity.task = task;
  activity.choice = choice;
  activity.number = number;
  activity.part = &part;
  activity.isOptional = !problem.tasks[task].alternatives.empty();
  const Activity *before = nullptr;
  for (auto each = activities.all.rbegin();
       each != activities.all.rend() && !before; ++each)
    if (!each->isFetch())
      before = &*each;
  if (before && before->part == &part) {
    if (!problem.tasks[task].chainsOf(choice).areThere())
      activity.twin = before - activities.all.data();
    activity.ways = before->ways;
  } else {
    activity.ways = waysOfPart(problem.tasks[task], part);
  }
  ways += activity.ways.size();
  unsigned everFetched = 0;
  for (const Way &way : activity.ways)
    everFetched |= way.fetched;
  activities.all.push_back(std::move(activity));
  for (unsigned source = 0; source < part.sources.size(); ++source)
    if (everFetched >> source & 1)
      addFetch(index, source);
  return activities.all.size() <= mostActivities && ways <= mostWays;
}

void Lister::addFetch(unsigned consumer, unsigned source) {
  Activity fetch = activities.all[consumer];
  activities.all[consumer].fetches.push_back(activities.all.size());
  fetch.consumer = consumer;
  fetch.source = source;
  fetch.fetches.clear();
  fetch.twin.reset();
  fetch.ways = waysOfFetch(fetch.part->sources[source]);
  fetch.isOptional = true;
  ways += fetch.ways.size();
  activities.all.push_back(std::move(fetch));
}

void Lister::addLengths(const Part &part, unsigned group, Way way,
                        std::vector<Way> &found) const {
  std::vector<int64_t> available;
  for (const Resource &resource : problem.resources)
    available.push_back(resource.lanes);
  const EngineGroup &engine = problem.engines[group];
  std::optional<LaneChoice> choice =
      chooseLanes(problem, part, engine, available);
  way.group = group;
  while (choice && found.size() <= mostWays) {
    way.length = choice->length;
    way.lanes = choice->lanes;
    found.push_back(way);
    // A longer length holds fewer lanes of some resource. So the next length is
    // the least that results from taking one lane away.
    std::optional<LaneChoice> next;
    for (unsigned m : activities.contended) {
      if (choice->lanes[m] < 2)
        continue;
      available = way.lanes;
      --available[m];
      std::optional<LaneChoice> longer =
          chooseLanes(problem, part, engine, available);
      if (longer && (!next || longer->length < next->length))
        next = std::move(longer);
    }
    choice = std::move(next);
  }
}

std::vector<Way> Lister::waysOfPart(const Task &task, const Part &part) const {
  bool fetches = false;
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    fetches |= isMemoryEngine(group);
  unsigned sets = fetches ? 1u << part.sources.size() : 1;
  std::vector<Way> found;
  for (unsigned group = 0; group < problem.engines.size(); ++group) {
    const EngineGroup &engine = problem.engines[group];
    if (task.group.value_or(group) != group ||
        !engine.kinds.containsAll(task.kinds))
      continue;
    for (unsigned fetched = 0; fetched < sets; ++fetched) {
      Part rest = without(part, fetched);
      Way way;
      way.fetched = fetched;
      // A part that takes no time holds nothing but its slices.
      way.workingSetBytes = takesTime(rest) ? needOf(part, fetched) : 0;
      if (way.workingSetBytes + sliceBytes(part, fetched) <=
          engine.privateBytes)
        addLengths(rest, group, way, found);
    }
  }
  dropDominated(found, part);
  return found;
}

std::vector<Way> Lister::waysOfFetch(const Source &source) const {
  Part streamed;
  streamed.bytes = source.bytes;
  std::vector<Way> found;
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    if (isMemoryEngine(group))
      addLengths(streamed, group, {}, found);
  return found;
}

/// Drops ways with a fetch that is of no use, because it neither shortens the
/// part, nor frees lanes or private memory.
void Lister::dropDominated(std::vector<Way> &ways, const Part &part) const {
  auto isNoWorse = [&](const Way &fewer, const Way &way) {
    if (fewer.group != way.group || fewer.fetched == way.fetched ||
        (fewer.fetched & ~way.fetched) != 0 || fewer.length > way.length ||
        fewer.workingSetBytes + sliceBytes(part, fewer.fetched) >
            way.workingSetBytes + sliceBytes(part, way.fetched))
      return false;
    for (unsigned m : activities.contended)
      if (fewer.lanes[m] > way.lanes[m])
        return false;
    return true;
  };
  std::vector<Way> kept;
  for (const Way &way : ways)
    if (std::none_of(ways.begin(), ways.end(),
                     [&](const Way &fewer) { return isNoWorse(fewer, way); }))
      kept.push_back(way);
  ways = std::move(kept);
}

std::variant<Activities, std::string> listActivities(const Problem &problem) {
  return Lister(problem).run();
}

} // namespace mlir::llm::scheduling::exact
