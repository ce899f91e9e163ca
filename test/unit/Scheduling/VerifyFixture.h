//===- VerifyFixture.h - One schedule to break in every way -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_SCHEDULING_VERIFYFIXTURE_H
#define LLM_TEST_UNIT_SCHEDULING_VERIFYFIXTURE_H

#include "Fixtures.h"

#include <functional>

namespace mlir::llm::scheduling::test {

// One schedule, valid to the last lane and byte, that each test breaks in one
// way. The DRAM gives one byte per cycle; half of it, 512 lanes, is the port of
// each engine, so that b bytes take 2 b cycles.
//
//   cycle    0         100        200        300   320
//   npu[0]   | norm     |          | q_proj   | out |
//   npu[1]              | k_proj   . . . . .  |
//   dma[0]   | q_proj.weight       |
//   dma[1]   | out.weight |
//   lanes    | 512+512  | 512+512  | 512+512  | 0   |
//   npu[0]   | 100+150  | 150      | 200+150  | 50+50 bytes
//
// norm: 10 + 90 cycles of arithmetic. q_proj: 150 bytes, of which 100 are
// fetched in 200 cycles, so 50 are left for 100 cycles. k_proj: 100 bytes in
// 200 cycles; its bias has no byte and is fetched in no time. out: 20 cycles;
// all of its 50 bytes are fetched.
enum TaskIndex { norm, qProj, kProj, out };

struct Schedule {
  Problem problem = machine(2, /*portLanes=*/512);
  Solution solution;

  Schedule() {
    problem.engines[0].privateBytes = 350;
    problem.engines.push_back({"dma", memory, 2, {512}, 350});
    problem.tasks = {task("norm", vector, 90, 0),
                     task("q_proj", matrix, 50, 150, {norm}),
                     task("k_proj", matrix, 100, 100, {norm}),
                     task("out", matrix, 20, 50, {qProj, kProj})};
    part(norm).overheadCycles = 10;
    part(norm).workingSetBytes = 100;
    part(qProj).workingSetBytes = 200;
    part(qProj).sources = {{"q_proj.weight", {100}, 100}};
    part(kProj).workingSetBytes = 100;
    part(kProj).sources = {{"k_proj.bias", {0}, 0}};
    part(out).workingSetBytes = 50;
    part(out).sources = {{"out.weight", {50}, 50}};
    solution.slots = {
        {norm, 0, {0, 0}, 0, 100, {0}, {}},
        {qProj, 0, {0, 0}, 200, 300, {512}, {{0, {1, 0}, 0, 200, {512}}}},
        {kProj, 0, {0, 1}, 100, 300, {512}, {{0, {1, 0}, 0, 0, {0}}}},
        {out, 0, {0, 0}, 300, 320, {0}, {{0, {1, 1}, 0, 100, {512}}}}};
    solution.makespan = 320;
  }
  Part &part(unsigned task) { return problem.tasks[task].parts[0]; }
  Slot &slot(unsigned task) { return solution.slots[task]; }
  PrefetchSlot &fetch(unsigned task) { return slot(task).prefetches[0]; }
};

/// The messages after `change`; they must all be of one rule.
inline std::string broken(const std::string &rule,
                          const std::function<void(Schedule &)> &change) {
  Schedule schedule;
  change(schedule);
  EXPECT_EQ(schedule.problem.check(), std::vector<std::string>());
  std::vector<Violation> violations =
      verify(schedule.problem, schedule.solution);
  EXPECT_FALSE(violations.empty());
  std::string text;
  for (const Violation &violation : violations) {
    EXPECT_EQ(violation.rule, rule) << violation.message;
    text += (text.empty() ? "" : "; ") + violation.message;
  }
  return text;
}
using S = Schedule;

} // namespace mlir::llm::scheduling::test

#endif // LLM_TEST_UNIT_SCHEDULING_VERIFYFIXTURE_H
