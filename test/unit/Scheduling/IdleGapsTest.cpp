//===- IdleGapsTest.cpp - When each engine is idle, and why ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListSchedules.h"
#include "llm/Scheduling/Explain.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

/// "npu[1] 0-20 dependence: dependence 10, no_work 10; ..."
static std::string show(const Problem &problem, std::vector<Slot> slots) {
  Solution solution;
  solution.slots = std::move(slots);
  for (const Slot &slot : solution.slots)
    solution.makespan = std::max(solution.makespan, slot.end);
  EXPECT_TRUE(isValid(problem, solution));
  std::string text;
  for (const IdleGap &gap :
       findIdleGaps(problem, solution, *explain(problem, solution))) {
    text += (text.empty() ? "" : "; ") +
            problem.engines[gap.engine.group].name + "[" +
            std::to_string(gap.engine.index) + "] " +
            std::to_string(gap.startCycle) + "-" + std::to_string(gap.endCycle);
    text += " " + std::string(stringify(gap.mainCause())) + ":";
    for (Cause cause : allCauses)
      if (int64_t cycles = gap.cycles[static_cast<size_t>(cause)])
        text +=
            " " + std::string(stringify(cause)) + " " + std::to_string(cycles);
  }
  return text;
}

// The second engine is idle all the time: first as b waits for a, then as
// nothing starts behind b. Of equal causes the first is the gap's.
TEST(IdleGaps, aGapOverTwoCauses) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0, {0})};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                           {1, 0, {0, 0}, 10, 20, {0}, {}}}),
            "npu[1] 0-20 dependence: dependence 10 no_work 10");
}

// b waits for a, and c for b, on other engines each: npu[0] is idle from 10 on,
// 5 cycles for the sake of c and 20 for nothing; npu[1] before and after b.
TEST(IdleGaps, gapsBeforeAndBehind) {
  Problem problem = machine(3);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 5, 0, {0}),
                   task("c", matrix, 20, 0, {1})};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                           {1, 0, {0, 1}, 10, 15, {0}, {}},
                           {2, 0, {0, 2}, 15, 35, {0}, {}}}),
            "npu[0] 10-35 no_work: dependence 5 no_work 20; "
            "npu[1] 0-10 dependence: dependence 10; "
            "npu[1] 15-35 no_work: no_work 20; "
            "npu[2] 0-15 dependence: dependence 15");
}

// What takes no time fills no gap, and of engines that all work there is none.
TEST(IdleGaps, noGaps) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 0, 0, {0}),
                   task("c", matrix, 10, 0, {1})};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                           {1, 0, {0, 0}, 10, 10, {0}, {}},
                           {2, 0, {0, 0}, 10, 20, {0}, {}}}),
            "");
  problem.tasks = {task("a", matrix, 0, 0)};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 0, {0}, {}}}), "");
}

static void checkGaps(const Problem &problem, const Solution &solution) {
  std::optional<Explanation> explanation = explain(problem, solution);
  ASSERT_TRUE(explanation);
  // Each engine's cycles: once a slot, a fetch or a gap.
  std::map<std::pair<unsigned, int64_t>, std::vector<int>> covered;
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    for (int64_t index = 0; index < problem.engines[group].count; ++index)
      covered[{group, index}].resize(solution.makespan);
  auto cover = [&](EngineId engine, int64_t start, int64_t end) {
    for (int64_t cycle = start; cycle < end; ++cycle)
      ++covered[{engine.group, engine.index}][cycle];
  };
  for (const Slot &slot : solution.slots) {
    cover(slot.engine, slot.start, slot.end);
    for (EngineId other : slot.with)
      cover(other, slot.start, slot.end);
    for (const PrefetchSlot &fetch : slot.prefetches)
      cover(fetch.engine, fetch.start, fetch.end);
  }
  std::vector<CyclesByCause> sums(problem.engines.size());
  for (const IdleGap &gap : findIdleGaps(problem, solution, *explanation)) {
    cover(gap.engine, gap.startCycle, gap.endCycle);
    int64_t cycles = 0;
    for (size_t cause = 0; cause < allCauses.size(); ++cause) {
      sums[gap.engine.group][cause] += gap.cycles[cause];
      cycles += gap.cycles[cause];
    }
    ASSERT_EQ(cycles, gap.endCycle - gap.startCycle);
    ASSERT_GT(cycles, 0);
  }
  for (const auto &[engine, cycles] : covered)
    for (int count : cycles)
      ASSERT_EQ(count, 1);
  for (unsigned group = 0; group < problem.engines.size(); ++group)
    ASSERT_EQ(sums[group], explanation->engines[group].idleCycles);
}

// With the slots they fill the makespan, and add up to the idle cycles of the
// group by cause.
TEST(IdleGaps, ofListSchedules) { checkListSchedules(checkGaps); }
