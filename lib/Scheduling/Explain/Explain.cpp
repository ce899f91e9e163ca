//===- Explain.cpp - What holds a schedule back ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Explain.h"
#include "Core/ChainLinks.h"
#include "Core/Occupancy.h"
#include "Core/PartNumbers.h"
#include "Core/Parts.h"
#include "Slack.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <tuple>

namespace mlir::llm::scheduling {

std::string_view stringify(Cause cause) {
  switch (cause) {
  case Cause::None:
    return "none";
  case Cause::Dependence:
    return "dependence";
  case Cause::Fetch:
    return "fetch";
  case Cause::Engine:
    return "engine";
  case Cause::Bandwidth:
    return "bandwidth";
  case Cause::Memory:
    return "memory";
  case Cause::Choice:
    return "choice";
  case Cause::LayerBoundary:
    return "layer_boundary";
  case Cause::NoWork:
    return "no_work";
  }
  return "";
}

namespace {

/// Looks at the state just before each start, in the order of time.
class CauseFinder {
public:
  CauseFinder(const Problem &problem, const Solution &solution,
              Explanation &explanation)
      : problem(problem), solution(solution), explanation(explanation),
        numbers(problem), links(problem, solution),
        occupancy(problem, solution) {}
  void run();

private:
  /// A part, or the fetch of a slice for one.
  struct Step {
    const Slot *slot;
    const PrefetchSlot *fetch; ///< null: the part
    int64_t start() const { return fetch ? fetch->start : slot->start; }
    int64_t end() const { return fetch ? fetch->end : slot->end; }
    EngineId engine() const { return fetch ? fetch->engine : slot->engine; }
  };

  void findEnds();
  std::vector<Step> listSteps() const;
  int64_t whenReady(const Step &step) const;
  Cause causeOf(const Step &step) const;
  Cause causeOfPart(const Slot &slot) const;
  Cause causeOfFetch(const Slot &slot, const PrefetchSlot &fetch) const;
  void addIdleCycles(unsigned group, int64_t upTo, Cause cause);

  const Problem &problem;
  const Solution &solution;
  Explanation &explanation;
  PartNumbers numbers;
  ChainLinks links;
  Occupancy occupancy;

  std::vector<int64_t> ends;       ///< of each task
  std::vector<int64_t> joinedEnds; ///< of parts but the joining one
  std::vector<int64_t> ready;      ///< when all its predecessors have ended
};

} // namespace

void CauseFinder::findEnds() {
  ends.assign(problem.tasks.size(), 0);
  joinedEnds = ready = ends;
  for (const Slot &slot : solution.slots) {
    ends[slot.task] = std::max(ends[slot.task], slot.end);
    if (!numbers.isLast(slot.task, slot.part))
      joinedEnds[slot.task] = std::max(joinedEnds[slot.task], slot.end);
  }
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      ready[task] = std::max(ready[task], ends[predecessor]);
}

/// Steps are sorted by start, then in the order of tasks and parts.
std::vector<CauseFinder::Step> CauseFinder::listSteps() const {
  std::vector<Step> steps;
  for (const Slot &slot : solution.slots) {
    steps.push_back({&slot, nullptr});
    for (const PrefetchSlot &fetch : slot.prefetches)
      steps.push_back({&slot, &fetch});
  }
  std::sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) {
    return std::make_tuple(a.start(), a.slot->task, a.slot->part) <
           std::make_tuple(b.start(), b.slot->task, b.slot->part);
  });
  return steps;
}

/// Returns when all that the step depends on has ended, except its own fetches.
int64_t CauseFinder::whenReady(const Step &step) const {
  unsigned task = step.slot->task;
  if (!step.fetch) {
    bool combines = problem.tasks[task].lastCombines &&
                    numbers.isLast(task, step.slot->part);
    int64_t time = std::max(ready[task], combines ? joinedEnds[task] : 0);
    const Slot *before = links.before(*step.slot);
    return before ? std::max(time, before->end) : time;
  }
  int64_t time = 0;
  const Part &part = numbers.part(task, step.slot->part);
  for (unsigned awaited : part.sources[step.fetch->source].predecessors)
    time = std::max(time, ends[awaited]);
  return time;
}

Cause CauseFinder::causeOf(const Step &step) const {
  if (step.start() == 0)
    return Cause::None;
  if (step.start() == whenReady(step))
    return Cause::Dependence;
  return step.fetch ? causeOfFetch(*step.slot, *step.fetch)
                    : causeOfPart(*step.slot);
}

