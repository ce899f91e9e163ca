//===- Queues.cpp - A schedule as what each engine does in turn -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries are visited in the order of their starts. Each collects what must
// have ended before it, which was visited earlier, and keeps only what nothing
// else implies. Vector clocks say what a wait makes certain.
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Queues.h"
#include "Core/ChainLinks.h"
#include "Core/Graph.h"
#include "Core/PartNumbers.h"
#include "Core/RangeOwners.h"
#include "QueueClocks.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mlir::llm::scheduling {

namespace {

/// An entry of a queue before it has waits.
struct Step {
  size_t slot = 0;
  std::optional<unsigned> fetch;
  /// The position in `Slot::with`, for the step of a part on an engine beside
  /// its own. Such a step comes right behind the part.
  std::optional<unsigned> with;
  int64_t start = 0, end = 0;
  unsigned rank = 0; ///< of the task, in an order of dependences
  QueuePrefix place; ///< the prefix that ends with this entry
};

/// What an entry may have to wait for.
struct Candidate {
  Wait wait;
  size_t lastStep = 0; ///< the latest awaited one that clocks do not imply
};

/// What was visited so far of the parts of a task.
struct TaskProgress {
  std::vector<QueuePrefix> prefixes; ///< of the queues that have parts of it
  int64_t parts = 0;
  QueueClock endClock; ///< empty until it is asked for
};

/// When room of a memory without addresses was given back.
struct Releases {
  using Release = std::pair<int64_t, QueuePrefix>;
  std::vector<Release> busy, instant; ///< by slots with and without length
};

class QueueMaker {
public:
  QueueMaker(const Problem &problem, const Solution &solution,
             const Addresses &addresses)
      : problem(problem), solution(solution), addresses(addresses),
        numbers(problem), links(problem, solution) {}
  std::vector<Queue> run();

private:
  void collectSteps();
  void assignQueues();
  unsigned memoryOf(EngineId engine) {
    return memoryNumbers
        .try_emplace({engine.group, engine.index}, memoryNumbers.size())
        .first->second;
  }

  void visit(size_t number);
  void awaitPredecessors(const Slot &slot);
  void awaitSource(const Slot &slot, unsigned fetch);
  void await(const Wait &wait, const std::vector<QueuePrefix> &prefixes);
  void awaitTask(unsigned task, int64_t count);
  void awaitPrefix(const QueuePrefix &prefix);
  void awaitRoom(const Step &step);
  void awaitReleases(const Step &step);
  /// Keeps those candidates that the others do not imply.
  std::vector<Wait> chooseWaits();
  bool isImplied(const Wait &wait) const;
  void merge(const Wait &wait);
  QueueClock clockOfNext(size_t first, size_t behind) const;
  void addClocks(size_t first, size_t behind, bool hasWaits);
  void noteProgress(size_t number);

  const Problem &problem;
  const Solution &solution;
  const Addresses &addresses;
  PartNumbers numbers;
  ChainLinks links;

  std::vector<Step> steps;
  std::vector<Queue> queues;
  std::vector<QueuePrefix> placeOfSlot;
  std::vector<std::vector<QueuePrefix>> placesOfFetches; ///< by slot
  std::map<std::pair<unsigned, int64_t>, unsigned> memoryNumbers;

  // These change from entry to entry.
  std::optional<QueueClocks> clocks;
  QueueClock clock; ///< what is certain when the entry at hand starts
  std::vector<std::vector<size_t>> stepsOfQueue;
  std::vector<TaskProgress> progress;           ///< by task
  std::vector<RangeOwners<QueuePrefix>> owners; ///< by memory
  std::vector<Releases> releases;               ///< by memory
  std::vector<Candidate> candidates;
};

} // namespace

//===----------------------------------------------------------------------===//
// Queues without waits
//===----------------------------------------------------------------------===//

