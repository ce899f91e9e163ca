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

/// Reads the clock wherever a running program goes from one op to another:
/// some 30 ns each. With counters it reads these, too, in between.
class OpRecorder {
public:
  /// Room for results, copies, and memory that is given back.
  static constexpr int between = -1;

  /// From the next start on.
  void count(const CpuCounters *from) { counters = from; }

  /// What comes from now on is of `op`.
  void enter(int op);
  /// The program starts, and has ended.
  void start();
  void stop() { enter(between); }

  /// In the order in which they ran.
  std::vector<RecordedRun> takeRuns();

private:
  struct Reading {
    int op;
    int64_t endNanoseconds; ///< of what ran before
    int64_t startNanoseconds;
    CpuCounts endCounts = {}, startCounts = {};
  };
  std::vector<Reading> readings;
  const CpuCounters *counters = nullptr;
};

} // namespace mlir::llm

#endif // LLM_TRACE_OPRECORDER_H
