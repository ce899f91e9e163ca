//===- PropertyTest.cpp - What holds for thousands of problems ------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "Oracle.h"
#include "RandomProblems.h"

#include <algorithm>

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

namespace {

/// Changes one or two things in a solution with at least one slot.
class Mutator {
public:
  explicit Mutator(Dice &dice) : dice(dice) {}

  void mutate(Solution &solution) {
    Slot &slot = solution.slots[dice.between(0, solution.slots.size() - 1)];
    if (!slot.prefetches.empty() && dice.oneIn(2))
      return mutateFetch(slot);
    if (!slot.with.empty() && dice.oneIn(3))
      return mutateOther(slot.with);
    switch (dice.between(0, 13)) {
    case 13:
      if (!solution.choices.empty())
        ++solution.choices[dice.between(0, solution.choices.size() - 1)];
      break;
    case 0:
      slot.task = dice.between(0, 7);
      break;
    case 1:
      slot.part = dice.between(0, 2);
      break;
    case 2:
      nudge(solution.makespan);
      break;
    case 3:
      solution.slots.push_back(slot);
      break;
    case 4:
      std::swap(slot, solution.slots.back());
      solution.slots.pop_back();
      break;
    case 5: // as a whole, with everything that must follow
      for (Slot &each : solution.slots) {
        ++each.start;
        ++each.end;
      }
      ++solution.makespan;
      break;
    default:
      mutateRun(slot.engine, slot.start, slot.end, slot.lanes);
    }
  }

private:
  void nudge(int64_t &value) {
    value += dice.oneIn(2) ? dice.between(1, 3) : -dice.between(1, 3);
  }

  void mutateFetch(Slot &slot) {
    size_t index = dice.between(0, slot.prefetches.size() - 1);
    PrefetchSlot &fetch = slot.prefetches[index];
    switch (dice.between(0, 8)) {
    case 0:
      fetch.source = dice.between(0, 2);
      break;
    case 1:
      slot.prefetches.erase(slot.prefetches.begin() + index);
      break;
    case 2:
      slot.prefetches.push_back(PrefetchSlot(fetch));
      break;
    default:
      mutateRun(fetch.engine, fetch.start, fetch.end, fetch.lanes);
    }
  }

  void mutateOther(std::vector<EngineId> &with) {
    switch (dice.between(0, 3)) {
    case 0:
      with.pop_back();
      break;
    case 1:
      with.push_back(with.front());
      break;
    case 2:
      with.front().group = dice.between(0, 3);
      break;
    case 3:
      with.front().index = dice.between(-1, 3);
      break;
    }
  }

  void mutateRun(EngineId &engine, int64_t &start, int64_t &end,
                 std::vector<int64_t> &lanes) {
    switch (dice.between(0, 5)) {
    case 0:
      engine.group = dice.between(0, 3);
      break;
    case 1:
      engine.index = dice.between(-1, 3);
      break;
    case 2:
      nudge(start);
      break;
    case 3:
      nudge(end);
      break;
    case 4:
      nudge(lanes[dice.between(0, lanes.size() - 1)]);
      break;
    case 5: { // earlier or later as it is
      int64_t length = end - start;
      nudge(start);
      end = start + length;
      break;
    }
    }
  }

  Dice &dice;
};

} // namespace

/// Calls `check` with so many sound problems.
template <typename Check>
static void forSoundProblems(unsigned count, unsigned seed, Check check) {
  Dice dice(seed);
  ProblemMaker maker(dice);
  while (count > 0) {
    Problem problem = maker.make();
    if (!problem.check().empty())
      continue;
    --count;
    check(problem, dice);
    if (::testing::Test::HasFailure())
      return;
  }
}

// Solutions of both solvers keep all rules, in the eyes of verify() and of the
// slow count, and the list schedule is never longer than the baseline.
TEST(Property, SolversAreValidAndListIsNoLonger) {
  forSoundProblems(3000, 1, [](const Problem &problem, Dice &) {
    std::optional<Solution> baseline = scheduleEarliest(problem);
    std::optional<Solution> best = scheduleList(problem);
    ASSERT_TRUE(baseline && best);
    EXPECT_TRUE(isValid(problem, *baseline));
    EXPECT_TRUE(isValid(problem, *best));
    EXPECT_TRUE(isValidByCounting(problem, *baseline));
    EXPECT_TRUE(isValidByCounting(problem, *best));
    EXPECT_LE(best->makespan, baseline->makespan);
  });
}

