//===- QueuesTest.cpp - What each engine does in turn ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/Queues.h"
#include "RandomProblems.h"

#include <map>
#include <set>

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

/// "npu[0]: a.0 | b.0 after task 1 = 2; dma[0]: fetch b.0": queues in one line.
static std::string show(const Problem &problem, const Solution &solution,
                        const std::vector<Queue> &queues) {
  std::string text;
  for (const Queue &queue : queues) {
    text += text.empty() ? "" : "; ";
    text += queue.engine ? problem.engines[queue.engine->group].name + "[" +
                               std::to_string(queue.engine->index) + "]:"
                         : "none:";
    for (const QueueEntry &entry : queue.entries) {
      const Slot &slot = solution.slots[entry.slot];
      text += &entry == &queue.entries.front() ? " " : " | ";
      text += entry.fetch ? "fetch " : entry.with ? "with " : "";
      text += problem.tasks[slot.task].name + "." + std::to_string(slot.part);
      for (const Wait &wait : entry.waits)
        text += std::string(&wait == &entry.waits.front() ? " after" : ",") +
                (wait.counter == Wait::Counter::Task ? " task " : " queue ") +
                std::to_string(wait.index) + " = " + std::to_string(wait.count);
    }
  }
  return text;
}

static std::string showQueues(const Problem &problem,
                              const Solution &solution) {
  Addresses addresses = allocateAddresses(problem, solution);
  return show(problem, solution, makeQueues(problem, solution, addresses));
}

// a on one engine, b and c behind it on both, d behind all three: b waits for
// nothing, as a is before it on its engine; d not for a, which b and c imply,
// nor for c, which is on its engine.
TEST(Queues, waitsAreForOtherEnginesAndNotTransitive) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0, {0}),
                   task("c", matrix, 10, 0, {0}),
                   task("d", matrix, 10, 0, {0, 1, 2})};
  Solution solution;
  solution.slots = {{0, 0, {0, 0}, 0, 10, {0}, {}},
                    {1, 0, {0, 0}, 10, 20, {0}, {}},
                    {2, 0, {0, 1}, 10, 20, {0}, {}},
                    {3, 0, {0, 1}, 20, 30, {0}, {}}};
  solution.makespan = 30;
  ASSERT_TRUE(isValid(problem, solution));
  EXPECT_EQ(showQueues(problem, solution),
            "npu[0]: a.0 | b.0; npu[1]: c.0 after task 0 = 1 | "
            "d.0 after task 1 = 1");
}

// Four parts of b behind four of a, two on each engine: one wait for each
// engine, for a counter of four, not one for each pair of parts.
TEST(Queues, partsWaitForACounter) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0, {0})};
  Solution solution;
  for (unsigned t = 0; t < 2; ++t) {
    problem.tasks[t].parts[0].count = 4;
    for (unsigned part = 0; part < 4; ++part) {
      int64_t start = 20 * t + 10 * (part / 2);
      solution.slots.push_back(
          {t, part, {0, part % 2}, start, start + 10, {0}, {}});
    }
  }
  solution.makespan = 40;
  ASSERT_TRUE(isValid(problem, solution));
  EXPECT_EQ(showQueues(problem, solution),
            "npu[0]: a.0 | a.2 | b.0 after task 0 = 4 | b.2; "
            "npu[1]: a.1 | a.3 | b.1 after task 0 = 4 | b.3");
}

// The last part joins the sums of the others: it waits until two of them ended.
TEST(Queues, thePartThatCombinesWaitsForTheOthers) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0)};
  problem.tasks[0].parts = {problem.tasks[0].parts[0],
                            problem.tasks[0].parts[0],
                            problem.tasks[0].parts[0]};
  problem.tasks[0].lastCombines = true;
  Solution solution;
  solution.slots = {{0, 0, {0, 0}, 0, 10, {0}, {}},
                    {0, 1, {0, 1}, 0, 10, {0}, {}},
                    {0, 2, {0, 0}, 10, 20, {0}, {}}};
  solution.makespan = 20;
  ASSERT_TRUE(isValid(problem, solution));
  EXPECT_EQ(showQueues(problem, solution),
            "npu[0]: a.0 | a.2 after task 0 = 2; npu[1]: a.1");
}

