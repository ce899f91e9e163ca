//===- Model.cpp - The rules as constraints -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "Chronology.h"
#include "EnergeticReasoning.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace Gecode;

namespace mlir::llm::scheduling::exact {

Model::Model(const Instance &instance, const EnergyPools &pools, int horizon)
    : instance(instance), start(*this, instance.size(), 0, horizon),
      length(*this, instance.size(), 0, horizon),
      end(*this, instance.size(), 0, horizon), way(*this, instance.size()),
      machine(*this, instance.size(), 0, instance.nowhere()),
      choice(*this, instance.problem->tasks.size()),
      makespan(*this, 0, horizon) {
  postWays();
  postChoices();
  postPrecedences();
  postChains();
  postLanes();
  postEngines();
  postPrivateMemory();
  postTwins();
  postEnergy(*this, pools);
  branchInTime(*this);
}

Model::Model(Model &other) : IntMinimizeSpace(other), instance(other.instance) {
  start.update(*this, other.start);
  length.update(*this, other.length);
  end.update(*this, other.end);
  way.update(*this, other.way);
  machine.update(*this, other.machine);
  choice.update(*this, other.choice);
  makespan.update(*this, other.makespan);
}

template <typename Amount>
IntArgs Model::byWay(unsigned index, Amount amount, int ofAbsent) const {
  IntArgs table;
  for (const Way &way : instance[index].ways)
    table << static_cast<int>(amount(way));
  table << ofAbsent;
  return table;
}

IntVar Model::elementOf(const IntArgs &table, IntVar index) {
  IntVar result(*this, *std::min_element(table.begin(), table.end()),
                *std::max_element(table.begin(), table.end()));
  element(*this, table, index, result);
  return result;
}

/// S2, S3: the way determines length, engine group and fetches.
void Model::postWays() {
  int nowhere = instance.nowhere();
  int groups = instance.machinesOfGroup.size();
  IntArgs groupOfMachine;
  for (const Machine &each : instance.machines)
    groupOfMachine << static_cast<int>(each.group);
  groupOfMachine << groups;
  for (unsigned i = 0; i < instance.size(); ++i) {
    const Activity &activity = instance[i];
    int ways = activity.ways.size();
    way[i] = IntVar(*this, 0, activity.isOptional ? ways : ways - 1);
    element(*this,
            byWay(
                i, [](const Way &way) { return way.length; }, 0),
            way[i], length[i]);
    rel(*this, start[i] + length[i] == end[i]);
    IntVar group =
        elementOf(byWay(
                      i, [](const Way &way) { return way.group; }, groups),
                  way[i]);
    element(*this, groupOfMachine, machine[i], group);
    if (!activity.isOptional)
      rel(*this, machine[i], IRT_NQ, nowhere);
  }
  // S8: a fetch takes place when the way of its consumer lacks its bytes.
  for (unsigned i = 0; i < instance.size(); ++i) {
    for (unsigned fetch : instance[i].fetches) {
      unsigned source = instance[fetch].source;
      auto bit = [&](const Way &way) { return way.fetched >> source & 1; };
      IntVar isFetched = elementOf(byWay(i, bit, 0), way[i]);
      rel(*this, (way[fetch] != instance.absent(fetch)) == (isFetched == 1));
      rel(*this, end[fetch] <= start[i]);
      rel(*this, (isFetched == 0) >> (start[fetch] == start[i]));
    }
  }
}

/// S1: the parts of the choice take place, and those of the others do not.
void Model::postChoices() {
  for (unsigned t = 0; t < instance.problem->tasks.size(); ++t)
    choice[t] =
        IntVar(*this, 0, instance.problem->tasks[t].alternatives.size());
  for (unsigned i = 0; i < instance.size(); ++i)
    if (!instance[i].isFetch() && instance[i].isOptional)
      rel(*this, (way[i] == instance.absent(i)) ==
                     (choice[instance[i].task] !=
                      static_cast<int>(instance[i].choice)));
}

/// Returns how long each choice of the task takes at least: its longest part in
/// its shortest way.
IntArgs Model::shortestSpans(unsigned task) const {
  std::vector<int64_t> spans(
      instance.problem->tasks[task].alternatives.size() + 1, 0);
  for (const Activity &activity : instance.activities.all) {
    if (activity.isFetch() || activity.task != task)
      continue;
    int64_t least = makespan.max() + 1; // too long, for a part without a way
    for (const Way &way : activity.ways)
      least = std::min(least, way.length);
    spans[activity.choice] = std::max(spans[activity.choice], least);
  }
  IntArgs table;
  for (int64_t span : spans)
    table << static_cast<int>(span);
  return table;
}

/// S5, and the rule of S8 that a fetch waits for what writes or selects its
/// source.
void Model::postPrecedences() {
  const std::vector<Task> &tasks = instance.problem->tasks;
  int horizon = makespan.max();
  IntVarArgs begin(*this, tasks.size(), 0, horizon);
  IntVarArgs finish(*this, tasks.size(), 0, horizon);
  for (unsigned t = 0; t < tasks.size(); ++t) {
    IntVarArgs before;
    for (unsigned predecessor : tasks[t].predecessors)
      before << finish[predecessor];
    if (before.size() == 0)
      rel(*this, begin[t] == 0);
    else
      max(*this, before, begin[t]);
  }
  std::vector<IntVarArgs> ends(tasks.size());
  for (unsigned i = 0; i < instance.size(); ++i) {
    const Activity &activity = instance[i];
    if (activity.isFetch()) {
      // A fetch that does not take place starts with its consumer, which is
      // later anyhow.
      for (unsigned task : instance.tasksBefore(activity))
        rel(*this, finish[task] <= start[i]);
      continue;
    }
    unsigned t = activity.task;
    ends[t] << end[i];
    rel(*this, begin[t] <= start[i]);
    if (activity.isOptional)
      rel(*this, (way[i] == instance.absent(i)) >> (start[i] == begin[t]));
  }
  for (unsigned t = 0; t < tasks.size(); ++t) {
    max(*this, ends[t], finish[t]);
    // The constraints above imply this, but propagation needs it before the
    // choice is made.
    if (!tasks[t].alternatives.empty())
      rel(*this,
          begin[t] + elementOf(shortestSpans(t), choice[t]) <= finish[t]);
  }
  max(*this, finish, makespan);

  // The part that joins the others' results is the last one of its choice.
  for (unsigned last = 0; last < instance.size(); ++last) {
    const Activity &joins = instance[last];
    const Task &task = tasks[joins.task];
    if (joins.isFetch() || !task.lastCombinesOf(joins.choice) ||
        joins.part != &task.partsOf(joins.choice).back())
      continue;
    for (unsigned i = 0; i < instance.size(); ++i)
      if (i != last && !instance[i].isFetch() &&
          instance[i].task == joins.task && instance[i].choice == joins.choice)
        rel(*this, end[i] <= start[last]);
  }
}

/// S5: parts of a chain, one behind the other.
void Model::postChains() {
  std::map<std::tuple<unsigned, unsigned, int64_t>, unsigned> numberOf;
  for (unsigned i = 0; i < instance.size(); ++i) {
    const Activity &activity = instance[i];
    const Chains &chains =
        instance.problem->tasks[activity.task].chainsOf(activity.choice);
    if (activity.isFetch() || !chains.areThere())
      continue;
    numberOf[{activity.task, activity.choice, activity.number}] = i;
    if (!chains.isFirst(activity.number))
      rel(*this,
          end[numberOf.at({activity.task, activity.choice,
                           activity.number - chains.stride})] <= start[i]);
  }
}

/// S6
void Model::postLanes() {
  for (unsigned m : instance.activities.contended) {
    IntVarArgs starts, lengths, ends, lanes;
    for (unsigned i = 0; i < instance.size(); ++i) {
      IntArgs table = byWay(
          i, [&](const Way &way) { return way.lanes[m]; }, 0);
      if (*std::max_element(table.begin(), table.end()) == 0)
        continue;
      starts << start[i];
      lengths << length[i];
      ends << end[i];
      lanes << elementOf(table, way[i]);
    }
    IntArgs all(starts.size());
    std::fill(all.begin(), all.end(), 0);
    IntArgs limit({static_cast<int>(instance.problem->resources[m].lanes)});
    if (starts.size() > 1)
      cumulatives(*this, all, starts, lengths, ends, lanes, limit, true);
  }
}

/// S4
void Model::postEngines() {
  IntArgs places;
  for (const Machine &each : instance.machines)
    places << static_cast<int>(each.places);
  places << static_cast<int>(instance.size()); // nowhere has places for all
  IntArgs one(instance.size());
  std::fill(one.begin(), one.end(), 1);
  cumulatives(*this, machine, start, length, end, one, places, true);
}

/// S7
void Model::postPrivateMemory() {
  bool isToldApart = false;
  IntArgs capacity;
  int64_t most = 0;
  for (const Machine &each : instance.machines) {
    isToldApart |= each.isToldApart;
    capacity << static_cast<int>(each.isToldApart ? each.privateBytes : 0);
    most += each.isToldApart ? each.privateBytes : 0;
  }
  if (!isToldApart)
    return;
  capacity << 0;
  // A slice is held from the start of the fetch to the end of the part.
  IntVarArgs where, starts, lengths, ends, bytes;
  for (unsigned i = 0; i < instance.size(); ++i) {
    const Activity &activity = instance[i];
    if (activity.isFetch()) {
      unsigned consumer = *activity.consumer;
      IntVar held(*this, 0, makespan.max());
      rel(*this, start[i] + held == end[consumer]);
      int slice = instance.sliceOf(activity);
      where << machine[consumer];
      starts << start[i];
      lengths << held;
      ends << end[consumer];
      bytes << elementOf(byWay(
                             i, [&](const Way &) { return slice; }, 0),
                         way[i]);
      continue;
    }
    where << machine[i];
    starts << start[i];
    lengths << length[i];
    ends << end[i];
    bytes << elementOf(
        byWay(
            i, [&](const Way &way) { return instance.needOf(way); }, 0),
        way[i]);
  }
  cumulatives(*this, where, starts, lengths, ends, bytes, capacity, true);
}

/// Equal parts of a task start in the order of their numbers.
void Model::postTwins() {
  for (unsigned i = 0; i < instance.size(); ++i)
    if (instance[i].twin)
      rel(*this, start[*instance[i].twin] <= start[i]);
}

} // namespace mlir::llm::scheduling::exact
