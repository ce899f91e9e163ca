//===- ImproveTest.cpp - The search from the list schedule on -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixtures.h"
#include "RandomProblems.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

static ImproveOptions evaluations(int64_t count, uint32_t seed = 1) {
  ImproveOptions options;
  options.evaluations = count;
  options.seed = seed;
  return options;
}

static std::vector<std::string> slotsOf(const Problem &problem,
                                        const Solution &solution) {
  std::vector<std::string> slots;
  for (const Slot &slot : solution.slots)
    slots.push_back(show(problem, slot));
  return slots;
}

/// On two engines: two tasks of 3 cycles and three of 2. Longest first takes
/// 3 + 2 + 2 = 7 cycles; the two of 3 on one engine take 6, and no engine is
/// idle then.
static Problem fiveTasks() {
  Problem problem = machine(2);
  for (int64_t cycles : {3, 3, 2, 2, 2})
    problem.tasks.push_back(
        task("t" + std::to_string(problem.tasks.size()), matrix, cycles, 0));
  return problem;
}

// Another order is found where the longest way first is not the best, and the
// search ends at the bound.
TEST(Improve, FindsAnotherOrder) {
  Problem problem = fiveTasks();
  EXPECT_EQ(scheduleList(problem)->makespan, 7);
  std::optional<ImproveResult> result =
      scheduleImproved(problem, evaluations(1000));
  ASSERT_TRUE(result);
  EXPECT_TRUE(isValid(problem, result->solution));
  EXPECT_EQ(result->solution.makespan, 6);
  EXPECT_EQ(result->lowerBoundCycles, 6);
  EXPECT_LT(result->evaluations, 1000);
}

TEST(Improve, NoTasks) {
  std::optional<ImproveResult> result =
      scheduleImproved(machine(2), evaluations(10));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->solution.makespan, 0);
  EXPECT_EQ(result->evaluations, 0);
}

// The callback sees every evaluation, a makespan that never grows, and ends the
// search: before the first evaluation, the list schedule is what is left.
TEST(Improve, ReportEndsIt) {
  Problem problem = fiveTasks();
  std::vector<int64_t> seen;
  ImproveOptions options = evaluations(1000);
  options.report = [&](const ImproveProgress &progress) {
    EXPECT_EQ(progress.evaluations, int64_t(seen.size()));
    EXPECT_EQ(progress.lowerBoundCycles, 6);
    EXPECT_LE(progress.makespan, seen.empty() ? 7 : seen.back());
    seen.push_back(progress.makespan);
    return true;
  };
  std::optional<ImproveResult> result = scheduleImproved(problem, options);
  EXPECT_EQ(int64_t(seen.size()), result->evaluations);
  options.report = [](const ImproveProgress &) { return false; };
  result = scheduleImproved(problem, options);
  EXPECT_EQ(result->evaluations, 0);
  EXPECT_EQ(slotsOf(problem, result->solution),
            slotsOf(problem, *scheduleList(problem)));
}

// A limit in seconds ends it, too. One part can be 4 or 3 cycles: on two
// engines with three such tasks nothing takes less than 6, and no bound says
// so: 9 cycles of work on two engines are 5.
TEST(Improve, SecondsEndIt) {
  Problem problem = machine(2);
  for (const char *name : {"a", "b", "c"})
    problem.tasks.push_back(task(name, matrix, 3, 0));
  ImproveOptions options;
  options.seconds = 0.05;
  std::optional<ImproveResult> result = scheduleImproved(problem, options);
  EXPECT_EQ(result->solution.makespan, 6);
  EXPECT_LT(result->lowerBoundCycles, 6);
  EXPECT_GT(result->evaluations, 0);
}

// Valid, never longer than the list schedule, sometimes shorter, and the same
// for the same seed.
TEST(Improve, ValidAndNoLongerThanList) {
  Dice dice(11);
  ProblemMaker maker(dice);
  size_t shorter = 0;
  for (unsigned seed = 0; seed < 500;) {
    Problem problem = maker.make();
    if (!problem.check().empty())
      continue;
    std::optional<Solution> list = scheduleList(problem);
    std::optional<ImproveResult> result =
        scheduleImproved(problem, evaluations(60, ++seed));
    ASSERT_TRUE(list && result);
    EXPECT_TRUE(isValid(problem, result->solution));
    EXPECT_TRUE(isValidByCounting(problem, result->solution));
    EXPECT_LE(result->solution.makespan, list->makespan);
    EXPECT_GE(result->solution.makespan, result->lowerBoundCycles);
    shorter += result->solution.makespan < list->makespan;
    std::optional<ImproveResult> again =
        scheduleImproved(problem, evaluations(60, seed));
    EXPECT_EQ(slotsOf(problem, result->solution),
              slotsOf(problem, again->solution));
  }
  EXPECT_GT(shorter, 0u);
}
