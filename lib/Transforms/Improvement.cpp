//===- Improvement.cpp - The option improve= of llm-schedule --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Improvement.h"
#include "llm/Console/Interrupts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

using scheduling::ImproveProgress;

//===----------------------------------------------------------------------===//
// The limit
//===----------------------------------------------------------------------===//

std::optional<ImproveLimit> ImproveLimit::parse(StringRef text) {
  ImproveLimit limit;
  bool isSound =
      text.consume_back("s")
          ? !text.getAsDouble(limit.seconds) && limit.seconds > 0 &&
                std::isfinite(limit.seconds)
          : !text.getAsInteger(10, limit.evaluations) && limit.evaluations > 0;
  return isSound ? std::optional<ImproveLimit>(limit) : std::nullopt;
}

std::string ImproveLimit::describe() const {
  if (isReproducible())
    return std::to_string(evaluations);
  std::string text;
  ::llvm::raw_string_ostream(text) << ::llvm::format("%gs", seconds);
  return text;
}

/// Returns the evaluations of the first tasks, without overflow.
static int64_t firstOf(int64_t evaluations, size_t first, size_t tasks) {
  int64_t each = evaluations / tasks, rest = evaluations % tasks;
  return each * first + rest * first / tasks;
}

ImproveLimit ImproveLimit::share(size_t begin, size_t end, size_t tasks) const {
  if (isReproducible())
    return {firstOf(evaluations, end, tasks) -
                firstOf(evaluations, begin, tasks),
            0};
  return {0, seconds * double(end - begin) / double(tasks)};
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

std::optional<scheduling::Solution>
Improvement::solve(const scheduling::Problem &problem, int64_t repeats) {
  size_t begin = seen;
  seen += problem.tasks.size();
  ImproveLimit share = limit.share(begin, seen, tasks);
  interrupted |= InterruptNote::isNoted();
  if (interrupted || share.isNothing())
    return scheduling::scheduleList(
        problem, [&] { line.showTry(); }, repeats);
  scheduling::ImproveOptions options{
      share.evaluations,
      share.seconds,
      seed,
      repeats,
      [&](const ImproveProgress &progress) {
        line.showSearch("evaluation", progress.evaluations, progress.makespan,
                        progress.lowerBoundCycles);
        interrupted |= InterruptNote::isNoted();
        return !interrupted;
      },
      [&] { line.showTry(); }};
  std::optional<scheduling::ImproveResult> result =
      scheduling::scheduleImproved(problem, options);
  return result ? std::optional(std::move(result->solution)) : std::nullopt;
}
