//===- Verify.cpp - The judge of schedules --------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainLinks.h"
#include "Names.h"
#include "PartNumbers.h"
#include "Parts.h"
#include "SlotRules.h"
#include "Sweep.h"

#include <algorithm>
#include <tuple>

namespace mlir::llm::scheduling {

namespace {

class Verifier {
public:
  Verifier(const Problem &problem, const Solution &solution, size_t limit)
      : problem(problem), numbers(problem), solution(solution), limit(limit) {}
  std::vector<Violation> run();

private:
  // These check slot by slot. A slot of a part, an engine or a time that does
  // not exist is reported and left out of what follows.
  bool checkExists(size_t index);
  void checkSlot(const Slot &slot);
  void checkFetch(const Slot &slot, const PrefetchSlot &fetch);
  void checkFetches(const Slot &slot, Demand &left);
  bool checkOne(const AnySlot &own, const Demand &demand, EngineKindSet kinds);
  void checkWith(const AnySlot &own, const std::vector<EngineId> &with,
                 bool timesExist);

  // These check all slots together.
  void checkComplete();
  std::vector<const Slot *> findLastSlots() const;
  void checkDependences();
  void checkFetchDependences();
  void checkCombining();
  void checkChains();
  void checkOverlaps();
  void checkLanesHeld();
  void checkPrivateMemory();
  void checkMakespan();

  void report(const char *rule, unsigned task, std::string message) {
    if (!isFull())
      violations.push_back({rule, task, std::move(message)});
  }
  bool isFull() const { return violations.size() >= limit; }

  const Problem &problem;
  PartNumbers numbers;
  const Solution &solution;
  size_t limit;
  std::vector<Violation> violations;

