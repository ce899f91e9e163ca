//===- List.cpp - List scheduling -----------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Lanes.h"
#include "Machine.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Solvers.h"
#include "llm/Support/Units.h"

#include <algorithm>
#include <map>

namespace mlir::llm::scheduling {

namespace {

/// What every run of the list scheduler shares.
struct Plan {
  PartTable table;
  std::vector<std::vector<unsigned>> successors;
  std::vector<int64_t>
      rank; ///< of each part: its longest way to the end of all
  /// Parts that can run on the same groups wait in one queue, so that those
  /// that wait for a busy kind of engine hide no others.
  std::vector<unsigned> queueOfPart;
  std::vector<std::vector<unsigned>> groupsOfQueue;
};

/// How a part starts when the machine is busy.
enum class Manner {
  Patient, ///< only at its shortest, and only where it ends first
  Eager, ///< with what is left, unless the next release of lanes ends it sooner
};

/// A part that may start: highest rank first, then program order.
struct Ready {
  int64_t rank;
  size_t part;
  bool operator<(const Ready &other) const {
    return rank != other.rank ? rank > other.rank : part < other.part;
  }
};

struct ReadyQueue {
  std::set<Ready> parts;
  std::set<Ready>::iterator next; ///< where the scan of this event stands
  unsigned refused = 0;           ///< parts that it could not start
};

struct Choice {
  unsigned group;
  LaneChoice mode;
};

/// One run over the problem, event by event.
class ListRun {
public:
  ListRun(const Problem &problem, const Plan &plan, Manner manner,
          unsigned halvings);
  std::optional<Solution> run();

private:
  /// Queues the parts of tasks whose predecessors have ended.
  void release(std::vector<unsigned> tasks);
  /// Adds the tasks that can now start to `released`.
  void endPart(unsigned task, std::vector<unsigned> &released);
  void start(size_t part, unsigned group, const LaneChoice &mode);
  void startWhatFits();
  ReadyQueue *firstCandidate();
  std::optional<Choice> choosePatiently(const PartModes &part) const;
  std::optional<Choice> chooseEagerly(const PartModes &part) const;

  /// Parts of one queue that an event looks at in vain before it gives up: this
  /// keeps a run near linear however many parts wait for lanes.
  static constexpr unsigned scanDepth = 8;