// Of 100 bytes a slice takes 60. The fetch for b starts while a runs and needs
// nothing. The fetch for c can only lie where the one for b lay, so it waits
// until b, the second entry of queue 0, has ended. Each part waits for its own
// fetch: a counter of the queue of the DMA.
TEST(Queues, aFetchWaitsForRoomAndAPartForItsFetch) {
  Problem problem = machine(1);
  problem.engines[0].privateBytes = 100;
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  problem.tasks = {task("a", matrix, 70, 0), task("b", matrix, 10, 60),
                   task("c", matrix, 10, 60)};
  for (unsigned t = 1; t < 3; ++t)
    problem.tasks[t].parts[0].sources = {{"w", {60}, 60}};
  Solution solution;
  solution.slots = {
      {0, 0, {0, 0}, 0, 70, {0}, {}},
      {1, 0, {0, 0}, 70, 80, {0}, {{0, {1, 0}, 0, 60, {1024}}}},
      {2, 0, {0, 0}, 140, 150, {0}, {{0, {1, 0}, 80, 140, {1024}}}}};
  solution.makespan = 150;
  ASSERT_TRUE(isValid(problem, solution));
  EXPECT_EQ(showQueues(problem, solution),
            "npu[0]: a.0 | b.0 after queue 1 = 1 | c.0 after queue 1 = 2; "
            "dma[0]: fetch b.0 | fetch c.0 after queue 0 = 2");
}

// A part without work takes no engine's time: it is in a queue of its own. What
// runs later on its engine (c) does not wait for it.
TEST(Queues, whatTakesNoTimeIsOnNoEngine) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 10, 0), task("none", matrix, 0, 0, {0}),
                   task("b", matrix, 10, 0, {1}), task("c", matrix, 10, 0)};
  problem.engines[0].count = 2;
  Solution solution;
  solution.slots = {{0, 0, {0, 0}, 0, 10, {0}, {}},
                    {1, 0, {0, 1}, 10, 10, {0}, {}},
                    {2, 0, {0, 0}, 10, 20, {0}, {}},
                    {3, 0, {0, 1}, 20, 30, {0}, {}}};
  solution.makespan = 30;
  ASSERT_TRUE(isValid(problem, solution));
  EXPECT_EQ(showQueues(problem, solution),
            "npu[0]: a.0 | b.0 after task 1 = 1; npu[1]: c.0; "
            "none: none.0 after task 0 = 1");
}

// Attention holds a matrix and a vector engine: it stands in the queues of both
// and waits for the norm in neither, which is before it on the vector engine.
// What is behind it on the vector engine waits for nothing: the part has ended
// there, too, and out of attention on the matrix engine only for the sum.
TEST(Queues, aPartOnSeveralEnginesStandsInEachQueue) {
  Problem problem = machine(1);
  problem.engines = {{"mxu", matrix, 1, {1024}, 1000},
                     {"vpu", vector, 1, {1024}, 1000}};
  problem.tasks = {
      task("norm", vector, 10, 0), task("attn", both(), 20, 0, {0}),
      task("sum", vector, 5, 0, {1}), task("out", matrix, 5, 0, {2})};
  problem.tasks[1].with = {1};
  Solution solution;
  solution.slots = {{0, 0, {1, 0}, 0, 10, {0}, {}},
                    {1, 0, {0, 0}, 10, 30, {0}, {}, {{1, 0}}},
                    {2, 0, {1, 0}, 30, 35, {0}, {}},
                    {3, 0, {0, 0}, 35, 40, {0}, {}}};
  solution.makespan = 40;
  ASSERT_TRUE(isValid(problem, solution));
  EXPECT_EQ(showQueues(problem, solution),
            "mxu[0]: attn.0 | out.0 after task 2 = 1; "
            "vpu[0]: norm.0 | with attn.0 | sum.0");
}

//===----------------------------------------------------------------------===//
// Random schedules, judged by brute force
//===----------------------------------------------------------------------===//

namespace {

/// All entries of all queues, and which of them is certainly over when another
/// one starts, by following queues and waits.
class Order {
public:
  Order(const Solution &solution, const std::vector<Queue> &queues)
      : solution(solution), queues(queues) {
    for (size_t q = 0; q < queues.size(); ++q)
      for (size_t i = 0; i < queues[q].entries.size(); ++i) {
        numberOf[{q, i}] = entries.size();
        entries.push_back({q, i});
      }
  }

