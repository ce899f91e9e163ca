//===- BruteForce.cpp - Is there a shorter schedule? ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs (parts and fetches) are placed in the order of their starts, each at
// cycle 0 or where a run that is already placed ends. These are enough:
//
// Take a schedule of the shortest makespan, and of those one with the least sum
// of starts. Say that some of its runs start at s > 0 where no run ends that
// started before s; s being the earliest such cycle, move all that start at s
// one cycle to the left. What else is held in cycle s - 1 is held in cycle s,
// too, where all of it fitted. What a moved run waits for has ended before s,
// or has no length and is moved along. Slices are held from the start of the
// fetch to the end of the part, and the same holds for them. So the moved
// schedule is valid with a smaller sum of starts: a contradiction.
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"
#include "../Scheduling/Oracle.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace mlir::llm::scheduling::test {

namespace {

/// A part, or the fetch of one of its sources.
struct Item {
  const Task *task;
  const Part *part;
  std::vector<size_t> before = {}; ///< items that end before it starts
  std::vector<size_t> fetches = {};
  int consumer = -1;
  unsigned source = 0;
  // Where it is placed:
  bool isPlaced = false;
  int64_t start = 0, end = 0;
  int engine = -1;
  int memoryEngine = -1; ///< the one whose private memory it takes
  int64_t privateBytes = 0;
  std::vector<int64_t> lanes = {};
};

using Length = std::pair<int64_t, std::vector<int64_t>>; ///< with its lanes

class Search {
public:
  Search(const Problem &problem, int64_t cycles, int64_t &steps)
      : problem(problem), cycles(cycles), steps(steps) {
    for (unsigned group = 0; group < problem.engines.size(); ++group)
      for (int64_t index = 0; index < problem.engines[group].count; ++index)
        groupOf.push_back(group);
    listItems();
  }

  Answer run() {
    size_t parts = std::count_if(items.begin(), items.end(),
                                 [](const Item &i) { return i.consumer < 0; });
    return place(0, -1, parts);
  }

private:
  void listItems();
  Answer place(int64_t from, int last, size_t partsLeft);
  Answer tryEngines(size_t index, int64_t start, size_t partsLeft);
  Answer tryLanes(size_t index, size_t partsLeft);
  bool isReady(const Item &item, int64_t start) const;
  bool fitsAt(int64_t cycle) const;
  bool isHopeless(int64_t from) const;
  const EngineGroup &engine(int index) const {
    return problem.engines[groupOf[index]];
  }
  const std::set<Length> &lengths(const std::vector<int64_t> &bytes,
                                  int64_t fixed, int64_t compute,
                                  unsigned group);

  const Problem &problem; ///< spelled out
  int64_t cycles;
  int64_t &steps;
  std::vector<unsigned> groupOf; ///< engines in a row
  std::vector<Item> items;       ///< what waits for others behind them
  using Key = std::pair<std::vector<int64_t>, std::array<int64_t, 3>>;
  std::map<Key, std::set<Length>> known;
};

} // namespace

void Search::listItems() {
  std::vector<std::vector<size_t>> partsOf(problem.tasks.size());
  std::vector<bool> isListed(problem.tasks.size(), false);
  auto isReady = [&](const Task &task) {
    return std::all_of(task.predecessors.begin(), task.predecessors.end(),
                       [&](unsigned p) { return isListed[p]; });
  };
  for (size_t left = problem.tasks.size(); left > 0;)
    for (unsigned t = 0; t < problem.tasks.size(); ++t) {
      const Task &task = problem.tasks[t];
      if (isListed[t] || !isReady(task))
        continue;
      isListed[t] = true;
      --left;
      for (const Part &part : task.parts) {
        Item item{&task, &part};
        for (unsigned predecessor : task.predecessors)
          for (size_t other : partsOf[predecessor])
            item.before.push_back(other);
        if (task.lastCombines && &part == &task.parts.back())
          item.before.insert(item.before.end(), partsOf[t].begin(),
                             partsOf[t].end());
        unsigned number = &part - task.parts.data();
        if (unsigned before = beforeInChain(task, number); before != number)
          item.before.push_back(partsOf[t][before]);
        size_t index = items.size() + part.sources.size();
        for (unsigned source = 0; source < part.sources.size(); ++source) {
          Item fetch{&task, &part};
          fetch.consumer = index;
          fetch.source = source;
          for (unsigned writer : part.sources[source].predecessors)
            fetch.before.insert(fetch.before.end(), partsOf[writer].begin(),
                                partsOf[writer].end());
          item.fetches.push_back(items.size());
          items.push_back(fetch);
        }
        partsOf[t].push_back(index);
        items.push_back(item);
      }
    }
}

