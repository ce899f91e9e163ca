//===- Bounds.h - Lower bounds of the makespan ------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SCHEDULING_BOUNDS_H
#define LLM_SCHEDULING_BOUNDS_H

#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// No valid solution is shorter than `cycles`; `name` says what binds:
/// "critical_path", "work_<engines>" or "bytes_<resource>".
struct Bound {
  std::string name;
  int64_t cycles = 0;
};

/// All bounds of a sound problem, in a fixed order: the critical path (each
/// part at its shortest length, where a memory engine exists without the
/// sources that fit into private memory beside the working set); for each set
/// of engine groups to which some task is confined ("work_core",
/// "work_core_vpu") these shortest lengths of all tasks that run nowhere else,
/// over the engines of the set; and the bytes of each resource over its rate.
/// Nothing on overflow.
std::optional<std::vector<Bound>> lowerBounds(const Problem &problem);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_BOUNDS_H
