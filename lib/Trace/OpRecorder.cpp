//===- OpRecorder.cpp - When the ops of a program ran ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/OpRecorder.h"

#include <chrono>

using namespace mlir::llm;

void OpRecorder::enter(int op) {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  readings.push_back(
      {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), op});
}

void OpRecorder::start() {
  // A large program makes the list grow once, not while it is timed.
  constexpr size_t usual = 1 << 16;
  readings.clear();
  readings.reserve(usual);
  enter(between);
}

std::vector<RecordedRun> OpRecorder::takeRuns() {
  std::vector<RecordedRun> runs;
  for (size_t i = 0; i + 1 < readings.size(); ++i)
    runs.push_back({readings[i].op,
                    readings[i].nanoseconds - readings[0].nanoseconds,
                    readings[i + 1].nanoseconds - readings[0].nanoseconds});
  readings.clear();
  return runs;
}
