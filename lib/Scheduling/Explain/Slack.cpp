//===- Slack.cpp - How much later each task could run ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slack.h"
#include "Core/ChainLinks.h"
#include "Core/Graph.h"
#include "Core/PartNumbers.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mlir::llm::scheduling {

namespace {

/// The backward pass of the critical path method. From the last slot to the
/// first, it finds the latest start of each that leaves the makespan as it is.
class SlackFinder {
public:
  SlackFinder(const Problem &problem, const Solution &solution)
      : problem(problem), solution(solution), numbers(problem),
        links(problem, solution), successors(problem),
        latestStart(solution.slots.size(), solution.makespan),
        earliestOfParts(problem.tasks.size(), solution.makespan),
        latestForFetches(problem.tasks.size(), solution.makespan),
        latestForCombining(problem.tasks.size(), solution.makespan),
        latestEnds(problem.tasks.size()),
        slacks(problem.tasks.size(), solution.makespan) {}
  std::vector<int64_t> run();

private:
  /// A part, or the fetch of a slice for one.
  struct Step {
    size_t slot;
    const PrefetchSlot *fetch; ///< null: the part
  };

  std::vector<Step> listBackward() const;
  void visitFetch(size_t slot, const PrefetchSlot &fetch);
  void visitPart(size_t slot);
  int64_t latestEndOf(unsigned task);
  int64_t passEngines(EngineId engine, const std::vector<EngineId> &with,
                      int64_t length, int64_t latestEnd);

  const Problem &problem;
  const Solution &solution;
  PartNumbers numbers;
  ChainLinks links;
  Successors successors;

  std::vector<int64_t> latestStart;        ///< of each slot
  std::vector<int64_t> earliestOfParts;    ///< the least of these, of each task
  std::vector<int64_t> latestForFetches;   ///< by fetches behind the task
  std::vector<int64_t> latestForCombining; ///< by the part that joins others
  std::vector<std::optional<int64_t>> latestEnds; ///< of tasks, once asked for
  std::map<std::pair<unsigned, int64_t>, int64_t> nextOnEngine;
  std::vector<int64_t> slacks;
};

} // namespace

/// What waits for a step starts at its end or later. If the step has no length,
/// its end is also its start. What starts then and waits for the step is a task
/// behind it, a part behind it, or the part for which it was fetched.
std::vector<SlackFinder::Step> SlackFinder::listBackward() const {
  std::vector<unsigned> order = topologicalOrder(problem);
  std::vector<unsigned> rank(order.size());
  for (unsigned i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
  std::vector<Step> steps;
  for (size_t i = 0; i < solution.slots.size(); ++i) {
    steps.push_back({i, nullptr});
    for (const PrefetchSlot &fetch : solution.slots[i].prefetches)
      steps.push_back({i, &fetch});
  }
  auto key = [&](const Step &step) {
    const Slot &slot = solution.slots[step.slot];
    return std::make_tuple(step.fetch ? step.fetch->start : slot.start,
                           rank[slot.task], slot.part, !step.fetch,
                           step.fetch ? step.fetch->source : 0);
  };
  std::sort(steps.begin(), steps.end(),
            [&](const Step &a, const Step &b) { return key(a) > key(b); });
  return steps;
}

/// Returns the latest start of a step that ends before the steps behind it on
/// its engines start. A step without length takes no time of its engines.
int64_t SlackFinder::passEngines(EngineId engine,
                                 const std::vector<EngineId> &with,
                                 int64_t length, int64_t latestEnd) {
  if (length == 0)
    return latestEnd;
  auto nextOn = [&](EngineId on) -> int64_t & {
    return nextOnEngine.try_emplace({on.group, on.index}, solution.makespan)
        .first->second;
  };
  int64_t latest = std::min(nextOn(engine), latestEnd);
  for (EngineId other : with)
    latest = std::min(latest, nextOn(other));
  latest -= length;
  nextOn(engine) = latest;
  for (EngineId other : with)
    nextOn(other) = latest;
  return latest;
}

/// Returns when the task must end at the latest. This is final, because all
/// that waits for the task was visited before the first of its parts.
int64_t SlackFinder::latestEndOf(unsigned task) {
  std::optional<int64_t> &latest = latestEnds[task];
  if (!latest) {
    latest = latestForFetches[task];
    for (unsigned successor : successors.of(task))
      latest = std::min(*latest, earliestOfParts[successor]);
  }
  return *latest;
}

void SlackFinder::visitFetch(size_t index, const PrefetchSlot &fetch) {
  const Slot &slot = solution.slots[index];
  int64_t latest = passEngines(fetch.engine, {}, fetch.end - fetch.start,
                               latestStart[index]);
  const Source &source =
      numbers.part(slot.task, slot.part).sources[fetch.source];
  for (unsigned awaited : source.predecessors)
    latestForFetches[awaited] = std::min(latestForFetches[awaited], latest);
}

void SlackFinder::visitPart(size_t index) {
  const Slot &slot = solution.slots[index];
  bool combines = problem.tasks[slot.task].lastCombines &&
                  numbers.isLast(slot.task, slot.part);
  int64_t latestEnd = latestEndOf(slot.task);
  if (!combines)
    latestEnd = std::min(latestEnd, latestForCombining[slot.task]);
  if (const Slot *behind = links.behind(slot))
    latestEnd =
        std::min(latestEnd, latestStart[behind - solution.slots.data()]);
  int64_t latest =
      passEngines(slot.engine, slot.with, slot.end - slot.start, latestEnd);
  latestStart[index] = latest;
  if (combines)
    latestForCombining[slot.task] = latest;
  earliestOfParts[slot.task] = std::min(earliestOfParts[slot.task], latest);
  slacks[slot.task] = std::min(slacks[slot.task], latest - slot.start);
}

std::vector<int64_t> SlackFinder::run() {
  for (const Step &step : listBackward()) {
    if (step.fetch)
      visitFetch(step.slot, *step.fetch);
    else
      visitPart(step.slot);
  }
  return std::move(slacks);
}

std::vector<int64_t> findSlacks(const Problem &problem,
                                const Solution &solution) {
  return SlackFinder(problem, solution).run();
}

} // namespace mlir::llm::scheduling
