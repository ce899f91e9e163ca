//===- DecidedUse.cpp - Who holds what, of what is decided ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecidedUse.h"

#include <algorithm>

namespace mlir::llm::scheduling::exact {

static bool mayTakeNoTime(const Activity &activity) {
  return std::any_of(activity.ways.begin(), activity.ways.end(),
                     [](const Way &way) { return way.length == 0; });
}

DecidedUse::DecidedUse(const Model &model) : model(model) {
  const Instance &instance = model.instance;
  for (unsigned i = 0; i < instance.size(); ++i) {
    if (!model.isDecided(i) || model.isAbsent(i))
      continue;
    const Activity &activity = instance[i];
    const Way &way = activity.ways[model.way[i].val()];
    int start = model.start[i].val(), end = start + way.length;
    items.push_back({start, end, model.machine[i].val(), &way});
    if (!activity.isFetch()) {
      holdings.push_back(
          {model.machine[i].val(), start, end, end, instance.needOf(way)});
      continue;
    }
    // The slice makes room at the end of its consumer, behind all that runs on
    // the engine now. If the consumer may take no time, it may end while
    // another part runs, and the slice is held no longer.
    unsigned consumer = *activity.consumer;
    bool isDone = model.isDecided(consumer);
    int until = isDone ? model.end[consumer].val() : INT_MAX;
    int leastUntil = mayTakeNoTime(instance[consumer])
                         ? std::min(until, model.end[consumer].min())
                         : until;
    holdings.push_back({model.machine[consumer].val(), start, leastUntil, until,
                        instance.sliceOf(activity)});
  }
}

/// Returns the most that items hold at once within [start, end). That is at the
/// start or where one of them starts.
template <typename Item, typename Amount>
static int64_t mostHeld(const std::vector<Item> &items, int start, int end,
                        Amount amount, int Item::*until = &Item::end) {
  auto heldAt = [&](int time) {
    int64_t held = 0;
    for (const auto &item : items)
      if (item.start <= time && time < item.*until)
        held += amount(item);
    return held;
  };
  int64_t most = heldAt(start);
  for (const auto &item : items)
    if (start < item.start && item.start < end)
      most = std::max(most, heldAt(item.start));
  return most;
}

bool DecidedUse::lanesFit(const Placing &placing, int start, int end) const {
  const Instance &instance = model.instance;
  const Way &way = instance[placing.activity].ways[placing.way];
  for (unsigned m : instance.activities.contended)
    if (way.lanes[m] > 0 &&
        mostHeld(items, start, end,
                 [&](const Item &item) { return item.way->lanes[m]; }) +
                way.lanes[m] >
            instance.problem->resources[m].lanes)
      return false;
  return true;
}

bool DecidedUse::machineFits(const Placing &placing, int start, int end) const {
  return mostHeld(items, start, end, [&](const Item &item) {
           return item.machine == placing.machine ? 1 : 0;
         }) < model.instance.machines[placing.machine].places;
}

bool DecidedUse::memoryFits(const Placing &placing, int start, int end,
                            int Holding::*until) const {
  const Instance &instance = model.instance;
  const Activity &activity = instance[placing.activity];
  int where = activity.isFetch() ? placing.consumerMachine : placing.machine;
  const Machine &machine = instance.machines[where];
  if (!machine.isToldApart)
    return true;
  int64_t bytes = activity.isFetch()
                      ? instance.sliceOf(activity)
                      : instance.needOf(activity.ways[placing.way]);
  auto bytesThere = [&](const Holding &holding) {
    return holding.machine == where ? holding.bytes : 0;
  };
  return mostHeld(holdings, start, end, bytesThere, until) + bytes <=
         machine.privateBytes;
}

bool DecidedUse::fits(const Placing &placing, int time) const {
  const Activity &activity = model.instance[placing.activity];
  int end = time + activity.ways[placing.way].length;
  if (end == time)
    return true;
  return machineFits(placing, time, end) && lanesFit(placing, time, end) &&
         memoryFits(placing, time, end, &Holding::leastEnd);
}

/// Returns when all that the activity waits for has ended: tasks, fetches, and
/// the parts that it joins.
int DecidedUse::readyTime(const Placing &placing) const {
  const Instance &instance = model.instance;
  const Activity &activity = instance[placing.activity];
  const std::vector<unsigned> &before = instance.tasksBefore(activity);
  const Task &task = instance.problem->tasks[activity.task];
  bool joins = !activity.isFetch() && task.lastCombinesOf(activity.choice) &&
               activity.part == &task.partsOf(activity.choice).back();
  const Chains &chains = task.chainsOf(activity.choice);
  auto isBeforeInChain = [&](const Activity &other) {
    return !activity.isFetch() && !other.isFetch() && chains.areThere() &&
           other.task == activity.task && other.choice == activity.choice &&
           !chains.isFirst(activity.number) &&
           other.number + chains.stride == activity.number;
  };
  int ready = 0;
  for (unsigned i = 0; i < instance.size(); ++i) {
    const Activity &other = instance[i];
    bool isBefore =
        other.isFetch()
            ? other.consumer == placing.activity && !model.isAbsent(i)
            : (joins && other.task == activity.task && i != placing.activity) ||
                  isBeforeInChain(other) ||
                  std::find(before.begin(), before.end(), other.task) !=
                      before.end();
    if (isBefore && !model.isAbsent(i))
      ready = std::max(ready, model.end[i].min());
  }
  return ready;
}

bool DecidedUse::fitsBefore(const Placing &placing, int time) const {
  int ready = readyTime(placing);
  auto canStart = [&](int earlier) {
    if (earlier < ready || earlier >= time)
      return false;
    // A fetched slice stays until its part has run.
    const Activity &activity = model.instance[placing.activity];
    int length = activity.ways[placing.way].length;
    int end = activity.isFetch() ? time : earlier + length;
    return fits(placing, earlier) &&
           (length == 0 || memoryFits(placing, earlier, end, &Holding::end));
  };
  if (canStart(ready))
    return true;
  return std::any_of(items.begin(), items.end(),
                     [&](const Item &item) { return canStart(item.end); });
}

bool DecidedUse::isEvent(int time) const {
  return time == 0 ||
         std::any_of(items.begin(), items.end(),
                     [&](const Item &item) { return item.end == time; });
}

int DecidedUse::nextEvent(int time) const {
  int next = INT_MAX;
  for (const Item &item : items)
    if (item.end > time)
      next = std::min(next, item.end);
  return next == INT_MAX ? -1 : next;
}

bool DecidedUse::isBlank(int machine, int time) const {
  for (const Item &item : items)
    if (item.machine == machine && item.end > time)
      return false;
  for (const Holding &holding : holdings)
    if (holding.machine == machine && holding.end > time)
      return false;
  return true;
}

} // namespace mlir::llm::scheduling::exact
