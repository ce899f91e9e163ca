//===- Comparison.h - What was measured beside what was predicted -*- C++
//-*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_COMPARISON_H
#define LLM_RESULTS_COMPARISON_H

#include "llm/Results/Report.h"
#include "llm/Trace/OpRecorder.h"
#include "llm/Trace/Recording.h"

namespace mlir::llm {

/// One op on both sides, over all its runs: from the start of the first part to
/// the end of the last one.
struct ComparedOp {
  StringRef name; ///< with "{}"
  int64_t runs = 1;
  double measuredMicroseconds = 0, predictedMicroseconds = 0;
  CostBound bound; ///< of the prediction

  /// Of what takes no time on either side: nothing.
  std::optional<double> ratio() const;
  /// Microseconds by which the sides differ, in either direction.
  double difference() const;
};

/// A run of a program beside its prediction, op by op.
struct Comparison {
  std::vector<ComparedOp> ops; ///< of both, in the order of the program
  /// Ops of one side alone.
  std::vector<StringRef> onlyMeasured, onlyPredicted;
  /// The makespans: less than ops take where some of them run side by side.
  double measuredMicroseconds = 0, predictedMicroseconds = 0;

  /// Of all ops: what the difference of one is a share of.
  double sumOfDifferences() const;
  /// Of |predicted / measured - 1|, over the ops that take time.
  std::optional<double> medianError() const;
};

/// Ops are matched by their names. Both reports must outlive it.
Comparison compareReports(const Report &measured, const Report &predicted);

/// Both on one clock, for viewers of traces: what ran when, run by run, and the
/// predicted schedule, each as a group of tracks. `runs`: of the program of
/// `measured`; those of no op are not drawn.
Recording recordBoth(const Report &measured, ArrayRef<RecordedRun> runs,
                     const Report &predicted);

} // namespace mlir::llm

#endif // LLM_RESULTS_COMPARISON_H