// The nearer to the bound a search has come, the sooner it gives up.
TEST(Property, LooksTheLessTheLessThereIsToWin) {
  struct {
    size_t tries = 0, tasks = 0;
    double each() const { return double(tries) / double(tasks); }
  } nearBound, farFromIt;
  forSoundProblems(600, 6, [&](const Problem &problem, Dice &) {
    size_t tries = 0;
    std::optional<Solution> best = scheduleList(problem, [&] { ++tries; });
    ASSERT_TRUE(best);
    int64_t bound = largestBound(*lowerBounds(problem));
    if (isNearEnough(best->makespan, bound))
      return; // ended for another reason
    auto &those = best->makespan < bound + bound / 20 ? nearBound : farFromIt;
    those.tries += tries;
    those.tasks += problem.tasks.size();
  });
  ASSERT_GT(nearBound.tasks, 0u);
  ASSERT_GT(farFromIt.tasks, 0u);
  EXPECT_LT(nearBound.each(), farFromIt.each() / 2);
}

// The baseline starts tasks in program order wherever that is topological.
TEST(Property, EarliestStartsInOrder) {
  forSoundProblems(1000, 2, [](const Problem &problem, Dice &) {
    for (unsigned task = 0; task < problem.tasks.size(); ++task)
      for (unsigned predecessor : problem.tasks[task].predecessors)
        if (predecessor > task)
          return;
    std::optional<Solution> solution = scheduleEarliest(problem);
    ASSERT_TRUE(solution);
    for (size_t i = 1; i < solution->slots.size(); ++i)
      EXPECT_LE(solution->slots[i - 1].start, solution->slots[i].start);
  });
}

// No schedule is shorter than a bound: neither those of the solvers nor random
// ones, which prefetch.
TEST(Property, BoundsHold) {
  size_t fetches = 0;
  forSoundProblems(1500, 3, [&](const Problem &problem, Dice &dice) {
    Solution random = RandomScheduler(problem, dice).run();
    for (const Slot &slot : random.slots)
      fetches += slot.prefetches.size();
    int64_t shortest =
        std::min({random.makespan, scheduleEarliest(problem)->makespan,
                  scheduleList(problem)->makespan});
    std::optional<std::vector<Bound>> bounds = lowerBounds(problem);
    ASSERT_TRUE(bounds);
    for (const Bound &bound : *bounds)
      EXPECT_LE(bound.cycles, shortest) << bound.name;
  });
  EXPECT_GT(fetches, 1000u); // else the test shows nothing of prefetches
}

// verify() and the slow count agree on random schedules with fetches, and on
// what is left of them after one or two changes: most are broken, some still
// valid.
TEST(Property, VerifyAgreesWithCounting) {
  size_t valid = 0, broken = 0;
  forSoundProblems(1500, 4, [&](const Problem &problem, Dice &dice) {
    Solution solution = RandomScheduler(problem, dice).run();
    EXPECT_TRUE(isValid(problem, solution));
    EXPECT_TRUE(isValidByCounting(problem, solution));
    Mutator mutator(dice);
    for (int i = 0; i < 12; ++i) {
      Solution changed = solution;
      for (int64_t changes = dice.between(1, 2);
           changes > 0 && !changed.slots.empty(); --changes)
        mutator.mutate(changed);
      std::vector<Violation> violations = verify(problem, changed);
      bool expected = isValidByCounting(problem, changed);
      EXPECT_EQ(violations.empty(), expected) << textOf(violations);
      ++(expected ? valid : broken);
    }
  });
  EXPECT_GT(valid, 500u);
  EXPECT_GT(broken, 5000u);
}

// The length and the lanes of chooseLanes() are those of counting: the lanes
// within reach, without those that the length can spare.
TEST(Property, ChooseLanesAgreesWithCounting) {
  forSoundProblems(1500, 5, [](const Problem &problem, Dice &dice) {
    for (const Task &task : problem.tasks) {
      const Part &part = task.parts[0];
      for (const EngineGroup &engine : problem.engines) {
        std::vector<int64_t> available, lanes;
        for (size_t m = 0; m < part.bytes.size(); ++m) {
          available.push_back(dice.between(0, problem.resources[m].lanes));
          lanes.push_back(std::min(available[m], engine.portLanes[m]));
        }
        int64_t fixed = part.overheadCycles + part.serialCycles;
        std::optional<int64_t> length = slowLength(
            problem, part.bytes, fixed, part.computeCycles, lanes, engine);
        std::optional<LaneChoice> choice =
            chooseLanes(problem, part, engine, available);
        ASSERT_EQ(choice.has_value(), length.has_value());
        if (!choice)
          continue;
        dropIdleLanes(problem, part.bytes, fixed, part.computeCycles, lanes,
                      engine);
        EXPECT_EQ(choice->length, *length);
        EXPECT_EQ(choice->lanes, lanes);
      }
    }
  });
}
