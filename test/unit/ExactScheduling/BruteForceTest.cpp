//===- BruteForceTest.cpp - The exact solver against trying all -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"
#include "SmallProblems.h"
#include "llm/ExactScheduling/Exact.h"

using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

static size_t countRuns(const std::vector<Part> &parts) {
  size_t runs = 0;
  for (const Part &part : parts)
    runs += part.count * (1 + part.sources.size());
  return runs;
}

/// The most parts and fetches that there can be.
static size_t countRuns(const Problem &problem) {
  size_t runs = 0;
  for (const Task &task : problem.tasks) {
    size_t most = 0;
    for (unsigned choice = 0; choice <= task.alternatives.size(); ++choice)
      most = std::max(most, countRuns(task.partsOf(choice)));
    runs += most;
  }
  return runs;
}

namespace {
struct Tally {
  int decided = 0, searched = 0, fetched = 0, cut = 0;
};
} // namespace

/// The schedule is valid in the eyes of an independent judge, and trying all
/// finds none that is shorter.
static void expectOptimal(const Problem &problem, int64_t steps, Tally &tally) {
  ExactOptions options;
  options.usesListAndBounds = false;
  ExactResult result = scheduleExact(problem, options);
  ASSERT_EQ(result.status, ExactStatus::Optimal) << result.reason;
  ASSERT_TRUE(isValidByCounting(problem, result.solution));
  Answer answer = isThereShorter(problem, result.solution.makespan, steps);
  ASSERT_NE(answer, Answer::Yes);
  if (answer == Answer::TooMany)
    return;
  ++tally.decided;
  tally.searched += result.nodes > 0;
  for (const Slot &slot : result.solution.slots)
    tally.fetched += !slot.prefetches.empty();
  for (unsigned choice : result.solution.choices)
    tally.cut += choice > 0;
}

// Problems in which everything happens.
TEST(BruteForce, AgreesOnEverything) {
  Dice dice(11);
  ProblemMaker maker(dice, /*isTogether=*/false);
  Tally tally;
  for (int made = 0; made < 12000 && !HasFailure(); ++made) {
    SCOPED_TRACE(made);
    Problem problem = maker.make();
    if (countRuns(problem) <= 10 && problem.check().empty())
      expectOptimal(problem, 6000, tally);
  }
  EXPECT_GE(tally.decided, 300);
  EXPECT_GE(tally.searched, 300);
  EXPECT_GE(tally.fetched, 100);
  EXPECT_GE(tally.cut, 300);
}

// Problems like those of the comparison of solvers, of up to seven tasks.
TEST(BruteForce, AgreesOnSmallProblems) {
  Dice dice(12);
  SmallProblemMaker maker(dice, 3, 7);
  Tally tally;
  for (int made = 0; made < 1000 && !HasFailure(); ++made) {
    SCOPED_TRACE(made);
    expectOptimal(maker.make(), 20000, tally);
  }
  EXPECT_GE(tally.decided, 300);
  EXPECT_GE(tally.searched, 300);
  EXPECT_GE(tally.fetched, 50);
}