/// All lengths with their lanes, by trying all lanes.
const std::set<Length> &Search::lengths(const std::vector<int64_t> &bytes,
                                        int64_t fixed, int64_t compute,
                                        unsigned group) {
  std::set<Length> &found = known[{bytes, {fixed, compute, group}}];
  if (!found.empty())
    return found;
  const EngineGroup &engine = problem.engines[group];
  const std::vector<int64_t> &port = engine.portLanes;
  std::vector<int64_t> lanes(bytes.size(), 1);
  while (true) {
    Length length{*slowLength(problem, bytes, fixed, compute, lanes, engine),
                  lanes};
    dropIdleLanes(problem, bytes, fixed, compute, length.second, engine);
    found.insert(length);
    size_t m = 0;
    while (m < lanes.size() && lanes[m] == port[m])
      lanes[m++] = 1;
    if (m == lanes.size())
      return found;
    ++lanes[m];
  }
}

bool Search::isReady(const Item &item, int64_t start) const {
  for (size_t before : item.before)
    if (!items[before].isPlaced || items[before].end > start)
      return false;
  for (size_t fetch : item.fetches)
    if (items[fetch].isPlaced && items[fetch].end > start)
      return false;
  return item.consumer < 0 || !items[item.consumer].isPlaced;
}

/// In no cycle more is held than there is. All start by the start of what was
/// added last: the most is held there.
bool Search::fitsAt(int64_t cycle) const {
  std::vector<int64_t> lanes(problem.resources.size(), 0);
  std::vector<int64_t> bytes(groupOf.size(), 0);
  std::vector<int> busy(groupOf.size(), 0);
  for (const Item &item : items) {
    if (!item.isPlaced)
      continue;
    if (cycle < item.end) {
      ++busy[item.engine];
      for (size_t m = 0; m < lanes.size(); ++m)
        lanes[m] += item.lanes[m];
    }
    // A slice is held until the part has run: unknown, so for ever.
    const Item &holder = item.consumer < 0 ? item : items[item.consumer];
    if (!holder.isPlaced || cycle < holder.end)
      bytes[item.memoryEngine] += item.privateBytes;
  }
  for (size_t m = 0; m < lanes.size(); ++m)
    if (lanes[m] > problem.resources[m].lanes)
      return false;
  for (size_t e = 0; e < groupOf.size(); ++e)
    if (busy[e] > 1 || bytes[e] > engine(e).privateBytes)
      return false;
  return true;
}

/// What is left cannot end in time one after the other, as it must.
bool Search::isHopeless(int64_t from) const {
  std::vector<int64_t> ends(items.size(), from);
  for (size_t i = 0; i < items.size(); ++i) {
    const Item &item = items[i];
    if (item.consumer >= 0)
      continue;
    int64_t start = from;
    for (size_t before : item.before)
      start = std::max(start, ends[before]);
    const Part &part = *item.part;
    ends[i] = item.isPlaced ? item.end
                            : start + part.overheadCycles + part.serialCycles +
                                  part.computeCycles;
    if (ends[i] >= cycles)
      return true;
  }
  return false;
}