  const QueueEntry &entry(size_t number) const {
    auto [queue, position] = entries[number];
    return queues[queue].entries[position];
  }
  size_t size() const { return entries.size(); }
  const Slot &slot(size_t number) const {
    return solution.slots[entry(number).slot];
  }
  int64_t start(size_t number) const {
    const QueueEntry &e = entry(number);
    return e.fetch ? slot(number).prefetches[*e.fetch].start
                   : slot(number).start;
  }
  int64_t length(size_t number) const {
    const QueueEntry &e = entry(number);
    return e.fetch ? slot(number).prefetches[*e.fetch].end - start(number)
                   : slot(number).end - start(number);
  }

  std::vector<size_t> awaited(const Wait &wait, size_t by) const {
    std::vector<size_t> found;
    for (size_t number = 0; number < size(); ++number) {
      auto [queue, position] = entries[number];
      bool isPart = !entry(number).fetch && !entry(number).with && number != by;
      if (wait.counter == Wait::Counter::Queue
              ? queue == wait.index &&
                    static_cast<int64_t>(position) < wait.count
              : isPart && slot(number).task == wait.index)
        found.push_back(number);
    }
    return found;
  }

  /// All entries that are over when `number` starts, one wait left out.
  std::set<size_t> before(size_t number, const Wait *without = nullptr) const {
    std::set<size_t> over;
    collect(number, without, over);
    return over;
  }

  /// The starts when each entry starts as soon as it may; nothing where some
  /// never do.
  std::optional<std::vector<int64_t>> replay() const {
    std::vector<int64_t> starts(size(), -1);
    for (size_t left = size(); left > 0;) {
      size_t progress = left;
      for (size_t number = 0; number < size(); ++number) {
        if (starts[number] >= 0)
          continue;
        int64_t earliest = 0;
        bool isReady = true;
        for (size_t other : direct(number, nullptr)) {
          isReady &= starts[other] >= 0;
          earliest = std::max(earliest, starts[other] + length(other));
        }
        if (!isReady)
          continue;
        starts[number] = earliest;
        --left;
      }
      if (progress == left)
        return std::nullopt;
    }
    return starts;
  }

private:
  /// The entries of a part on all its engines, which start and end together.
  std::vector<size_t> together(size_t number) const {
    std::vector<size_t> found = {number};
    for (size_t other = 0; !entry(number).fetch && other < size(); ++other)
      if (other != number && !entry(other).fetch &&
          entry(other).slot == entry(number).slot)
        found.push_back(other);
    return found;
  }
  std::vector<size_t> direct(size_t number, const Wait *without) const {
    std::set<size_t> found;
    auto add = [&](size_t other) {
      for (size_t each : together(other))
        found.insert(each);
    };
    for (size_t own : together(number)) {
      auto [queue, position] = entries[own];
      if (position > 0)
        add(numberOf.at({queue, position - 1}));
      for (const Wait &wait : entry(own).waits)
        if (&wait != without)
          for (size_t other : awaited(wait, own))
            add(other);
    }
    return {found.begin(), found.end()};
  }
  void collect(size_t number, const Wait *without,
               std::set<size_t> &over) const {
    for (size_t other : direct(number, without))
      if (over.insert(other).second)
        collect(other, nullptr, over);
  }

  const Solution &solution;
  const std::vector<Queue> &queues;
  std::vector<std::pair<size_t, size_t>> entries;
  std::map<std::pair<size_t, size_t>, size_t> numberOf;
};

/// Bytes of an engine's private memory that an entry uses from its start on.
struct Room {
  size_t user, lastUser; ///< entries
  EngineId engine;
  int64_t from, to;
};

} // namespace

static std::vector<Room> collectRooms(const Problem &problem,
                                      const Addresses &addresses,
                                      const Order &order) {
  std::map<size_t, size_t> partOf; // slot to entry
  for (size_t number = 0; number < order.size(); ++number)
    if (!order.entry(number).fetch && !order.entry(number).with)
      partOf[order.entry(number).slot] = number;
  std::vector<Room> rooms;
  for (size_t number = 0; number < order.size(); ++number) {
    const QueueEntry &entry = order.entry(number);
    const Slot &slot = order.slot(number);
    const auto &place = addresses.ofSlots[entry.slot];
    const Part &part = problem.tasks[slot.task].parts[slot.part];
    if (!place || entry.with || (!entry.fetch && slot.start == slot.end))
      continue;
    int64_t from =
        entry.fetch ? place->slices[*entry.fetch] : place->workingSet;
    int64_t bytes =
        entry.fetch
            ? part.sources[slot.prefetches[*entry.fetch].source].sliceBytes
            : workingSetWith(part, slot.prefetches);
    rooms.push_back(
        {number, partOf[entry.slot], slot.engine, from, from + bytes});
  }
  return rooms;
}

