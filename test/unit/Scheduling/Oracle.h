//===- Oracle.h - A slow second opinion on schedules ------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TEST_UNIT_SCHEDULING_ORACLE_H
#define LLM_TEST_UNIT_SCHEDULING_ORACLE_H

#include "llm/Scheduling/Problem.h"

#include <map>

namespace mlir::llm::scheduling::test {

/// The rules S2 and S3 by their definition: counts cycles and lanes one by one.
/// Nothing when a resource is streamed with no lane.
std::optional<int64_t> slowLength(const Problem &problem,
                                  const std::vector<int64_t> &bytes,
                                  int64_t fixed, int64_t compute,
                                  const std::vector<int64_t> &lanes,
                                  const EngineGroup &engine);
/// Takes lanes away while the length stays the same.
void dropIdleLanes(const Problem &problem, const std::vector<int64_t> &bytes,
                   int64_t fixed, int64_t compute, std::vector<int64_t> &lanes,
                   const EngineGroup &engine);

/// Who holds what in every single cycle.
class Grid {
public:
  explicit Grid(const Problem &problem) : problem(&problem) {}

  bool engineIsFree(EngineId engine, int64_t start, int64_t end) const;
  bool lanesAreFree(const std::vector<int64_t> &lanes, int64_t start,
                    int64_t end) const;
  bool memoryIsFree(EngineId engine, int64_t bytes, int64_t start,
                    int64_t end) const;
  void takeEngine(EngineId engine, int64_t start, int64_t end);
  void takeLanes(const std::vector<int64_t> &lanes, int64_t start, int64_t end);
  void takeMemory(EngineId engine, int64_t bytes, int64_t start, int64_t end);

private:
  using Row = std::vector<int64_t>; ///< one number for each cycle
  static int64_t at(const Row &row, int64_t cycle);
  static void add(Row &row, int64_t start, int64_t end, int64_t amount);

  const Problem *problem; ///< a pointer, so that grids can be assigned
  std::map<std::pair<unsigned, int64_t>, Row> busy, bytes;
  std::map<size_t, Row> lanes;
};

/// S1 to S9, cycle by cycle, without anything of the library but its types.
/// The problem with each task cut as the solution says, and every part for
/// itself.
Problem spellOut(const Problem &problem, const Solution &solution);

/// Kinds that the engines beside a part's own do not have.
EngineKindSet leftOf(const Problem &problem, const Task &task);

/// The part that this one comes behind in its chain; itself: none.
unsigned beforeInChain(const Task &task, unsigned part);

/// Of private memory, beside slices.
int64_t needOf(const Part &part, const Slot &slot);

bool isValidByCounting(const Problem &problem, const Solution &solution);

} // namespace mlir::llm::scheduling::test

#endif // LLM_TEST_UNIT_SCHEDULING_ORACLE_H
