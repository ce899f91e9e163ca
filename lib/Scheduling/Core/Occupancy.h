//===- Occupancy.h - What is idle and free as time goes by ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_OCCUPANCY_H
#define LLM_LIB_SCHEDULING_CORE_OCCUPANCY_H

#include "llm/Scheduling/Problem.h"

#include <map>
#include <set>

namespace mlir::llm::scheduling {

/// Engines, lanes and private memory under a finished schedule, at a time that
/// only moves forward. (Solvers, which make one, have MachineState.)
class Occupancy {
public:
  /// Takes a valid solution.
  Occupancy(const Problem &problem, const Solution &solution);

  /// Moves on to just before `time`. What starts or ends at `time` has not yet
  /// done so.
  void advanceTo(int64_t time);

  bool isIdle(EngineId engine) const;
  int64_t freeBytes(EngineId engine) const;
  bool areFree(const std::vector<int64_t> &lanes) const;
  /// The number of idle engines of the group.
  int64_t countIdle(unsigned group) const;
  /// The most private memory that is free on an idle engine of the group.
  /// Nothing if none is idle.
  std::optional<int64_t> mostFreeOnIdle(unsigned group) const;
  /// Returns the engines of the group times the cycles that they were idle
  /// since the last call.
  int64_t takeIdleCycles(unsigned group);

private:
  /// What starts to be held, or is given back.
  struct Change {
    int64_t time;
    int sign; ///< 1: is held from now on
    size_t engine;
    bool takesEngine;
    int64_t bytes;
    const std::vector<int64_t> *lanes; ///< null: none
  };
  struct Engine {
    unsigned group;
    int64_t freeBytes;
    bool isBusy = false;
  };
  struct Group {
    int64_t unused;                  ///< engines without any slot
    std::multiset<int64_t> idleFree; ///< free bytes of the others that are idle
    int64_t idleCycles = 0, countedUpTo = 0;
  };

  void hold(int64_t start, int64_t end, EngineId engine, bool takesEngine,
            int64_t bytes, const std::vector<int64_t> *lanes);
  size_t numberOf(EngineId engine);
  void apply(const Change &change);
  void countIdleCycles(unsigned group);

  const Problem &problem;
  int64_t now = 0;
  std::vector<Change> changes;                            ///< by time
  size_t next = 0;                                        ///< in `changes`
  std::map<std::pair<unsigned, int64_t>, size_t> numbers; ///< in `engines`
  std::vector<Engine> engines; ///< those with slots or slices
  std::vector<Group> groups;
  std::vector<int64_t> freeLanes;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_OCCUPANCY_H