void QueueMaker::collectSteps() {
  std::vector<unsigned> rank(problem.tasks.size());
  std::vector<unsigned> order = topologicalOrder(problem);
  for (unsigned i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
  for (size_t index = 0; index < solution.slots.size(); ++index) {
    const Slot &slot = solution.slots[index];
    for (unsigned fetch = 0; fetch < slot.prefetches.size(); ++fetch)
      steps.push_back({index,
                       fetch,
                       std::nullopt,
                       slot.prefetches[fetch].start,
                       slot.prefetches[fetch].end,
                       rank[slot.task],
                       {}});
    auto addPart = [&](std::optional<unsigned> with) {
      steps.push_back({index,
                       std::nullopt,
                       with,
                       slot.start,
                       slot.end,
                       rank[slot.task],
                       {}});
    };
    addPart(std::nullopt);
    for (unsigned with = 0; slot.start < slot.end && with < slot.with.size();
         ++with)
      addPart(with);
  }
  // Among steps that start together, those that take no time come first, and
  // follow each other in the order of dependences. A part comes behind its
  // fetches.
  auto keyOf = [&](const Step &step) {
    return std::tuple(step.start, step.end, step.rank,
                      solution.slots[step.slot].part, !step.fetch,
                      step.fetch.value_or(0), step.slot, step.with);
  };
  std::sort(steps.begin(), steps.end(),
            [&](const Step &a, const Step &b) { return keyOf(a) < keyOf(b); });
}

void QueueMaker::assignQueues() {
  // Each engine has a queue. Steps that take no time share one behind all
  // these.
  using Key = std::tuple<bool, unsigned, int64_t>;
  auto keyOf = [&](const Step &step) {
    const Slot &slot = solution.slots[step.slot];
    EngineId engine = step.fetch  ? slot.prefetches[*step.fetch].engine
                      : step.with ? slot.with[*step.with]
                                  : slot.engine;
    return step.start == step.end ? Key(true, 0, 0)
                                  : Key(false, engine.group, engine.index);
  };
  std::map<Key, unsigned> numberOf;
  for (const Step &step : steps)
    numberOf[keyOf(step)] = 0;
  for (auto &[key, number] : numberOf) {
    number = queues.size();
    auto [takesNoTime, group, index] = key;
    queues.emplace_back();
    if (!takesNoTime)
      queues.back().engine = EngineId{group, index};
  }
  placeOfSlot.resize(solution.slots.size());
  placesOfFetches.resize(solution.slots.size());
  for (Step &step : steps) {
    unsigned queue = numberOf[keyOf(step)];
    queues[queue].entries.push_back({step.slot, step.fetch, step.with, {}});
    step.place = {queue, static_cast<uint32_t>(queues[queue].entries.size())};
    if (step.with)
      continue;
    if (!step.fetch) {
      placeOfSlot[step.slot] = step.place;
      continue;
    }
    placesOfFetches[step.slot].resize(
        solution.slots[step.slot].prefetches.size());
    placesOfFetches[step.slot][*step.fetch] = step.place;
  }
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

void QueueMaker::awaitTask(unsigned task, int64_t count) {
  if (count > 0)
    await({Wait::Counter::Task, task, count}, progress[task].prefixes);
}

void QueueMaker::awaitPrefix(const QueuePrefix &prefix) {
  await({Wait::Counter::Queue, prefix.queue, prefix.count}, {prefix});
}

/// Adds a candidate, unless the entries before this one in its queue imply it.
void QueueMaker::await(const Wait &wait,
                       const std::vector<QueuePrefix> &prefixes) {
  std::optional<size_t> lastStep;
  for (const QueuePrefix &prefix : prefixes)
    if (prefix.count > clock[prefix.queue])
      lastStep = std::max(lastStep.value_or(0),
                          stepsOfQueue[prefix.queue][prefix.count - 1]);
  if (lastStep)
    candidates.push_back({wait, *lastStep});
}

void QueueMaker::awaitPredecessors(const Slot &slot) {
  const Task &task = problem.tasks[slot.task];
  for (unsigned predecessor : task.predecessors)
    awaitTask(predecessor, numbers.count(predecessor));
  if (task.lastCombines && numbers.isLast(slot.task, slot.part))
    awaitTask(slot.task, slot.part);
  if (const Slot *before = links.before(slot))
    awaitPrefix(placeOfSlot[before - solution.slots.data()]);
}

void QueueMaker::awaitSource(const Slot &slot, unsigned fetch) {
  const Part &part = numbers.part(slot.task, slot.part);
  for (unsigned awaited :
       part.sources[slot.prefetches[fetch].source].predecessors)
    awaitTask(awaited, numbers.count(awaited));
}

/// Takes the room that the step writes to, and awaits who had it before.
void QueueMaker::awaitRoom(const Step &step) {
  const Slot &slot = solution.slots[step.slot];
  const Part &part = numbers.part(slot.task, slot.part);
  const std::optional<SlotAddresses> &place = addresses.ofSlots[step.slot];
  if (!place)
    return awaitReleases(step);
  int64_t address = place->workingSet, bytes = 0;
  if (step.fetch) {
    address = place->slices[*step.fetch];
    bytes = part.sources[slot.prefetches[*step.fetch].source].sliceBytes;
  } else if (step.start < step.end) {
    bytes = workingSetWith(part, slot.prefetches);
  }
  owners[memoryOf(slot.engine)].take(
      address, address + bytes, placeOfSlot[step.slot],
      [&](const QueuePrefix &owner) { awaitPrefix(owner); });
}

/// Without addresses, the step waits for all that gave back room by its start.
void QueueMaker::awaitReleases(const Step &step) {
  const Slot &slot = solution.slots[step.slot];
  Releases &known = releases[memoryOf(slot.engine)];
  for (const auto *list : {&known.busy, &known.instant}) {
    auto later = std::partition_point(list->begin(), list->end(),
                                      [&](const Releases::Release &release) {
                                        return release.first <= step.start;
                                      });
    if (later != list->begin())
      awaitPrefix(std::prev(later)->second);
  }
  if (step.fetch)
    return;
  if (step.start < step.end)
    known.busy.push_back({step.end, step.place});
  else if (!slot.prefetches.empty())
    known.instant.push_back({step.end + 1, step.place});
}

bool QueueMaker::isImplied(const Wait &wait) const {
  if (wait.counter == Wait::Counter::Queue)
    return wait.count <= clock[wait.index];
  const std::vector<QueuePrefix> &prefixes = progress[wait.index].prefixes;
  return std::all_of(prefixes.begin(), prefixes.end(),
                     [&](const QueuePrefix &prefix) {
                       return prefix.count <= clock[prefix.queue];
                     });
}

/// Adds to `clock` what is certain once a wait is met.
void QueueMaker::merge(const Wait &wait) {
  if (wait.counter == Wait::Counter::Queue)
    return clocks->merge(
        QueuePrefix{wait.index, static_cast<uint32_t>(wait.count)}, clock);
  TaskProgress &task = progress[wait.index];
  if (task.endClock.empty()) {
    QueueClock end(clock.size(), 0);
    for (const QueuePrefix &prefix : task.prefixes)
      clocks->merge(prefix, end);
    if (task.parts < numbers.count(wait.index)) // a part that combines waits
      return clocks->merge(end, clock);
    task.endClock = std::move(end);
  }
  clocks->merge(task.endClock, clock);
}

std::vector<Wait> QueueMaker::chooseWaits() {
  // A wait for the latest entry is never implied by waits for earlier ones
  // only.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate &a, const Candidate &b) {
                     return a.lastStep > b.lastStep;
                   });
  std::vector<Wait> waits;
  for (const Candidate &candidate : candidates) {
    if (isImplied(candidate.wait))
      continue;
    waits.push_back(candidate.wait);
    merge(candidate.wait);
  }
  candidates.clear();
  std::sort(waits.begin(), waits.end(), [](const Wait &a, const Wait &b) {
    return std::tie(a.counter, a.index) < std::tie(b.counter, b.index);
  });
  return waits;
}

