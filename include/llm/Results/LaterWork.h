//===- LaterWork.h - What engines have still to do --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stretch is explained by itself, and once for all its runs. After its last
// slot in a stretch, an engine waits for the next stretch, or has no more work.
// Which of these it is depends on the run.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_LATERWORK_H
#define LLM_RESULTS_LATERWORK_H

#include "llm/Program/Program.h"
#include "llm/Target/Target.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::llm {

class LaterWork {
public:
  LaterWork() = default;
  LaterWork(const Program &program, const Target &target);

  /// Says whether an engine of the group has work after a run of the stretch.
  bool isBehind(const ProgramItem &stretch, ArrayRef<int64_t> iterations,
                unsigned group) const;
  /// Returns the number of runs of the stretch after which the group has no
  /// work.
  int64_t countLastRuns(const ProgramItem &stretch, unsigned group) const;

private:
  struct Loop {
    int64_t trips;
    ::llvm::BitVector groups; ///< groups with work in its body
  };
  struct Place {
    std::vector<Loop> loops;  ///< loops around it, outermost first
    ::llvm::BitVector groups; ///< groups with later work after any iteration
  };
  const Place &placeOf(const ProgramItem &stretch) const {
    return places.find(&stretch)->second;
  }

  DenseMap<const ProgramItem *, Place> places;
  friend class LaterWorkFinder;
};

} // namespace mlir::llm

#endif // LLM_RESULTS_LATERWORK_H
