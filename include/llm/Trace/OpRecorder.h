//===- OpRecorder.h - When the ops of a program ran -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_OPRECORDER_H
#define LLM_TRACE_OPRECORDER_H

#include "llm/Trace/CpuCounters.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::llm {

/// One run of one op, in nanoseconds from the start of the program.
struct RecordedRun {
  int op; ///< index into `Program::ops()`, or `between`
  int64_t startNanoseconds, endNanoseconds;
  CpuCounts counts = {}; ///< what was counted from start to end
};

/// Reads the clock wherever a running program goes from one op to another,
/// which takes some 30 ns. With counters it reads these, too.
class OpRecorder {
public:
  /// The time in which no op runs: results are allocated, copied or freed.
  static constexpr int between = -1;

  /// Reads `from` as well, from the next start on.
  void count(const CpuCounters *from) { counters = from; }

  /// Says that from now on, `op` runs.
  void enter(int op);
  /// These say that the program starts, and that it has ended.
  void start();
  void stop() { enter(between); }

  /// Returns the runs, in the order in which they ran.
  std::vector<RecordedRun> takeRuns();
  /// Returns when the recording began, in nanoseconds of the steady clock.
  int64_t getStartNanoseconds() const { return startNanoseconds; }

private:
  struct Reading {
    int op;
    int64_t endNanoseconds; ///< when the op before ended
    int64_t startNanoseconds;
    CpuCounts endCounts = {}, startCounts = {};
  };
  std::vector<Reading> readings;
  int64_t startNanoseconds = 0;
  const CpuCounters *counters = nullptr;
};

} // namespace mlir::llm

#endif // LLM_TRACE_OPRECORDER_H