  std::vector<const Slot *> slots;
  std::vector<AnySlot> all;
  std::vector<AnySlot> beside; ///< on the other engines that a part holds
  Sweep lanesHeld;             ///< owners are indices of `all`
  Sweep bytesHeld;             ///< owners are indices of `slots`
};

} // namespace

std::vector<Violation> Verifier::run() {
  for (size_t i = 0; i < solution.slots.size() && !isFull(); ++i)
    if (checkExists(i))
      checkSlot(solution.slots[i]);
  checkComplete();
  checkDependences();
  checkFetchDependences();
  checkCombining();
  checkChains();
  checkOverlaps();
  checkLanesHeld();
  checkPrivateMemory();
  checkMakespan();
  return std::move(violations);
}

//===----------------------------------------------------------------------===//
// Slot by slot: S1 in part, S2, S3, S4 in part, S8
//===----------------------------------------------------------------------===//

bool Verifier::checkExists(size_t index) {
  const Slot &slot = solution.slots[index];
  auto reportRange = [&](const std::string &of, unsigned found, int64_t count) {
    report("S1", slot.task,
           "slot " + std::to_string(index) + " is of " + of + " " +
               std::to_string(found) + ", expected below " +
               std::to_string(count));
    return false;
  };
  if (slot.task >= problem.tasks.size())
    return reportRange("task", slot.task, problem.tasks.size());
  int64_t parts = numbers.count(slot.task);
  if (slot.part >= parts)
    return reportRange(nameOfTask(problem, slot.task) + ", part", slot.part,
                       parts);
  slots.push_back(&slot);
  return true;
}

void Verifier::checkSlot(const Slot &slot) {
  const Task &task = problem.tasks[slot.task];
  const Part &part = numbers.part(slot.task, slot.part);
  // In a sound problem this sum fits.
  Demand demand{part.bytes, part.overheadCycles + part.serialCycles,
                part.computeCycles};
  checkFetches(slot, demand);
  AnySlot own{slot.task,   slot.part,  &part,    nullptr,
              slot.engine, slot.start, slot.end, &slot.lanes};
  bool timesExist = checkOne(own, demand, ownKinds(problem, task));
  checkWith(own, slot.with, timesExist);
  if (!exists(problem, slot.engine))
    return;
  if (task.group.value_or(slot.engine.group) != slot.engine.group)
    report("S4", slot.task,
           nameOfSlot(problem, own) + " is on " +
               nameOfEngine(problem, slot.engine) +
               ", but its cycles are those of '" +
               problem.engines[*task.group].name + "'");
  if (timesExist)
    bytesHeld.hold({slot.engine.group, slot.engine.index}, slot.start, slot.end,
                   workingSetWith(part, slot.prefetches), slots.size() - 1);
}

/// Subtracts the bytes that were fetched from what is `left` to stream.
void Verifier::checkFetches(const Slot &slot, Demand &left) {
  const Part &part = numbers.part(slot.task, slot.part);
  std::vector<unsigned> fetched;
  for (const PrefetchSlot &fetch : slot.prefetches) {
    if (fetch.source < part.sources.size()) {
      fetched.push_back(fetch.source);
      checkFetch(slot, fetch);
    } else {
      report("S8", slot.task,
             nameOfPart(problem, slot.task, slot.part) + " fetches source " +
                 std::to_string(fetch.source) + ", expected below " +
                 std::to_string(part.sources.size()));
    }
  }
  std::sort(fetched.begin(), fetched.end());
  auto last = std::unique(fetched.begin(), fetched.end());
  if (last != fetched.end())
    report("S8", slot.task,
           nameOfPart(problem, slot.task, slot.part) +
               " fetches a source more than once");
  for (auto source = fetched.begin(); source != last; ++source)
    for (size_t m = 0; m < left.bytes.size(); ++m)
      left.bytes[m] -= part.sources[*source].bytes[m];
}

void Verifier::checkFetch(const Slot &slot, const PrefetchSlot &fetch) {
  const Part &part = numbers.part(slot.task, slot.part);
  const Source &source = part.sources[fetch.source];
  AnySlot own{slot.task,    slot.part,   &part,     &fetch,
              fetch.engine, fetch.start, fetch.end, &fetch.lanes};
  if (!checkOne(own, {source.bytes, 0, 0}, EngineKind::Memory))
    return;
  if (fetch.end > slot.start)
    report("S8", slot.task,
           nameOfSlot(problem, own) + " ends at cycle " +
               std::to_string(fetch.end) +
               ", expected by the start of the part at cycle " +
               std::to_string(slot.start));
  else if (exists(problem, slot.engine) && fetch.start <= slot.end)
    bytesHeld.hold({slot.engine.group, slot.engine.index}, fetch.start,
                   slot.end, source.sliceBytes, slots.size() - 1);
}

/// Returns false if the times of the slot are not valid.
bool Verifier::checkOne(const AnySlot &own, const Demand &demand,
                        EngineKindSet kinds) {
  SlotVerdict verdict = checkAlone(problem, own, demand, kinds,
                                   [&](const char *rule, std::string message) {
                                     report(rule, own.task, std::move(message));
                                   });
  if (!verdict.engineExists || !verdict.timesExist)
    return verdict.timesExist;

  all.push_back(own);
  if (own.lanes->size() == problem.resources.size())
    for (unsigned m = 0; m < own.lanes->size(); ++m)
      lanesHeld.hold({m, 0}, own.start, own.end,
                     std::max<int64_t>((*own.lanes)[m], 0), all.size() - 1);
  return true;
}

/// Checks S4: the part holds one engine of each group beside its own.
void Verifier::checkWith(const AnySlot &own, const std::vector<EngineId> &with,
                         bool timesExist) {
  const std::vector<unsigned> &groups = problem.tasks[own.task].with;
  if (with.size() != groups.size())
    return report("S4", own.task,
                  nameOfSlot(problem, own) + " holds " +
                      std::to_string(with.size()) +
                      " engines beside its own, expected " +
                      std::to_string(groups.size()));
  for (size_t i = 0; i < with.size(); ++i) {
    if (with[i].group != groups[i] || !exists(problem, with[i]))
      report("S4", own.task,
             nameOfSlot(problem, own) + " holds " +
                 nameOfEngine(problem, with[i]) +
                 " beside its own engine, expected one of the " +
                 std::to_string(problem.engines[groups[i]].count) + " of '" +
                 problem.engines[groups[i]].name + "'");
    else if (timesExist)
      beside.push_back({own.task, own.part, own.shape, own.fetch, with[i],
                        own.start, own.end, own.lanes});
  }
}

//===----------------------------------------------------------------------===//
// All slots together: S1, S4, S5, S6, S7, S9
//===----------------------------------------------------------------------===//

void Verifier::checkComplete() {
  // Slots by part; those of a task that should have one are next to each other.
  std::vector<std::vector<unsigned>> found(problem.tasks.size());
  for (const Slot *slot : slots)
    found[slot->task].push_back(slot->part);
  for (unsigned task = 0; task < found.size() && !isFull(); ++task) {
    std::sort(found[task].begin(), found[task].end());
    auto next = found[task].begin();
    for (int64_t part = 0; part < numbers.count(task) && !isFull(); ++part) {
      auto behind = std::upper_bound(next, found[task].end(), part);
      if (behind - next != 1)
        report("S1", task,
               nameOfPart(problem, task, part) + " has " +
                   std::to_string(behind - next) + " slots, expected 1");
      next = behind;
    }
  }
}

/// The slot of each task that ends last; null if the task has none.
std::vector<const Slot *> Verifier::findLastSlots() const {
  std::vector<const Slot *> last(problem.tasks.size(), nullptr);
  for (const Slot *slot : slots)
    if (!last[slot->task] || slot->end > last[slot->task]->end)
      last[slot->task] = slot;
  return last;
}

void Verifier::checkDependences() {
  // The first start and the last end stand for all parts of a task.
  std::vector<const Slot *> first(problem.tasks.size(), nullptr);
  std::vector<const Slot *> last = findLastSlots();
  for (const Slot *slot : slots)
    if (!first[slot->task] || slot->start < first[slot->task]->start)
      first[slot->task] = slot;
  for (unsigned task = 0; task < problem.tasks.size(); ++task)
    for (unsigned predecessor : problem.tasks[task].predecessors)
      if (first[task] && last[predecessor] &&
          first[task]->start < last[predecessor]->end)
        report("S5", task,
               nameOfPart(problem, task, first[task]->part) +
                   " starts at cycle " + std::to_string(first[task]->start) +
                   ", expected not before the end of " +
                   nameOfPart(problem, predecessor, last[predecessor]->part) +
                   " at cycle " + std::to_string(last[predecessor]->end));
}

void Verifier::checkFetchDependences() {
  std::vector<const Slot *> last = findLastSlots();
  for (const AnySlot &own : all) {
    if (!own.fetch)
      continue;
    for (unsigned task : own.shape->sources[own.fetch->source].predecessors)
      if (last[task] && own.start < last[task]->end)
        report("S8", own.task,
               nameOfSlot(problem, own) + " starts at cycle " +
                   std::to_string(own.start) +
                   ", expected not before the end of " +
                   nameOfPart(problem, task, last[task]->part) +
                   ", which writes or selects what it fetches, at cycle " +
                   std::to_string(last[task]->end));
  }
}

/// A part that joins the results of the others starts when they have ended.
void Verifier::checkCombining() {
  std::vector<const Slot *> last(problem.tasks.size(), nullptr);
  auto combines = [&](const Slot *slot) {
    const Task &task = problem.tasks[slot->task];
    return task.lastCombines && numbers.isLast(slot->task, slot->part);
  };
  for (const Slot *slot : slots)
    if (!combines(slot) &&
        (!last[slot->task] || slot->end > last[slot->task]->end))
      last[slot->task] = slot;
  for (const Slot *slot : slots) {
    const Slot *before = last[slot->task];
    if (combines(slot) && before && slot->start < before->end)
      report("S5", slot->task,
             nameOfPart(problem, slot->task, slot->part) +
                 " joins the results of the others and starts at cycle " +
                 std::to_string(slot->start) +
                 ", expected not before the end of " +
                 nameOfPart(problem, before->task, before->part) +
                 " at cycle " + std::to_string(before->end));
  }
}

/// Parts of a chain start one behind the other.
void Verifier::checkChains() {
  ChainLinks links(problem);
  for (const Slot *slot : slots)
    links.add(*slot);
  for (const Slot *slot : slots) {
    const Slot *before = links.before(*slot);
    if (before && slot->start < before->end)
      report("S5", slot->task,
             nameOfPart(problem, slot->task, slot->part) +
                 " comes behind another one in a chain and starts at cycle " +
                 std::to_string(slot->start) +
                 ", expected not before the end of " +
                 nameOfPart(problem, slot->task, before->part) + " at cycle " +
                 std::to_string(before->end));
  }
}

void Verifier::checkOverlaps() {
  std::vector<const AnySlot *> order;
  for (const std::vector<AnySlot> *slots : {&all, &beside})
    for (const AnySlot &own : *slots)
      if (own.start < own.end)
        order.push_back(&own);
  auto key = [](const AnySlot *own) {
    return std::make_tuple(own->engine.group, own->engine.index, own->start,
                           own->end, own->task, own->part);
  };
  std::sort(
      order.begin(), order.end(),
      [&](const AnySlot *a, const AnySlot *b) { return key(a) < key(b); });

  const AnySlot *busy = nullptr; // the one that ends last so far
  for (const AnySlot *own : order) {
    if (busy && busy->engine == own->engine && own->start < busy->end)
      report("S4", own->task,
             nameOfSlot(problem, *own) + " starts on " +
                 nameOfEngine(problem, own->engine) + " at cycle " +
                 std::to_string(own->start) +
                 ", expected not before the end of " +
                 nameOfSlot(problem, *busy) + " at cycle " +
                 std::to_string(busy->end));
    if (!busy || !(busy->engine == own->engine) || own->end > busy->end)
      busy = own;
  }
}

void Verifier::checkLanesHeld() {
  lanesHeld.findExcesses(
      [&](Sweep::Pool pool) { return problem.resources[pool.first].lanes; },
      [&](const Sweep::Excess &excess) {
        const Resource &resource = problem.resources[excess.pool.first];
        const AnySlot &own = all[excess.owner];
        report("S6", own.task,
               "from cycle " + std::to_string(excess.time) + " on, when " +
                   nameOfSlot(problem, own) + " starts, " +
                   std::to_string(excess.held) + " lanes of '" + resource.name +
                   "' are held, expected at most " +
                   std::to_string(resource.lanes));
      });
}

void Verifier::checkPrivateMemory() {
  bytesHeld.findExcesses(
      [&](Sweep::Pool pool) {
        return problem.engines[pool.first].privateBytes;
      },
      [&](const Sweep::Excess &excess) {
        const Slot &slot = *slots[excess.owner];
        report("S7", slot.task,
               "from cycle " + std::to_string(excess.time) + " on, with " +
                   nameOfPart(problem, slot.task, slot.part) + ", " +
                   std::to_string(excess.held) + " private bytes of " +
                   nameOfEngine(problem, slot.engine) +
                   " are held, expected at most " +
                   std::to_string(
                       problem.engines[slot.engine.group].privateBytes));
      });
}

void Verifier::checkMakespan() {
  unsigned task = 0;
  int64_t last = 0;
  for (const Slot *slot : slots) {
    if (slot->end <= last)
      continue;
    last = slot->end;
    task = slot->task;
  }
  if (solution.makespan != last)
    report("S9", task,
           "the makespan is " + std::to_string(solution.makespan) +
               " cycles, expected " + std::to_string(last) +
               ", the end of the last slot");
}

static std::vector<Violation> checkChoices(const Problem &problem,
                                           const Solution &solution) {
  if (solution.choices.size() != problem.tasks.size())
    return {{"S1", 0,
             "choices are " + std::to_string(solution.choices.size()) +
                 ", expected " + std::to_string(problem.tasks.size()) +
                 ", one for each task"}};
  for (unsigned task = 0; task < problem.tasks.size(); ++task) {
    size_t alternatives = problem.tasks[task].alternatives.size();
    if (solution.choices[task] > alternatives)
      return {{"S1", task,
               nameOfTask(problem, task) + " takes alternative " +
                   std::to_string(solution.choices[task]) +
                   ", expected at most " + std::to_string(alternatives)}};
  }
  return {};
}

std::vector<Violation> verify(const Problem &problem, const Solution &solution,
                              size_t limit) {
  std::vector<std::string> unsound = problem.check();
  if (!unsound.empty())
    return {{"S0", 0, "the problem is not sound: " + unsound.front()}};
  limit = std::max<size_t>(limit, 1);
  if (solution.choices.empty())
    return Verifier(problem, solution, limit).run();
  std::vector<Violation> unknown = checkChoices(problem, solution);
  if (!unknown.empty())
    return unknown;
  Problem resolved = resolve(problem, solution);
  return Verifier(resolved, solution, limit).run();
}

} // namespace mlir::llm::scheduling
