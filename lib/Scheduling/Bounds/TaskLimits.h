//===- TaskLimits.h - What no schedule of a task can beat -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_SCHEDULING_BOUNDS_TASKLIMITS_H
#define LLM_LIB_SCHEDULING_BOUNDS_TASKLIMITS_H

#include "FetchCurve.h"
#include "FetchLimits.h"
#include "llm/Scheduling/Bounds.h"
#include "llm/Scheduling/Problem.h"

namespace mlir::llm::scheduling {

/// The limits of one task in one of the ways to cut it, or the least of each
/// number over all ways, each for itself. "Fetched" means, if a memory engine
/// exists, that every source is fetched ahead that fits into private memory
/// beside the least that the part needs.
struct TaskLimits {
  int64_t spanCycles = 0;    ///< first start to last end, fetched
  int64_t engineCycles = 0;  ///< of all parts on engines, fetched
  double streamedCycles = 0; ///< the same when nothing is fetched
  struct Stream {
    /// All bytes, and those that cannot be fetched ahead.
    int64_t bytes = 0, ownBytes = 0;
    bool operator==(const Stream &other) const {
      return bytes == other.bytes && ownBytes == other.ownBytes;
    }
  };
  std::vector<Stream> streams; ///< of each resource
  /// Cycles of all parts on engines by what each limit on fetching counts.
  std::vector<FetchCurve> fetching;
  /// The engine groups that can run a part of it, as an index into
  /// `ProblemLimits::groupSets`.
  unsigned groupSet = 0;
  /// The groups of which a part holds an engine, too, as an index into
  /// `ProblemLimits::withSets`.
  unsigned withSet = 0;

  bool operator==(const TaskLimits &other) const {
    return spanCycles == other.spanCycles &&
           engineCycles == other.engineCycles &&
           streamedCycles == other.streamedCycles && streams == other.streams &&
           fetching == other.fetching && groupSet == other.groupSet &&
           withSet == other.withSet;
  }
};

using GroupSet = std::vector<bool>;

struct ProblemLimits {
  std::vector<TaskLimits> tasks;
  /// For tasks that can be cut in several ways, the limits in each of them.
  /// Empty if there are no such tasks, or too many to look at closely.
  std::vector<std::vector<TaskLimits>> choices;
  std::vector<GroupSet> groupSets; ///< each of them once
  std::vector<GroupSet> withSets;
};

/// Finds the limits of each task of a sound problem. Nothing on overflow.
std::optional<ProblemLimits>
findTaskLimits(const Problem &problem,
               const std::vector<FetchLimit> &fetchLimits, Cuts cuts);

} // namespace mlir::llm::scheduling

#endif // LLM_LIB_SCHEDULING_BOUNDS_TASKLIMITS_H