Cause CauseFinder::causeOfPart(const Slot &slot) const {
  for (const PrefetchSlot &fetch : slot.prefetches)
    if (fetch.end == slot.start)
      return Cause::Fetch;
  if (slot.start == slot.end) // occupies nothing
    return Cause::Choice;

  const Task &task = problem.tasks[slot.task];
  const Part &part = numbers.part(slot.task, slot.part);
  std::optional<int64_t> mostFree;
  if (!slot.prefetches.empty()) {
    if (occupancy.isIdle(slot.engine))
      mostFree = occupancy.freeBytes(slot.engine);
  } else {
    for (unsigned group = 0; group < problem.engines.size(); ++group)
      if (canRun(problem, group, task, part))
        mostFree = std::max(mostFree, occupancy.mostFreeOnIdle(group));
  }
  bool othersAreIdle =
      std::all_of(task.with.begin(), task.with.end(), [&](unsigned group) {
        return occupancy.countIdle(group) > 0;
      });
  if (!mostFree || !othersAreIdle)
    return Cause::Engine;
  if (!occupancy.areFree(slot.lanes))
    return Cause::Bandwidth;
  return *mostFree < workingSetWith(part, slot.prefetches) ? Cause::Memory
                                                           : Cause::Choice;
}

Cause CauseFinder::causeOfFetch(const Slot &slot,
                                const PrefetchSlot &fetch) const {
  bool anyIdle = fetch.start == fetch.end; // needs no engine
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    anyIdle |= problem.engines[group].kinds.contains(EngineKind::Memory) &&
               occupancy.countIdle(group) > 0;
  if (!anyIdle)
    return Cause::Engine;
  if (!occupancy.areFree(fetch.lanes))
    return Cause::Bandwidth;
  const Part &part = numbers.part(slot.task, slot.part);
  return occupancy.freeBytes(slot.engine) <
                 part.sources[fetch.source].sliceBytes
             ? Cause::Memory
             : Cause::Choice;
}

/// Adds the cycles in which engines of the group were idle for this cause.
void CauseFinder::addIdleCycles(unsigned group, int64_t upTo, Cause cause) {
  GroupExplanation &engines = explanation.engines[group];
  engines.idleCycles[static_cast<size_t>(cause)] +=
      occupancy.takeIdleCycles(group);
  std::vector<CauseSpan> &waits = engines.waits;
  if (upTo == (waits.empty() ? 0 : waits.back().endCycle))
    return;
  if (!waits.empty() && waits.back().cause == cause)
    waits.back().endCycle = upTo;
  else
    waits.push_back({upTo, cause});
}

void CauseFinder::run() {
  findEnds();
  std::vector<bool> hasStarted(problem.tasks.size(), false);
  std::vector<Step> steps = listSteps();
  for (size_t i = 0, behind; i < steps.size(); i = behind) {
    occupancy.advanceTo(steps[i].start());
    // Entries are the first cause of what starts at this moment, by group.
    std::map<unsigned, Cause> starts;
    for (behind = i;
         behind < steps.size() && steps[behind].start() == steps[i].start();
         ++behind) {
      const Step &step = steps[behind];
      Cause cause = causeOf(step);
      if (!step.fetch && !hasStarted[step.slot->task]) {
        hasStarted[step.slot->task] = true;
        explanation.tasks[step.slot->task].heldBackBy = cause;
      }
      if (step.start() == step.end())
        continue;
      // The step waits only for the busy engine that has its slices, if it
      // needs no others.
      if (cause == Cause::Engine &&
          (step.fetch || problem.tasks[step.slot->task].with.empty()))
        cause = Cause::Choice;
      auto startOn = [&](unsigned group) {
        explanation.engines[group].busyCycles += step.end() - step.start();
        Cause &first = starts.try_emplace(group, cause).first->second;
        first = std::min(first, cause);
      };
      startOn(step.engine().group);
      if (!step.fetch)
        for (EngineId other : step.slot->with)
          startOn(other.group);
    }
    for (auto [group, cause] : starts)
      addIdleCycles(group, steps[i].start(), cause);
  }
  occupancy.advanceTo(solution.makespan);
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    addIdleCycles(group, solution.makespan, Cause::NoWork);
}

std::optional<Explanation> explain(const Problem &problem,
                                   const Solution &solution) {
  for (const EngineGroup &group : problem.engines)
    if (!checkedMul(group.count, solution.makespan))
      return std::nullopt;
  Explanation explanation;
  explanation.tasks.resize(problem.tasks.size());
  explanation.engines.resize(problem.engines.size());
  std::vector<int64_t> slacks = findSlacks(problem, solution);
  for (size_t task = 0; task < slacks.size(); ++task)
    explanation.tasks[task].slackCycles = slacks[task];
  CauseFinder(problem, solution, explanation).run();
  return explanation;
}

} // namespace mlir::llm::scheduling
