//===- ExactSearch.cpp - policy=exact of llm-schedule ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactSearch.h"
#include "llm/Console/Interrupts.h"

#include <algorithm>

using namespace mlir::llm;

using scheduling::ExactProgress;
using scheduling::ExactResult;

ExactSearch::ExactSearch(scheduling::ExactOptions limits, SearchLine &line)
    : options(std::move(limits)) {
  options.reportStart = [&line] { line.showTry(); };
  options.report = [this, &line](const ExactProgress &progress) {
    line.showSearch("node", progress.nodes, progress.makespan,
                    progress.lowerBoundCycles);
    interrupted |= InterruptNote::isNoted();
    return !interrupted;
  };
}

ExactResult ExactSearch::solve(const scheduling::Problem &problem,
                               int64_t trips) {
  ExactResult result = scheduling::scheduleExact(problem, options);
  if (!result.hasSolution())
    return result;
  if (result.status != scheduling::ExactStatus::Optimal)
    reason = result.reason;
  // These sums are at most the makespan of all, so they fit.
  provenCycles += result.lowerBoundCycles * trips;
  return result;
}

std::string ExactSearch::describe(int64_t makespanCycles,
                                  int64_t lowerBoundCycles) const {
  if (reason.empty())
    return "optimal";
  return scheduling::describeGap(makespanCycles,
                                 std::max(lowerBoundCycles, provenCycles));
}
