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

/// A lower bound: no valid solution is shorter than `cycles`. `name` says what
/// binds: "critical_path", "work_<engines>", "bytes_<resource>",
/// "streams_<engines>", "room_<engines>" or "stages".
struct Bound {
  std::string name;
  int64_t cycles = 0;
};

/// The ways to cut tasks for which a bound holds: all ways (`Task::least`), or
/// only those that the problem offers (`Task::alternatives`). The latter bounds
/// may be larger.
enum class Cuts { All, Offered };

/// Computes all bounds of a sound problem, in a fixed order. The section
/// "Bounds" of dialects/llm/Spec.md defines them. They are the critical path,
/// the work of each set of engine groups to which some task is confined
/// ("work_core", "work_core_vpu"), the bytes of each resource, and the sum over
/// stages. If there is a memory engine, each such set also has bounds of what
/// is streamed to it. They subtract what fetching ahead can save, which is
/// limited by what memory engines move and by the room in private memory.
/// Returns nothing on overflow.
std::optional<std::vector<Bound>> lowerBounds(const Problem &problem,
                                              Cuts cuts = Cuts::All);

/// Returns the cycles of the largest bound, or 0 if there is none.
int64_t largestBound(const std::vector<Bound> &bounds);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_BOUNDS_H
