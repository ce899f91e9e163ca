//===- SmallProblems.h - Problems that can be solved exactly ----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_EXACTSCHEDULING_SMALLPROBLEMS_H
#define LLM_TEST_UNIT_EXACTSCHEDULING_SMALLPROBLEMS_H

#include "../Scheduling/RandomProblems.h"

namespace mlir::llm::scheduling::test {

/// The random problems on which solvers are compared: few tasks of one part, an
/// edge between two of them with a chance of 0.1 to 0.5, two kinds of
/// engines. 60 % of the problems have a memory of 2 to 8 lanes, ports below it,
/// and traffic; a third of all problems also have memory engines and sources,
/// of which a quarter is written by a task ahead, where there is one.
class SmallProblemMaker {
public:
  explicit SmallProblemMaker(Dice &dice, int64_t fewest = 6, int64_t most = 10)
      : dice(dice), fewest(fewest), most(most) {}

  Problem make() {
    int64_t chance = dice.between(1, 100);
    hasTraffic = chance <= 60;
    hasPrefetch = chance <= 33;
    Problem problem;
    problem.clockHz = 1;
    lanes = dice.between(2, 8);
    problem.resources = {{"dram", dice.between(1, 4), lanes}};
    addEngines(problem, "core", matrix, dice.between(1, 3));
    addEngines(problem, "vpu", vector, dice.between(1, 2));
    if (hasPrefetch)
      addEngines(problem, "dma", memory, dice.between(1, 2));
    int64_t percent = dice.between(10, 50);
    for (int64_t tasks = dice.between(fewest, most); tasks > 0; --tasks)
      addTask(problem, percent);
    return problem;
  }

private:
  void addEngines(Problem &problem, std::string name, EngineKindSet kinds,
                  int64_t count) {
    problem.engines.push_back({std::move(name),
                               kinds,
                               count,
                               {dice.between(1, lanes - 1)},
                               dice.between(16, 64)});
  }

  void addTask(Problem &problem, int64_t percent) {
    Task task;
    unsigned index = problem.tasks.size();
    task.name = "t" + std::to_string(index);
    task.kinds = dice.oneIn(3) ? vector : matrix;
    task.parts = {makePart()};
    for (unsigned other = 0; other < index; ++other)
      if (dice.between(1, 100) <= percent)
        task.predecessors.push_back(other);
    for (Source &source : task.parts[0].sources)
      if (!task.predecessors.empty() && dice.oneIn(4))
        source.predecessors = {
            task.predecessors[dice.between(0, task.predecessors.size() - 1)]};
    problem.tasks.push_back(task);
  }

  Part makePart() {
    Part part;
    part.overheadCycles = dice.between(0, 1);
    part.computeCycles = dice.between(1, 20);
    part.workingSetBytes = dice.between(0, 16);
    part.bytes = {hasTraffic && !dice.oneIn(4) ? dice.between(1, 20) : 0};
    if (hasPrefetch && part.bytes[0] > 0 && !dice.oneIn(3)) {
      int64_t bytes = dice.between(1, part.bytes[0]);
      part.sources = {
          {"w", {bytes}, bytes, dice.between(0, part.workingSetBytes)}};
    }
    return part;
  }

  Dice &dice;
  int64_t fewest, most; ///< tasks
  int64_t lanes = 0;
  bool hasTraffic = false, hasPrefetch = false;
};

} // namespace mlir::llm::scheduling::test

#endif // LLM_TEST_UNIT_EXACTSCHEDULING_SMALLPROBLEMS_H
