//===- OpRecorder.cpp - When the ops of a program ran ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/OpRecorder.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace mlir::llm;

static int64_t readClock() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void OpRecorder::enter(int op) {
  int64_t now = readClock();
  readings.push_back({op, now, now});
  if (!counters)
    return;
  // The counters are read twice, so that the time of reading belongs to no op.
  readings.back().endCounts = counters->read();
  readings.back().startCounts = counters->read();
  readings.back().startNanoseconds = readClock();
}

void OpRecorder::start() {
  // A large program makes the list grow once, not while it is timed.
  constexpr size_t usual = 1 << 16;
  readings.clear();
  readings.reserve(usual);
  enter(between);
}

static CpuCounts difference(const CpuCounts &from, const CpuCounts &to) {
  CpuCounts counts;
  for (auto [count, before, after] : llvm::zip_equal(counts, from, to))
    if (before && after)
      count = *after - *before;
  return counts;
}

std::vector<RecordedRun> OpRecorder::takeRuns() {
  std::vector<RecordedRun> runs;
  if (!readings.empty())
    startNanoseconds = readings.front().startNanoseconds;
  for (size_t i = 0; i + 1 < readings.size(); ++i) {
    const Reading &start = readings[i], &end = readings[i + 1];
    runs.push_back({start.op, start.startNanoseconds - startNanoseconds,
                    end.endNanoseconds - startNanoseconds,
                    difference(start.startCounts, end.endCounts)});
  }
  readings.clear();
  return runs;
}
