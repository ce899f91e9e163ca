//===- ListRun.cpp - One run of the list scheduler ------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListRun.h"
#include "Core/Lanes.h"
#include "llm/Support/Units.h"

#include <algorithm>

namespace mlir::llm::scheduling {

ListRun::ListRun(const Problem &problem, const Plan &plan,
                 const ListOptions &options, std::optional<int64_t> limit,
                 Solution spare)
    : problem(problem), plan(plan), options(options), lanes(allLanes(problem)),
      machine(problem, plan.table, options.halvings, std::move(spare)),
      queues(plan.queues.size(), ReadyQueue(plan.order.size())),
      tasksAhead(plan.successors.countPredecessors()),
      chosen(lanes.size()), running(tasksAhead.size()), mostAtOnce(tasksAhead.size()),
      limitsParts(
          std::any_of(options.habits.begin(), options.habits.end(),
                      [](const Habit &habit) { return habit.mostParts; })) {
  partsLeft.reserve(tasksAhead.size());
  for (unsigned task = 0; task < tasksAhead.size(); ++task)
    partsLeft.push_back(plan.table.countOf(task));
  if (limit)
    cutoff.emplace(problem, plan.table, machine, *limit);
  if (!options.prefetches || !plan.table.hasSources)
    return;
  prefetcher.emplace(problem, plan, machine, options);
  released.assign(plan.table.parts.size(), false);
}

std::optional<Solution> ListRun::run() {
  std::vector<unsigned> tasks;
  for (unsigned task = 0; task < tasksAhead.size(); ++task)
    if (tasksAhead[task] == 0)
      tasks.push_back(task);
  release(tasks);
  while (true) {
    startWhatFits(/*withLimits=*/true);
    startFetches();
    if (isLimited())
      startWhatFits(/*withLimits=*/false); // rather than leave engines idle
    if (overflow || hasGivenUp())
      return std::nullopt;
    std::optional<int64_t> next = machine.nextEnd();
    if (!next)
      break;
    if (cutoff)
      cutoff->noteWait(machine, *next - machine.now());
    const Ended &ended = machine.advanceTo(*next);
    for (size_t part : ended.fetched) {
      prefetcher->noteFetched(part);
      if (released[part] && !prefetcher->isFetching(part))
        queuePart(part);
    }
    for (size_t part : ended.parts) {
      streaming -= streams(part);
      endPart(part, tasks);
    }
    release(tasks);
  }
  // All parts have started unless one of them fits nowhere.
  if (started < plan.table.parts.size())
    return std::nullopt;
  return machine.takeSolution();
}

void ListRun::startFetches() {
  if (!prefetcher)
    return;
  std::vector<size_t> parts;
  overflow |= !prefetcher->startFetches(parts);
  // These parts wait until their fetches have ended.
  for (size_t part : parts) {
    EngineId target = *prefetcher->targetOf(part);
    queues[plan.table.shapeOf(part).queue].parts.erase(plan.position[part]);
    queueOf(target).parts.erase(plan.position[part]);
  }
}

//===----------------------------------------------------------------------===//
// What may start
//===----------------------------------------------------------------------===//

void ListRun::release(std::vector<unsigned> &tasks) {
  while (!tasks.empty()) {
    unsigned task = tasks.back();
    tasks.pop_back();
    latest = task;
    for (size_t part = plan.table.first[task];
         part < plan.table.first[task + 1]; ++part)
      if (plan.table.isFree(part))
        releasePart(part, tasks);
  }
}

void ListRun::releasePart(size_t part, std::vector<unsigned> &tasks) {
  ++ready;
  if (prefetcher)
    released[part] = true;
  const Mode &mode = plan.table.modesOf(part).front();
  if (mode.length > 0) {
    if (!prefetcher || !prefetcher->isFetching(part))
      queuePart(part);
    return;
  }
  // The part has nothing to do on any engine, so it ends as soon as it may
  // start.
  start(part, {{mode.group, 0}, mode.length, plan.table.lanesOf(mode)});
  endPart(part, tasks);
}

void ListRun::endPart(size_t part, std::vector<unsigned> &tasks) {
  unsigned task = plan.table.parts[part].task;
  --running[task];
  size_t left = --partsLeft[task];
  if (left == 1 && plan.table.lastCombines[task])
    releasePart(plan.table.first[task + 1] - 1, tasks);
  if (std::optional<size_t> next = plan.table.nextInChain(part))
    releasePart(*next, tasks);
  if (left > 0)
    return;
  if (prefetcher)
    prefetcher->noteEnded(task);
  for (unsigned successor : plan.successors.of(task))
    if (--tasksAhead[successor] == 0)
      tasks.push_back(successor);
}

ListRun::ReadyQueue &ListRun::queueOf(EngineId target) {
  return bound.try_emplace({target.group, target.index}, plan.order.size())
      .first->second;
}

void ListRun::queuePart(size_t part) {
  std::optional<EngineId> target;
  if (prefetcher)
    target = prefetcher->targetOf(part);
  ReadyQueue &queue =
      target ? queueOf(*target) : queues[plan.table.shapeOf(part).queue];
  queue.parts.insert(plan.position[part]);
}

//===----------------------------------------------------------------------===//
// What starts
//===----------------------------------------------------------------------===//

void ListRun::start(size_t part, const Choice &choice) {
  if (cutoff)
    cutoff->noteStart(part, choice.engine.group, choice.length);
  overflow |=
      !machine.start(part, choice.engine, choice.length, choice.lanes);
  if (prefetcher)
    prefetcher->noteStart(part);
  unsigned task = plan.table.parts[part].task;
  mostAtOnce[task] = std::max(mostAtOnce[task], ++running[task]);
  ++started;
  --ready;
}

/// A run over 300,000 tasks takes 0.33 s with the loads ahead of this library,
/// 0.40 s without (`llm-schedule-benchmark 300000`, "one run").
void ListRun::loadAhead(size_t position) const {
  // Each step needs what the one before it has loaded.
  constexpr size_t step = 8;
  if (plan.order.size() - position <= 3 * step)
    return;
  const PartTable &table = plan.table;
  __builtin_prefetch(&table.parts[plan.order[position + 3 * step]]);
  size_t part = plan.order[position + 2 * step];
  const PartTable::Entry &entry = table.parts[part];
  __builtin_prefetch(&table.shapes[entry.shape]);
  __builtin_prefetch(&partsLeft[entry.task]);
  plan.successors.loadAhead(entry.task);
  machine.loadAhead(part);
  const Mode &mode = table.modesOf(plan.order[position + step]).front();
  __builtin_prefetch(&mode);
  __builtin_prefetch(table.lanesOf(mode));
}

bool ListRun::streams(size_t part) const {
  return plan.table.shapeOf(part).streams &&
         !(prefetcher && prefetcher->targetOf(part));
}

bool ListRun::isLimited() const {
  return options.habitOf(latest).mostStreams || limitsParts;
}

bool ListRun::isOneTooMany(size_t part, bool withLimits) const {
  if (!limitsParts)
    return false;
  unsigned task = plan.table.parts[part].task;
  const Habit &habit = options.habitOf(task);
  std::optional<int64_t> most = habit.mostParts;
  return most && (withLimits || habit.alwaysMostParts) &&
         running[task] >= *most;
}

void ListRun::startWhatFits(bool withLimits) {
  refused.reset();
  for (ReadyQueue &queue : queues)
    queue.rewind();
  // No other engine becomes idle while parts start.
  idleBound.clear();
  for (auto &[engine, queue] : bound)
    if (!queue.parts.empty() &&
        machine.isIdle(EngineId{engine.first, engine.second})) {
      queue.rewind();
      idleBound.push_back({{engine.first, engine.second}, &queue});
    }
  std::optional<int64_t> mostStreams = options.habitOf(latest).mostStreams;
  auto mayStream = [&] {
    return !withLimits || !mostStreams || streaming < *mostStreams;
  };
  while (ReadyQueue *queue = firstCandidate(mayStream())) {
    size_t part = plan.order[queue->next];
    if (isOneTooMany(part, withLimits)) {
      queue->pass(
          std::max(plan.ends[plan.table.parts[part].task], queue->next + 1));
      continue;
    }
    if (wasRefused(part)) {
      ++queue->refused;
    } else if (std::optional<Choice> choice = choose(part)) {
      start(part, *choice);
      loadAhead(queue->next);
      streaming += streams(part);
      queue->parts.erase(queue->next);
    } else {
      ++queue->refused;
      noteRefused(part);
    }
    queue->pass(queue->next + 1);
  }
}

bool ListRun::isLikeOthers(size_t part) const {
  return !plan.table.combines(part) &&
         !(prefetcher && prefetcher->targetOf(part));
}

void ListRun::noteRefused(size_t part) {
  if (isLikeOthers(part))
    refused = {plan.table.parts[part].shape, started};
}

bool ListRun::wasRefused(size_t part) const {
  return refused && refused->startedParts == started &&
         refused->shape == plan.table.parts[part].shape && isLikeOthers(part);
}

ListRun::ReadyQueue *ListRun::firstCandidate(bool mayStream) {
  ReadyQueue *first = nullptr;
  auto isNearer = [&](const ReadyQueue &queue) {
    return queue.next != IndexSet::none && queue.refused < scanDepth &&
           (!first || queue.next < first->next);
  };
  for (auto &[engine, queue] : idleBound)
    if (isNearer(*queue) && machine.isIdle(engine))
      first = queue;
  for (size_t i = 0; i < queues.size(); ++i) {
    const auto &[groups, streams, with] = plan.queues[i];
    if ((mayStream || !streams) && isNearer(queues[i]) &&
        std::any_of(groups.begin(), groups.end(),
                    [&](unsigned group) { return machine.isIdle(group); }) &&
        machine.areIdle(&with))
      first = &queues[i];
  }
  return first;
}

std::optional<ListRun::Choice> ListRun::choose(size_t part) {
  if (prefetcher)
    if (std::optional<EngineId> engine = prefetcher->targetOf(part))
      return chooseBound(part, *engine);
  const PartTable::Shape &shape = plan.table.shapeOf(part);
  const Habit &habit = options.habitOf(plan.table.parts[part].task);
  std::optional<Choice> choice = habit.manner == Manner::Patient
                                     ? choosePatiently(shape)
                                     : chooseEagerly(shape, sharesFor(part));
  if (choice && awaitsFetch(part, *choice))
    return std::nullopt;
  return choice;
}

bool ListRun::awaitsFetch(size_t part, const Choice &choice) const {
  int64_t percent = options.habitOf(plan.table.parts[part].task).waitPercent;
  if (percent == 0 || !prefetcher || !streams(part))
    return false;
  std::optional<int64_t> arrival =
      prefetcher->nextArrival(choice.engine, released);
  return arrival &&
         *arrival - machine.now() <= choice.length / 100 * percent;
}

int64_t ListRun::sharesFor(size_t part) const {
  return plan.table.combines(part)
             ? 1
             : options.habitOf(plan.table.parts[part].task).shares;
}

const std::vector<int64_t> &
ListRun::within(int64_t shares, const std::vector<int64_t> &available) {
  if (shares == 1)
    return available;
  share.resize(available.size());
  bool isEven = shares == Habit::evenShares;
  int64_t starters = isEven ? countStarters() : 1;
  for (size_t m = 0; m < share.size(); ++m)
    share[m] = isEven ? ceilMulDiv(available[m], 1, 1, starters).value_or(1)
                      : std::min(available[m],
                                 std::max<int64_t>(1, lanes[m] / shares));
  return share;
}

int64_t ListRun::countStarters() const {
  return std::max<int64_t>(
      1, std::min<int64_t>(machine.idleComputeEngines(), ready));
}

template <typename Later>
bool ListRun::shouldWait(Manner manner, int64_t now, const int64_t *wanted,
                         Later lengthWith) {
  if (manner == Manner::Patient)
    return true;
  std::optional<int64_t> relief = machine.nextRelief(wanted, freeThen);
  std::optional<int64_t> later = relief ? lengthWith(freeThen) : std::nullopt;
  return later && *relief - machine.now() < now - *later;
}

std::optional<ListRun::Choice> ListRun::chooseBound(size_t part,
                                                    EngineId engine) {
  if (!machine.areIdle(plan.table.shapeOf(part).with))
    return std::nullopt;
  prefetcher->findBytesLeft(part, bytesLeft);
  const Part &numbers = plan.table.partOf(part);
  const EngineGroup &group = problem.engines[engine.group];
  Manner manner = options.habitOf(plan.table.parts[part].task).manner;
  int64_t shares = sharesFor(part);
  auto chooseWith = [&](const std::vector<int64_t> &available) {
    return *chooseLanes(problem, numbers, bytesLeft, group,
                        within(shares, available), chosen.data());
  };
  auto lengthWith = [&](const std::vector<int64_t> &available) {
    return shortestLength(problem, numbers, bytesLeft, group,
                          within(shares, available));
  };
  std::optional<int64_t> now = lengthWith(machine.freeLanes());
  std::optional<int64_t> alone = lengthWith(lanes);
  if (!now || !alone)
    return std::nullopt;
  if (*now > *alone) {
    chooseWith(lanes);
    if (shouldWait(manner, *now, chosen.data(), lengthWith))
      return std::nullopt;
  }
  int64_t length = chooseWith(machine.freeLanes());
  return Choice{engine, length, chosen.data()};
}

std::optional<ListRun::Choice>
ListRun::choosePatiently(const PartTable::Shape &shape) {
  const Mode *best = nullptr;
  int64_t bestEnd = 0;
  for (const Mode &mode : plan.table.modesOf(shape)) {
    std::optional<int64_t> end =
        checkedAdd(machine.nextIdle(mode.group, shape.with), mode.length);
    if (end && (!best || *end < bestEnd)) {
      best = &mode;
      bestEnd = *end;
    }
  }
  if (!best || !machine.areIdle(shape.with) ||
      !fits(plan.table.lanesOf(*best), machine.freeLanes()))
    return std::nullopt;
  std::optional<EngineId> engine =
      machine.findIdle(best->group, shape.workingSetBytes);
  if (!engine)
    return std::nullopt;
  return Choice{*engine, best->length, plan.table.lanesOf(*best)};
}

std::optional<ListRun::Choice>
ListRun::chooseEagerly(const PartTable::Shape &shape, int64_t shares) {
  auto lengthWith = [&](const Mode &mode,
                        const std::vector<int64_t> &available) {
    const std::vector<int64_t> &free = within(shares, available);
    if (fits(plan.table.lanesOf(mode), free))
      return std::optional<int64_t>(mode.length);
    return shortestLength(problem, *shape.part, shape.part->bytes,
                          problem.engines[mode.group], free);
  };

  if (!machine.areIdle(shape.with))
    return std::nullopt;
  const Mode *best = nullptr;
  int64_t now = 0;
  EngineId on;
  for (const Mode &mode : plan.table.modesOf(shape)) {
    std::optional<EngineId> engine =
        machine.findIdle(mode.group, shape.workingSetBytes);
    if (!engine)
      continue;
    std::optional<int64_t> length = lengthWith(mode, machine.freeLanes());
    if (length && (!best || *length < now)) {
      best = &mode;
      now = *length;
      on = *engine;
    }
  }
  if (!best)
    return std::nullopt;
  if (now == best->length) // with the lanes of the mode
    return Choice{on, now, plan.table.lanesOf(*best)};
  if (shouldWait(Manner::Eager, now, plan.table.lanesOf(*best),
                 [&](const std::vector<int64_t> &free) {
                   return lengthWith(*best, free);
                 }))
    return std::nullopt;
  std::optional<int64_t> length = chooseLanes(
      problem, *shape.part, shape.part->bytes, problem.engines[best->group],
      within(shares, machine.freeLanes()), chosen.data());
  return Choice{on, *length, chosen.data()};
}

} // namespace mlir::llm::scheduling
