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

/// Searches for the best schedules of the stretches of one function, until an
/// interrupt, and adds up what it has proven of them.
class ExactSearch {
public:
  ExactSearch(scheduling::ExactOptions limits, SearchLine &line);
  ExactSearch(const ExactSearch &) = delete; // its options point to it
  ExactSearch &operator=(const ExactSearch &) = delete;

  /// Solves the next stretch, which runs `trips` times.
  scheduling::ExactResult solve(const scheduling::Problem &problem,
                                int64_t trips);

  /// The cycles that all stretches together take at least.
  int64_t proven() const { return provenCycles; }
  /// Why the schedule of some stretch is not proven; empty if each is.
  StringRef unproven() const { return reason; }
  /// "optimal", or the gap of the function to what is proven.
  std::string describe(int64_t makespanCycles, int64_t lowerBoundCycles) const;
  /// Whether an interrupt came before all was proven.
  bool wasInterrupted() const { return interrupted && !reason.empty(); }
  /// Whether the answer is the same on every machine.
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
