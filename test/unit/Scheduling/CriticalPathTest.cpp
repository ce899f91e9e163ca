//===- CriticalPathTest.cpp - What the makespan is made of ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Scheduling/CriticalPath.h"
#include "ListSchedules.h"

using namespace mlir::llm;
using namespace mlir::llm::scheduling;
using namespace mlir::llm::scheduling::test;

static int64_t startOf(const Solution &solution, const PathStep &step) {
  const Slot &slot = solution.slots[step.slot];
  return step.fetch ? slot.prefetches[*step.fetch].start : slot.start;
}

static int64_t endOf(const Solution &solution, const PathStep &step) {
  const Slot &slot = solution.slots[step.slot];
  return step.fetch ? slot.prefetches[*step.fetch].end : slot.end;
}

/// "a 0-10 none; fetch of b 10-20 engine; .."
static std::string show(const Problem &problem, std::vector<Slot> slots) {
  Solution solution;
  solution.slots = std::move(slots);
  for (const Slot &slot : solution.slots)
    solution.makespan = std::max(solution.makespan, slot.end);
  EXPECT_TRUE(isValid(problem, solution));
  std::string text;
  for (const PathStep &step : findCriticalPath(problem, solution))
    text += (text.empty() ? "" : "; ") +
            std::string(step.fetch ? "fetch of " : "") +
            problem.tasks[solution.slots[step.slot].task].name + " " +
            std::to_string(startOf(solution, step)) + "-" +
            std::to_string(endOf(solution, step)) + " " +
            std::string(stringify(step.cause));
  return text;
}

// c waits for b, not for a, which ends as early but on another engine; d, which
// ends before, is not on the path.
TEST(CriticalPath, followsDependences) {
  Problem problem = machine(2);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0),
                   task("c", matrix, 10, 0, {1}), task("d", matrix, 5, 0)};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                           {1, 0, {0, 1}, 0, 10, {0}, {}},
                           {2, 0, {0, 0}, 10, 20, {0}, {}},
                           {3, 0, {0, 1}, 10, 15, {0}, {}}}),
            "b 0-10 none; c 10-20 dependence");
}

// One engine: b waits for it.
TEST(CriticalPath, followsEngines) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 10, 0), task("b", matrix, 10, 0)};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 10, {0}, {}},
                           {1, 0, {0, 0}, 10, 20, {0}, {}}}),
            "a 0-10 none; b 10-20 engine");
}

// a holds all lanes up to 100, when b starts on another engine. Nothing ends
// when c starts at 210: it follows b, which ended last.
TEST(CriticalPath, followsLanesAndChoices) {
  Problem problem = machine(3);
  problem.tasks = {task("a", matrix, 0, 100), task("b", matrix, 0, 100),
                   task("c", matrix, 10, 0)};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 100, {1024}, {}},
                           {1, 0, {0, 1}, 100, 200, {1024}, {}},
                           {2, 0, {0, 2}, 210, 220, {0}, {}}}),
            "a 0-100 none; b 100-200 bandwidth; c 210-220 choice");
}

// The second fetch waits for the DMA, the part for the fetch. A task without
// length is no step.
TEST(CriticalPath, followsFetches) {
  Problem problem = machine(1);
  problem.engines.push_back({"dma", memory, 1, {1024}, 0});
  for (const char *name : {"a", "b"}) {
    Task fetching = task(name, matrix, 15, 100);
    fetching.parts[0].sources = {{"w", {100}, 100}};
    problem.tasks.push_back(fetching);
  }
  problem.tasks.push_back(task("end", matrix, 0, 0, {1}));
  EXPECT_EQ(
      show(problem,
           {{0, 0, {0, 0}, 100, 115, {0}, {{0, {1, 0}, 0, 100, {1024}}}},
            {1, 0, {0, 0}, 200, 215, {0}, {{0, {1, 0}, 100, 200, {1024}}}},
            {2, 0, {0, 0}, 215, 215, {0}, {}}}),
      "fetch of a 0-100 none; fetch of b 100-200 engine; b 200-215 fetch");
}

TEST(CriticalPath, ofNothing) {
  Problem problem = machine(1);
  problem.tasks = {task("a", matrix, 0, 0)};
  EXPECT_EQ(show(problem, {{0, 0, {0, 0}, 0, 0, {0}, {}}}), "");
}

static void checkPath(const Problem &problem, const Solution &solution) {
  std::vector<PathStep> path = findCriticalPath(problem, solution);
  std::vector<int64_t> ends; // of all that takes time
  for (const Slot &slot : solution.slots) {
    if (slot.start < slot.end)
      ends.push_back(slot.end);
    for (const PrefetchSlot &fetch : slot.prefetches)
      if (fetch.start < fetch.end)
        ends.push_back(fetch.end);
  }
  ASSERT_EQ(path.empty(), ends.empty());
  if (path.empty())
    return;
  ASSERT_EQ(endOf(solution, path.back()),
            *std::max_element(ends.begin(), ends.end()));
  std::optional<int64_t> before;
  for (const PathStep &step : path) {
    int64_t start = startOf(solution, step);
    ASSERT_LT(start, endOf(solution, step));
    std::optional<int64_t> last; // that ends up to its start
    for (int64_t end : ends)
      if (end <= start)
        last = std::max(last.value_or(end), end);
    ASSERT_EQ(before, last);
    ASSERT_EQ(step.cause == Cause::None, !before);
    if (before) {
      ASSERT_EQ(step.cause == Cause::Choice, *before < start);
    }
    before = endOf(solution, step);
  }
}

// A chain from the first step to the last end: each begins when the one before
// it ends, or as nothing else does.
TEST(CriticalPath, ofListSchedules) { checkListSchedules(checkPath); }