  const Problem &problem;
  const Plan &plan;
  Manner manner;
  Machine machine;
  std::vector<ReadyQueue> queues;
  std::vector<size_t> tasksAhead; ///< of each task: predecessors that still run
  std::vector<size_t> partsLeft;  ///< of each task: parts that have not ended
  bool overflow = false;
};

} // namespace

ListRun::ListRun(const Problem &problem, const Plan &plan, Manner manner,
                 unsigned halvings)
    : problem(problem), plan(plan), manner(manner),
      machine(problem, plan.table, halvings),
      queues(plan.groupsOfQueue.size()) {
  for (const Task &task : problem.tasks) {
    tasksAhead.push_back(task.predecessors.size());
    partsLeft.push_back(task.parts.size());
  }
}

std::optional<Solution> ListRun::run() {
  std::vector<unsigned> released;
  for (unsigned task = 0; task < tasksAhead.size(); ++task)
    if (tasksAhead[task] == 0)
      released.push_back(task);
  while (true) {
    release(std::move(released));
    startWhatFits();
    if (overflow)
      return std::nullopt;
    std::optional<int64_t> next = machine.nextEnd();
    if (!next)
      return machine.takeSolution();
    released.clear();
    for (size_t part : machine.advanceTo(*next))
      endPart(plan.table.parts[part].task, released);
  }
}

void ListRun::release(std::vector<unsigned> tasks) {
  while (!tasks.empty()) {
    unsigned task = tasks.back();
    tasks.pop_back();
    size_t end = plan.table.first[task + 1];
    for (size_t part = plan.table.first[task]; part < end; ++part) {
      const Mode &mode = plan.table.parts[part].modes.front();
      if (mode.choice.length > 0) {
        queues[plan.queueOfPart[part]].parts.insert({plan.rank[part], part});
        continue;
      }
      // Nothing to do, on any engine: over as soon as it may start.
      start(part, mode.group, mode.choice);
      endPart(task, tasks);
    }
  }
}

void ListRun::endPart(unsigned task, std::vector<unsigned> &released) {
  if (--partsLeft[task] > 0)
    return;
  for (unsigned successor : plan.successors[task])
    if (--tasksAhead[successor] == 0)
      released.push_back(successor);
}

void ListRun::start(size_t part, unsigned group, const LaneChoice &mode) {
  overflow |= !machine.start(part, group, mode);
}

void ListRun::startWhatFits() {
  for (ReadyQueue &queue : queues) {
    queue.next = queue.parts.begin();
    queue.refused = 0;
  }
  while (ReadyQueue *queue = firstCandidate()) {
    size_t part = queue->next->part;
    const PartModes &modes = plan.table.parts[part];
    std::optional<Choice> choice = manner == Manner::Patient
                                       ? choosePatiently(modes)
                                       : chooseEagerly(modes);
    if (choice) {
      start(part, choice->group, choice->mode);
      queue->next = queue->parts.erase(queue->next);
    } else {
      ++queue->next;
      ++queue->refused;
    }
  }
}

ReadyQueue *ListRun::firstCandidate() {
  ReadyQueue *first = nullptr;
  for (size_t i = 0; i < queues.size(); ++i) {
    ReadyQueue &queue = queues[i];
    if (queue.next == queue.parts.end() || queue.refused == scanDepth)
      continue;
    const std::vector<unsigned> &groups = plan.groupsOfQueue[i];
    if (std::none_of(groups.begin(), groups.end(),
                     [&](unsigned group) { return machine.isIdle(group); }))
      continue;
    if (!first || *queue.next < *first->next)
      first = &queue;
  }
  return first;
}

std::optional<Choice> ListRun::choosePatiently(const PartModes &part) const {
  const Mode *best = nullptr;
  int64_t bestEnd = 0;
  for (const Mode &mode : part.modes) {
    std::optional<int64_t> end =
        checkedAdd(machine.nextIdle(mode.group), mode.choice.length);
    if (end && (!best || *end < bestEnd)) {
      best = &mode;
      bestEnd = *end;
    }
  }
  if (!best || !machine.isIdle(best->group) ||
      !fits(best->choice.lanes, machine.freeLanes()))
    return std::nullopt;
  return Choice{best->group, best->choice};
}

std::optional<Choice> ListRun::chooseEagerly(const PartModes &part) const {
  const Part &numbers = problem.tasks[part.task].parts[part.part];
  auto modeWith = [&](const Mode &mode, const std::vector<int64_t> &free) {
    if (fits(mode.choice.lanes, free))
      return std::optional<LaneChoice>(mode.choice);
    return chooseLanes(problem, numbers, problem.engines[mode.group], free);
  };

  const Mode *best = nullptr;
  LaneChoice now;
  for (const Mode &mode : part.modes) {
    if (!machine.isIdle(mode.group))
      continue;
    std::optional<LaneChoice> choice = modeWith(mode, machine.freeLanes());
    if (choice && (!best || choice->length < now.length)) {
      best = &mode;
      now = std::move(*choice);
    }
  }
  if (!best)
    return std::nullopt;
  if (now.length > best->choice.length) {
    std::optional<Machine::Relief> relief =
        machine.nextRelief(best->choice.lanes);
    std::optional<LaneChoice> later =
        relief ? modeWith(*best, relief->free) : std::nullopt;
    if (later && relief->time - machine.now() < now.length - later->length)
      return std::nullopt;
  }
  return Choice{best->group, std::move(now)};
}

static std::optional<Plan> makePlan(const Problem &problem) {
  std::optional<PartTable> table = listParts(problem);
  if (!table || topologicalOrder(problem).size() != problem.tasks.size())
    return std::nullopt;

  std::vector<int64_t> taskCycles(problem.tasks.size(), 0);
  for (const PartModes &part : table->parts)
    taskCycles[part.task] = std::max(taskCycles[part.task], part.shortest());
  std::optional<std::vector<int64_t>> behind =
      longestWayBehind(problem, taskCycles);
  if (!behind)
    return std::nullopt;

  Plan plan;
  std::map<std::vector<unsigned>, unsigned> queues;
  for (const PartModes &part : table->parts) {
    plan.rank.push_back(part.shortest() + (*behind)[part.task]);
    std::vector<unsigned> groups;
    for (const Mode &mode : part.modes)
      groups.push_back(mode.group);
    auto [queue, isNew] = queues.insert({groups, queues.size()});
    if (isNew)
      plan.groupsOfQueue.push_back(groups);
    plan.queueOfPart.push_back(queue->second);
  }
  plan.successors = successorsOf(problem);
  plan.table = std::move(*table);
  return plan;
}

std::optional<Solution> scheduleList(const Problem &problem) {
  std::optional<Plan> plan = makePlan(problem);
  std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
  if (!plan || !bounds)
    return std::nullopt;
  int64_t bound = 0;
  for (const Bound &each : *bounds)
    bound = std::max(bound, each.cycles);

  std::optional<Solution> best;
  auto keep = [&](std::optional<Solution> solution) {
    if (solution && (!best || solution->makespan < best->makespan))
      best = std::move(solution);
  };
  // More engines can mean a longer schedule (Graham), hence the halvings; large
  // problems try fewer of them.
  constexpr size_t effort = 200'000;
  const PartTable &table = plan->table;
  unsigned mostHalvings = Machine::mostHalvings(problem, table);
  size_t placed = 0;
  for (unsigned halvings = 0; halvings <= mostHalvings; ++halvings) {
    for (Manner manner : {Manner::Patient, Manner::Eager}) {
      keep(ListRun(problem, *plan, manner, halvings).run());
      if (best && best->makespan == bound)
        return best; // nothing is shorter
      placed += table.parts.size();
    }
    if (placed >= effort)
      break;
  }
  keep(scheduleEarliest(problem));
  return best;
}

} // namespace mlir::llm::scheduling
