//===- OpRecorder.h - When the ops of a program ran -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACE_OPRECORDER_H
#define LLM_TRACE_OPRECORDER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::llm {

/// One run of one op, in nanoseconds from the start of the program.
struct RecordedRun {
  int op; ///< index into `Program::ops()`; `between`: what is of no op
  int64_t startNanoseconds, endNanoseconds;
};

/// Reads the clock wherever a running program goes from one op to another:
/// some 30 ns each.
class OpRecorder {
public:
  /// Room for results, copies, and memory that is given back.
  static constexpr int between = -1;

  /// What comes from now on is of `op`.
  void enter(int op);
  /// The program starts, and has ended.
  void start();
  void stop() { enter(between); }

  /// In the order in which they ran.
  std::vector<RecordedRun> takeRuns();

private:
  struct Reading {
    int64_t nanoseconds;
    int op;
  };
  std::vector<Reading> readings;
};

} // namespace mlir::llm

#endif // LLM_TRACE_OPRECORDER_H