/// Places what starts next: at `from` behind item `last`, or later.
Answer Search::place(int64_t from, int last, size_t partsLeft) {
  if (partsLeft == 0)
    return Answer::Yes;
  if (--steps < 0)
    return Answer::TooMany;
  if (isHopeless(from))
    return Answer::No;
  std::set<int64_t> starts = {0};
  for (const Item &item : items)
    if (item.isPlaced)
      starts.insert(item.end);
  for (auto start = starts.lower_bound(from); start != starts.end(); ++start)
    for (size_t i = *start == from ? last + 1 : 0; i < items.size(); ++i) {
      if (items[i].isPlaced || !isReady(items[i], *start))
        continue;
      Answer answer = tryEngines(i, *start, partsLeft);
      if (answer != Answer::No)
        return answer;
    }
  return Answer::No;
}

Answer Search::tryEngines(size_t index, int64_t start, size_t partsLeft) {
  Item &item = items[index];
  item.start = start;
  auto canRun = [&](int engineIndex) {
    return item.task->group.value_or(groupOf[engineIndex]) ==
               groupOf[engineIndex] &&
           engine(engineIndex).kinds.containsAll(item.task->kinds);
  };
  for (int where = 0; where < static_cast<int>(groupOf.size()); ++where) {
    if (!canRun(where))
      continue;
    // All slices for one part are on its engine.
    int consumer = item.consumer < 0 ? index : item.consumer;
    bool isElsewhere = false;
    for (size_t fetch : items[consumer].fetches)
      isElsewhere |=
          items[fetch].isPlaced && items[fetch].memoryEngine != where;
    if (isElsewhere)
      continue;
    item.memoryEngine = where;
    for (int on = 0; on < static_cast<int>(groupOf.size()); ++on) {
      if (item.consumer < 0 ? on != where
                            : !engine(on).kinds.contains(EngineKind::Memory))
        continue;
      item.engine = on;
      Answer answer = tryLanes(index, partsLeft);
      if (answer != Answer::No)
        return answer;
    }
  }
  return Answer::No;
}

Answer Search::tryLanes(size_t index, size_t partsLeft) {
  Item &item = items[index];
  const Part &part = *item.part;
  std::vector<int64_t> bytes = part.bytes;
  int64_t fixed = part.overheadCycles + part.serialCycles;
  int64_t compute = part.computeCycles;
  item.privateBytes = part.workingSetBytes;
  if (item.consumer >= 0) {
    bytes = part.sources[item.source].bytes;
    item.privateBytes = part.sources[item.source].sliceBytes;
    fixed = compute = 0;
  }
  for (size_t fetch : item.fetches) {
    if (!items[fetch].isPlaced)
      continue;
    const Source &source = part.sources[items[fetch].source];
    item.privateBytes -= source.stagingBytes;
    for (size_t m = 0; m < bytes.size(); ++m)
      bytes[m] -= source.bytes[m];
  }
  for (const Length &length :
       lengths(bytes, fixed, compute, groupOf[item.engine])) {
    item.end = item.start + length.first;
    item.lanes = length.second;
    if (item.end >= cycles)
      continue;
    item.isPlaced = true;
    if (fitsAt(item.start)) {
      Answer answer =
          place(item.start, index, partsLeft - (item.consumer < 0 ? 1 : 0));
      if (answer != Answer::No)
        return answer;
    }
    item.isPlaced = false;
  }
  return Answer::No;
}

Answer isThereShorter(const Problem &problem, int64_t cycles, int64_t steps) {
  Solution cut;
  cut.choices.assign(problem.tasks.size(), 0);
  while (true) {
    Problem whole = spellOut(problem, cut);
    Answer answer = Search(whole, cycles, steps).run();
    if (answer != Answer::No)
      return answer;
    size_t t = 0;
    while (t < problem.tasks.size() &&
           cut.choices[t] == problem.tasks[t].alternatives.size())
      cut.choices[t++] = 0;
    if (t == problem.tasks.size())
      return Answer::No;
    ++cut.choices[t];
  }
}

} // namespace mlir::llm::scheduling::test
