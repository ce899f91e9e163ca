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
  int op; ///< index into `Program::ops()`; `between`: what is of no op
  int64_t startNanoseconds, endNanoseconds;
  CpuCounts counts = {}; ///< from start to end
};

/// Reads the clock wherever a running program goes from one op to another,
/// which takes some 30 ns. With counters it reads these, too.
class OpRecorder {
public:
  /// Room for results, copies, and memory that is given back.
  static constexpr int between = -1;

  /// Counts from the next start on.
  void count(const CpuCounters *from) { counters = from; }

  /// What comes from now on belongs to `op`.
  void enter(int op);
  /// The program starts, and has ended.
  void start();
  void stop() { enter(between); }

  /// Returns the runs, in the order in which they ran.
  std::vector<RecordedRun> takeRuns();
  /// When these began, by the steady clock.
  int64_t getStartNanoseconds() const { return startNanoseconds; }

private:
  struct Reading {
    int op;
    int64_t endNanoseconds; ///< of what ran before
    int64_t startNanoseconds;
    CpuCounts endCounts = {}, startCounts = {};
  };
  std::vector<Reading> readings;
  int64_t startNanoseconds = 0;
  const CpuCounters *counters = nullptr;
};

} // namespace mlir::llm

#endif // LLM_TRACE_OPRECORDER_H
