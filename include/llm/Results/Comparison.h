//===- Comparison.h - Measured beside predicted -----------------*- C++ -*-===//
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

/// One op on both sides, or several that ran as one, over all runs. A run lasts
/// from the start of the first part to the end of the last one. Ops that are
/// under way side by side count once.
struct ComparedOp {
  std::string name; ///< with "{}"
  int64_t runs = 1;
  double measuredMicroseconds = 0, predictedMicroseconds = 0;
  CostBound bound; ///< of the prediction; that of the longest op
  std::vector<StringRef> ops = {}; ///< names of all, if there are several
  std::string evidence =
      {};             ///< by which they were matched, if not by this name
  int64_t pieces = 0; ///< of work that a trace has of it
  std::vector<int64_t> nanosecondsOfPass = {}; ///< of that work

  /// Returns nothing if the op is predicted to take no time.
  std::optional<double> ratio() const;
  /// Microseconds by which the sides differ, in either direction.
  double difference() const;
};

/// Work that only one side has.
struct UncomparedWork {
  std::string name;
  int64_t runs = 1; ///< in all passes
  double microseconds = 0;
  std::string reason = {}; ///< why it is not compared, if that is known
  std::vector<int64_t> nanosecondsOfPass = {};
};

/// One run of the whole program in a trace.
struct MeasuredPass {
  double startMicroseconds = 0, endMicroseconds = 0;
  int64_t workNanoseconds = 0, matchedNanoseconds = 0;
  std::string whyNot = {}; ///< why it is not compared, or empty
};

/// How much of the work on both sides is compared, in microseconds.
struct ComparedShare {
  double measured = 0, allMeasured = 0, predicted = 0, allPredicted = 0;
};

/// A run of a program beside its prediction, op by op.
struct Comparison {
  std::vector<ComparedOp> ops; ///< of both, in the order of the program
  std::vector<UncomparedWork> onlyMeasured, onlyPredicted;
  /// The share of a trace that is known. Not all of its work may be.
  std::optional<ComparedShare> share;
  std::vector<MeasuredPass> passes; ///< all of a trace
  std::vector<std::string> notes;   ///< sentences about how it was compared
  /// The makespans. They are below the sum of the ops if some ops run side by
  /// side.
  double measuredMicroseconds = 0, predictedMicroseconds = 0;

  /// Returns the sum over all ops. The difference of one op is a share of it.
  double sumOfDifferences() const;
  /// Returns the median of |predicted / measured - 1| over the ops that take
  /// time.
  std::optional<double> medianError() const;
};

/// Compares two reports. Ops are matched by their names. An op that one side
/// has fused is matched with all of its parts (OpMatching.h). Both reports must
/// outlive the comparison.
Comparison compareReports(const Report &measured, const Report &predicted);

/// Returns the prediction for some ops together, without a measurement.
ComparedOp comparePrediction(const Report &predicted, ArrayRef<unsigned> ops);

/// What all runs of an op take, one after the other.
double microsecondsOf(const Report &report, const OpReport &op);

/// Both sides on one clock, for viewers of traces. What ran when, run by run,
/// and the predicted schedule are a group of tracks each. The runs are those of
/// the program of `measured` on each chip that ran it, on one clock. Runs of no
/// op are not drawn.
Recording recordBoth(const Report &measured,
                     ArrayRef<std::vector<RecordedRun>> runsOfChips,
                     const Report &predicted);

/// A slot of a schedule, as viewers of traces show it.
struct PredictedSlice {
  std::string engine; ///< "core[0]"
  int64_t startNanoseconds = 0, endNanoseconds = 0;
  std::string name; ///< of the run, and of what is fetched for it
  unsigned op = 0;
};
/// Visits slots in the order of the program, iteration by iteration.
void forEachSlice(const Report &predicted,
                  function_ref<void(PredictedSlice)> visit);

/// Returns what a click on a run of the op shows.
Recording::Values describeRun(const Report &report, unsigned op);

} // namespace mlir::llm

#endif // LLM_RESULTS_COMPARISON_H
