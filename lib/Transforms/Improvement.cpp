//===- Improvement.cpp - The option improve= of llm-schedule --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Improvement.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <csignal>
#include <mutex>

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

/// The evaluations of the first tasks, without overflow.
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
// Interrupts
//===----------------------------------------------------------------------===//

// Not llvm::sys::SetInterruptFunction: that removes the file of -o, which is
// open already and gets the schedule in the end.

static volatile std::sig_atomic_t interruptIsNoted = 0;
static struct sigaction actionBefore;

// Modules of one file may be scheduled on several threads.
static std::mutex notesMutex;
static size_t notes = 0;

static void noteInterrupt(int) {
  interruptIsNoted = 1;
  sigaction(SIGINT, &actionBefore, nullptr);
}

InterruptNote::InterruptNote() {
  std::lock_guard<std::mutex> lock(notesMutex);
  if (notes++ > 0)
    return;
  interruptIsNoted = 0;
  sigaction(SIGINT, nullptr, &actionBefore);
  if (actionBefore.sa_handler == SIG_IGN)
    return; // as in the background of a shell
  struct sigaction action = {};
  action.sa_handler = noteInterrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

InterruptNote::~InterruptNote() {
  std::lock_guard<std::mutex> lock(notesMutex);
  if (--notes == 0)
    sigaction(SIGINT, &actionBefore, nullptr);
}

bool InterruptNote::isNoted() { return interruptIsNoted != 0; }

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

void mlir::llm::showTries(ProgressLine &line, StringRef function, size_t seen,
                          size_t tasks, int64_t tries) {
  line.show([&](::llvm::raw_ostream &os) {
    os << "'" << function << "': op " << seen << " of " << tasks << ", "
       << tries << " schedules tried";
  });
}

void Improvement::show(ProgressLine &line, const ImproveProgress &progress) {
  double bound = std::max<int64_t>(progress.lowerBoundCycles, 1);
  line.show([&](::llvm::raw_ostream &os) {
    os << "'" << function << "': op " << seen << " of " << tasks
       << ", evaluation " << progress.evaluations << ", makespan "
       << progress.makespan << " cycles, "
       << ::llvm::format("%.2f %% above the lower bound",
                         100 * (progress.makespan / bound - 1));
  });
}

std::optional<scheduling::Solution>
Improvement::solve(const scheduling::Problem &problem) {
  size_t begin = seen;
  seen += problem.tasks.size();
  ImproveLimit share = limit.share(begin, seen, tasks);
  interrupted |= InterruptNote::isNoted();
  if (interrupted || share.isNothing())
    return scheduling::scheduleList(problem);
  ProgressLine line;
  int64_t tries = 0;
  scheduling::ImproveOptions options{
      share.evaluations, share.seconds, seed,
      [&](const ImproveProgress &progress) {
        show(line, progress);
        interrupted |= InterruptNote::isNoted();
        return !interrupted;
      },
      [&] { showTries(line, function, seen, tasks, ++tries); }};
  std::optional<scheduling::ImproveResult> result =
      scheduling::scheduleImproved(problem, options);
  return result ? std::optional(std::move(result->solution)) : std::nullopt;
}
