//===- ExactSearch.h - policy=exact of llm-schedule -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TRANSFORMS_EXACTSEARCH_H
#define LLM_LIB_TRANSFORMS_EXACTSEARCH_H

#include "SearchLine.h"
#include "llm/ExactScheduling/Exact.h"

namespace mlir::llm {

/// Searches for the best schedules of the stretches of one function, and
/// gathers what it has proven of them; until an interrupt.
class ExactSearch {
public:
  ExactSearch(scheduling::ExactOptions limits, SearchLine &line);
  ExactSearch(const ExactSearch &) = delete; // its options know where it is
  ExactSearch &operator=(const ExactSearch &) = delete;

  /// The next stretch, which runs so many times.
  scheduling::ExactResult solve(const scheduling::Problem &problem,
                                int64_t trips);

  /// All stretches together take at least as long.
  int64_t proven() const { return provenCycles; }
  /// Why the schedule of some stretch is not proven; empty if each is.
  StringRef unproven() const { return reason; }
  /// "optimal", or the gap of the function to what is proven.
  std::string describe(int64_t makespanCycles, int64_t lowerBoundCycles) const;
  /// Before all was proven.
  bool wasInterrupted() const { return interrupted && !reason.empty(); }
  /// The same answer on every machine.
  bool isReproducible() const {
    return reason.empty() || (options.seconds == 0 && !interrupted);
  }

private:
  scheduling::ExactOptions options;
  std::string reason;
  int64_t provenCycles = 0;
  bool interrupted = false;
};

} // namespace mlir::llm

#endif // LLM_LIB_TRANSFORMS_EXACTSEARCH_H