void QueueMaker::noteProgress(size_t number) {
  const Step &step = steps[number];
  stepsOfQueue[step.place.queue].push_back(number);
  if (step.fetch || step.with)
    return;
  TaskProgress &task = progress[solution.slots[step.slot].task];
  ++task.parts;
  auto known = std::find_if(
      task.prefixes.begin(), task.prefixes.end(),
      [&](const QueuePrefix &p) { return p.queue == step.place.queue; });
  if (known == task.prefixes.end())
    task.prefixes.push_back(step.place);
  else
    known->count = step.place.count;
}

/// Returns what is certain when these steps, which start and end together,
/// start without waits.
QueueClock QueueMaker::clockOfNext(size_t first, size_t behind) const {
  QueueClock next = clocks->ofNext(steps[first].place.queue);
  for (size_t step = first + 1; step < behind; ++step)
    QueueClocks::merge(clocks->ofNext(steps[step].place.queue), next);
  return next;
}

/// Adds the clocks of steps that start and end together: if one of them has
/// ended, all have.
void QueueMaker::addClocks(size_t first, size_t behind, bool hasWaits) {
  for (size_t step = first; step < behind; ++step) {
    QueueClock end = clock;
    for (size_t other = first; other < behind; ++other)
      if (other != step)
        ++end[steps[other].place.queue];
    clocks->add(steps[step].place.queue, end, hasWaits || behind - first > 1);
    noteProgress(step);
  }
}

/// Visits a fetch, or a part together with its steps on engines beside its own.
void QueueMaker::visit(size_t number) {
  const Step &step = steps[number];
  const Slot &slot = solution.slots[step.slot];
  size_t behind = number + 1;
  while (behind < steps.size() && steps[behind].with)
    ++behind;
  clock = clockOfNext(number, behind);
  if (step.fetch) {
    awaitSource(slot, *step.fetch);
  } else {
    awaitPredecessors(slot);
    for (const QueuePrefix &fetch : placesOfFetches[step.slot])
      awaitPrefix(fetch);
  }
  awaitRoom(step);
  std::vector<Wait> waits = chooseWaits();
  addClocks(number, behind, !waits.empty());
  queues[step.place.queue].entries[step.place.count - 1].waits =
      std::move(waits);
}

std::vector<Queue> QueueMaker::run() {
  collectSteps();
  assignQueues();
  clocks.emplace(queues.size());
  stepsOfQueue.resize(queues.size());
  progress.resize(problem.tasks.size());
  for (const Slot &slot : solution.slots)
    memoryOf(slot.engine);
  owners.resize(memoryNumbers.size());
  releases.resize(memoryNumbers.size());
  for (size_t number = 0; number < steps.size(); ++number)
    if (!steps[number].with)
      visit(number);
  return std::move(queues);
}

std::vector<Queue> makeQueues(const Problem &problem, const Solution &solution,
                              const Addresses &addresses) {
  return QueueMaker(problem, solution, addresses).run();
}

} // namespace mlir::llm::scheduling
