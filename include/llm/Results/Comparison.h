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

/// One op on both sides, or several ops that ran as one. Times are sums over
/// all runs. A run lasts from the start of its first part to the end of its
/// last one. While several of the ops run side by side, the time counts once.
struct ComparedOp {
  std::string name; ///< "{}" stands for the index of the loop
  int64_t runs = 1;
  double measuredMicroseconds = 0, predictedMicroseconds = 0;
  CostBound bound;                 ///< of the prediction of the longest op
  std::vector<StringRef> ops = {}; ///< names of the ops, if there are several
  std::string evidence = {}; ///< how the op was matched, if not by its name
  int64_t pieces = 0;        ///< pieces of work that a trace has of it
  std::vector<int64_t> nanosecondsOfPass = {}; ///< time of these, by pass

  /// Returns nothing if the op is predicted to take no time.
  std::optional<double> ratio() const;
  /// Returns the absolute difference of the sides, in microseconds.
  double difference() const;
};

/// Work that only one side has.
struct UncomparedWork {
  std::string name;
  int64_t runs = 1; ///< in all passes together
  double microseconds = 0;
  std::string reason = {}; ///< why it is not compared, if that is known
  std::vector<int64_t> nanosecondsOfPass = {};
};

/// One run of the whole program in a trace.
struct MeasuredPass {
  double startMicroseconds = 0, endMicroseconds = 0;
  int64_t workNanoseconds = 0, matchedNanoseconds = 0;
  std::string whyNot = {}; ///< why it is not compared; empty if it is
};

/// How much of the work on both sides is compared, in microseconds.
struct ComparedShare {
  double measured = 0, allMeasured = 0, predicted = 0, allPredicted = 0;
};

/// A run of a program beside its prediction, op by op.
struct Comparison {
  std::vector<ComparedOp> ops; ///< on both sides, in the order of the program
  std::vector<UncomparedWork> onlyMeasured, onlyPredicted;
  /// For a trace: how much of its work is matched with ops.
  std::optional<ComparedShare> share;
  std::vector<MeasuredPass> passes; ///< all passes of a trace
  std::vector<std::string> notes;   ///< sentences on how it was compared
  /// The makespans. They are below the sum of the ops if some ops run side by
  /// side.
  double measuredMicroseconds = 0, predictedMicroseconds = 0;

  /// Returns the work of a trace in an average pass of those that are compared.
  double measuredWorkMicroseconds() const;
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

/// Returns the predicted side for some ops together, without a measurement.
ComparedOp comparePrediction(const Report &predicted, ArrayRef<unsigned> ops);

/// Returns the microseconds of all runs of an op, one after the other.
double microsecondsOf(const Report &report, const OpReport &op);

/// A function as it ran on its chips, beside its prediction: the program, or a
/// stage of a pipeline.
struct RecordedFunction {
  const Report &measured, &predicted;
  /// The runs of the function on each of its chips, on one clock for all
  /// functions. Runs that belong to no op are not drawn.
  ArrayRef<std::vector<RecordedRun>> runsOfChips;
  int64_t firstChip = 0;
};

/// Records both sides on one clock, for viewers of traces. The measured runs
/// and the predicted schedule of each function have a group of tracks each. The
/// schedules of several functions follow each other.
Recording recordBoth(ArrayRef<RecordedFunction> functions);

/// A slot of a schedule, as viewers of traces show it.
struct PredictedSlice {
  std::string engine; ///< "core[0]"
  int64_t startNanoseconds = 0, endNanoseconds = 0;
  std::string name; ///< of the run and, for a fetch, of the buffer
  unsigned op = 0;
};
/// Visits slots in the order of the program, iteration by iteration.
void forEachSlice(const Report &predicted,
                  function_ref<void(PredictedSlice)> visit);

/// Returns what a click on a run of the op shows.
Recording::Values describeRun(const Report &report, unsigned op);

} // namespace mlir::llm

#endif // LLM_RESULTS_COMPARISON_H
