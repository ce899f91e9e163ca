//===- Fixtures.h - Small machines and tasks for tests ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_SCHEDULING_FIXTURES_H
#define LLM_TEST_UNIT_SCHEDULING_FIXTURES_H

#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Problem.h"
#include "llm/Scheduling/Solvers.h"

#include <gtest/gtest.h>

namespace mlir::llm::scheduling::test {

inline const EngineKindSet matrix = EngineKind::Matrix;
inline const EngineKindSet vector = EngineKind::Vector;
inline const EngineKindSet memory = EngineKind::Memory;
inline EngineKindSet both() {
  EngineKindSet set = matrix;
  set.insert(vector);
  return set;
}

/// A DRAM of one byte per cycle, cut into 1024 lanes, and `count` engines for
/// matrix and vector work. With a port of L lanes, b bytes take ceil(b * 1024 /
/// L) cycles.
inline Problem machine(int64_t count, int64_t portLanes = 1024) {
  Problem problem;
  problem.clockHz = 1000000000;
  problem.resources = {{"dram", 1000000000, 1024}};
  problem.engines = {{"npu", both(), count, {portLanes}, 1000}};
  return problem;
}

/// A task of one part.
inline Task task(std::string name, EngineKindSet kinds, int64_t compute,
                 int64_t bytes, std::vector<unsigned> predecessors = {}) {
  Part part;
  part.computeCycles = compute;
  part.bytes = {bytes};
  return {
      std::move(name), kinds, std::nullopt, {part}, std::move(predecessors)};
}

/// All messages, for a readable failure.
inline std::string textOf(const std::vector<Violation> &violations) {
  std::string text;
  for (const Violation &violation : violations)
    text += violation.rule + ": " + violation.message + "\n";
  return text;
}

inline ::testing::AssertionResult isValid(const Problem &problem,
                                          const Solution &solution) {
  std::vector<Violation> violations = verify(problem, solution);
  if (violations.empty())
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << textOf(violations);
}

/// "npu[1] 0..100 lanes 512": a slot in one line.
inline std::string show(const Problem &problem, const Slot &slot) {
  std::string text = problem.engines[slot.engine.group].name + "[" +
                     std::to_string(slot.engine.index) + "] " +
                     std::to_string(slot.start) + ".." +
                     std::to_string(slot.end) + " lanes";
  for (int64_t lanes : slot.lanes)
    text += " " + std::to_string(lanes);
  return text;
}

} // namespace mlir::llm::scheduling::test

#endif // LLM_TEST_UNIT_SCHEDULING_FIXTURES_H
