//===- SlotRules.h - The rules for one slot alone ---------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_CORE_SLOTRULES_H
#define LLM_LIB_SCHEDULING_CORE_SLOTRULES_H

#include "llm/Scheduling/Problem.h"

#include <functional>

namespace mlir::llm::scheduling {

/// What the slots of parts and of fetches have in common.
struct AnySlot {
  unsigned task, part;
  const Part *shape;         ///< the part of the slot
  const PrefetchSlot *fetch; ///< null: the part itself
  EngineId engine;
  int64_t start, end;
  const std::vector<int64_t> *lanes;
};

/// What a slot does. S2 makes a length of it.
struct Demand {
  std::vector<int64_t> bytes;
  int64_t fixedCycles = 0, computeCycles = 0;
};

/// "'q_proj'" or "the fetch of 'q_proj.weight' for 'q_proj'".
std::string nameOfSlot(const Problem &problem, const AnySlot &slot);

bool exists(const Problem &problem, EngineId engine);

struct SlotVerdict {
  bool engineExists = false, timesExist = false;
};

/// Reports what breaks S2, S3 or S4 (a fetch: S8) in a slot whatever else runs.
SlotVerdict
checkAlone(const Problem &problem, const AnySlot &slot, const Demand &demand,
           EngineKindSet kinds,
           const std::function<void(const char *, std::string)> &report);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_CORE_SLOTRULES_H
