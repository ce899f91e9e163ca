//===- Cutoff.h - When a run can no longer be short enough ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_LIST_CUTOFF_H
#define LLM_LIB_SCHEDULING_LIST_CUTOFF_H

#include "MachineState.h"

namespace mlir::llm::scheduling {

/// Says during a run whether its makespan can still be below a limit.
///
/// The engines of a group, and the lanes of a resource, have only so many
/// cycles before the limit. Parts need some of these wherever and whenever they
/// run, and the rest may pass unused. Once more than that has passed unused,
/// the limit is out of reach.
class Cutoff {
public:
  Cutoff(const Problem &problem, const PartTable &table,
         const MachineState &machine, int64_t limit);

  /// Notes that a part starts on an engine of this group, for so many cycles.
  void noteStart(size_t part, unsigned group, int64_t cycles);
  /// Notes that the machine is about to move on by so many cycles.
  void noteWait(const MachineState &machine, int64_t cycles);
  bool isReached() const { return isOut; }

private:
  void take(double &spare, double cycles) {
    spare -= cycles;
    isOut |= spare < 0;
  }

  const PartTable &table;
  /// Cycles that may yet pass unused, of all engines of a group and of all
  /// lanes of a resource.
  std::vector<double> spareOfGroup, spareOfResource;
  bool isOut = false;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_LIST_CUTOFF_H
