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
/// "critical_path", "work_<engines>", "bytes_<resource>", "streams_<engines>",
/// "room_<engines>" or "stages".
struct Bound {
  std::string name;
  int64_t cycles = 0;
};

/// The ways to cut tasks that a bound ranges over: all that there are
/// (`Task::least`), or those that the problem offers (`Task::alternatives`),
/// which may be longer.
enum class Cuts { All, Offered };

/// All bounds of a sound problem, in a fixed order, as dialects/llm/Spec.md has
/// them in its section "Bounds": the critical path; the work of each set of
/// engine groups to which some task is confined ("work_core",
/// "work_core_vpu"); the bytes of each resource; where a memory engine exists,
/// what is streamed to each such set, less what fetching ahead can save, by
/// what memory engines move and by what private memory has room for; and the
/// sum over stages. Nothing on overflow.
std::optional<std::vector<Bound>> lowerBounds(const Problem &problem,
                                              Cuts cuts = Cuts::All);

/// Cycles of the largest; 0 of none.
int64_t largestBound(const std::vector<Bound> &bounds);

} // namespace mlir::llm::scheduling

#endif // LLM_SCHEDULING_BOUNDS_H