/// What an entry must come after, by the rules and not by its waits.
static std::set<size_t> required(const Problem &problem, const Order &order,
                                 const std::vector<Room> &rooms,
                                 size_t number) {
  std::set<size_t> needed;
  const QueueEntry &entry = order.entry(number);
  const Slot &slot = order.slot(number);
  const Task &task = problem.tasks[slot.task];
  for (size_t other = 0; other < order.size(); ++other) {
    if (entry.fetch) {
      const std::vector<unsigned> &writers =
          task.parts[slot.part]
              .sources[slot.prefetches[*entry.fetch].source]
              .predecessors;
      if (!order.entry(other).fetch &&
          std::count(writers.begin(), writers.end(), order.slot(other).task))
        needed.insert(other);
      continue;
    }
    if (order.entry(other).slot == entry.slot && !order.entry(other).fetch)
      continue; // itself, on this engine or on others
    bool isPart = !order.entry(other).fetch;
    bool isOwnFetch = !isPart && order.entry(other).slot == entry.slot;
    unsigned from = order.slot(other).task;
    bool isPredecessor =
        isPart && std::count(task.predecessors.begin(), task.predecessors.end(),
                             from) > 0;
    bool isCombined = isPart && from == slot.task && task.lastCombines &&
                      slot.part + 1 == task.parts.size();
    bool isInChain = isPart && from == slot.task &&
                     order.slot(other).part == beforeInChain(task, slot.part);
    if (isOwnFetch || isPredecessor || isCombined || isInChain)
      needed.insert(other);
  }
  for (const Room &mine : rooms)
    for (const Room &other : rooms)
      if (mine.user == number && other.engine == mine.engine &&
          other.from < mine.to && mine.from < other.to &&
          order.start(other.user) < order.start(number))
        needed.insert(other.lastUser);
  return needed;
}

TEST(Queues, waitsAreEnoughAndNoneIsTooMany) {
  Dice dice(5);
  unsigned entries = 0, waits = 0, fetches = 0, roomWaits = 0;
  for (int round = 0; round < 6000; ++round) {
    Problem given = ProblemMaker(dice).make();
    if (!given.check().empty())
      continue;
    Solution solution = RandomScheduler(given, dice).run();
    if (!verify(given, solution).empty())
      continue;
    Problem problem = spellOut(given, solution);
    solution.choices.clear();
    Addresses addresses = allocateAddresses(problem, solution);
    std::vector<Queue> queues = makeQueues(problem, solution, addresses);
    Order order(solution, queues);
    std::vector<Room> rooms = collectRooms(problem, addresses, order);
    SCOPED_TRACE(show(problem, solution, queues));
    std::optional<std::vector<int64_t>> starts = order.replay();
    ASSERT_TRUE(starts) << round;
    for (size_t number = 0; number < order.size(); ++number) {
      ++entries;
      const QueueEntry &entry = order.entry(number);
      fetches += entry.fetch.has_value();
      ASSERT_LE((*starts)[number], order.start(number)) << round;
      std::set<size_t> over = order.before(number);
      for (size_t other : required(problem, order, rooms, number))
        ASSERT_TRUE(over.count(other))
            << round << " entry " << number << " does not wait for " << other;
      for (const Wait &wait : entry.waits) {
        ++waits;
        roomWaits += entry.fetch.has_value();
        std::set<size_t> without = order.before(number, &wait);
        bool isNeeded = false;
        for (size_t other : order.awaited(wait, number))
          isNeeded |= !without.count(other);
        ASSERT_TRUE(isNeeded) << round << " entry " << number;
      }
    }
  }
  EXPECT_GT(entries, 5000u);
  EXPECT_GT(waits, 2000u);
  EXPECT_GT(roomWaits, 50u) << fetches;
}
