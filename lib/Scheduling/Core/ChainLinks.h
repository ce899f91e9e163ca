//===- ChainLinks.h - What is next to a slot in its chain -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_CHAINLINKS_H
#define LLM_LIB_SCHEDULING_CORE_CHAINLINKS_H

#include "llm/Scheduling/Problem.h"

#include <map>

namespace mlir::llm::scheduling {

/// The slot of each part that is in a chain. Problem and slots must outlive
/// this.
class ChainLinks {
public:
  explicit ChainLinks(const Problem &problem) : problem(problem) {}
  /// Takes the slots of a valid solution.
  ChainLinks(const Problem &problem, const Solution &solution)
      : ChainLinks(problem) {
    for (const Slot &slot : solution.slots)
      add(slot);
  }
  /// Adds a slot, whose task and part must exist. If a part has several slots,
  /// the first counts.
  void add(const Slot &slot) {
    if (problem.tasks[slot.task].chains.areThere())
      slotOf.insert({{slot.task, slot.part}, &slot});
  }
  /// The slot that this one waits for, or that waits for this one. Null if
  /// there is none.
  const Slot *before(const Slot &slot) const {
    const Chains &chains = problem.tasks[slot.task].chains;
    return chains.isFirst(slot.part) ? nullptr
                                     : at(slot, slot.part - chains.stride);
  }
  const Slot *behind(const Slot &slot) const {
    const Chains &chains = problem.tasks[slot.task].chains;
    return chains.isLast(slot.part) ? nullptr
                                    : at(slot, slot.part + chains.stride);
  }

private:
  const Slot *at(const Slot &slot, int64_t part) const {
    auto found = slotOf.find({slot.task, static_cast<unsigned>(part)});
    return found == slotOf.end() ? nullptr : found->second;
  }

  const Problem &problem;
  std::map<std::pair<unsigned, unsigned>, const Slot *> slotOf;
};

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_CHAINLINKS_H
