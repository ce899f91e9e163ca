//===- ListSchedules.h - Schedules of random problems -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_SCHEDULING_LISTSCHEDULES_H
#define LLM_TEST_UNIT_SCHEDULING_LISTSCHEDULES_H

#include "RandomProblems.h"
#include "llm/Scheduling/Solvers.h"

namespace mlir::llm::scheduling::test {

/// Calls `check`, which may fail fatally, on random problems whose ops are cut
/// already, with the dice of each.
template <typename Check>
void checkCutProblems(unsigned seeds, Check check) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    Problem problem = ProblemMaker(dice).make();
    if (!problem.check().empty())
      continue;
    for (Task &task : problem.tasks)
      task.alternatives.clear();
    ASSERT_NO_FATAL_FAILURE(check(problem, dice));
  }
}

/// The same on the list schedules of 2000 of them.
template <typename Check>
void checkListSchedules(Check check) {
  checkCutProblems(2000, [&](const Problem &problem, Dice &) {
    std::optional<Solution> solution = scheduleList(problem);
    ASSERT_TRUE(solution);
    check(problem, *solution);
  });
}

} // namespace mlir::llm::scheduling::test

#endif // LLM_TEST_UNIT_SCHEDULING_LISTSCHEDULES_H
