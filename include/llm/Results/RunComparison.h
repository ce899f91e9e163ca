//===- RunComparison.h - Two runs of a program, op by op --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This is the one place that decides which ops of two runs are compared, and
// how long each side takes. Tables, JSON, CSV and pages only write the results.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_RUNCOMPARISON_H
#define LLM_RESULTS_RUNCOMPARISON_H

#include "llm/Results/OpMatching.h"

#include <optional>

namespace mlir::llm {

/// When the first run of an op starts and ends, and how often the op runs.
struct OpExtent {
  int64_t count = 1;
  std::vector<unsigned> loops;          ///< loops around it, outermost first
  int64_t startCycle = 0, endCycle = 0; ///< without fetches ahead
};

/// Returns the cycles, in all runs, in which at least one of the ops runs. Ops
/// that run side by side count once. Ops of different loops never run side by
/// side.
double elapsedCycles(ArrayRef<OpExtent> ops);

/// Does the same for ops of a report, in microseconds.
double elapsedMicroseconds(const Report &report, ArrayRef<unsigned> ops);

/// What a function computes, in words. Empty if it was not imported.
struct RunProgram {
  std::string model, phase, sequences, layers;

  static RunProgram of(ProgramAttr program);
};

/// Writes "batch 16, seq 1, 2048 keys". A ragged batch has the fewest and the
/// most keys.
std::string describeSequences(int64_t batch, int64_t seq,
                              ArrayRef<int64_t> kvLens);
/// Writes "1 of 16 layers", or "the whole model".
std::string describeLayers(int64_t layers, int64_t modelLayers, bool isWhole);

/// A function of a report, as far as it can be compared. It may come from a
/// file that another run has written.
struct ComparableRun {
  std::string function, target;
  double clockHz = 1, makespanMicroseconds = 0;
  std::vector<NamedOp> ops;
  std::vector<OpExtent> extents; ///< of the ops, in their order
  RunProgram program = {};

  double elapsedMicroseconds(ArrayRef<unsigned> ops) const;
};
ComparableRun comparableRun(const Report &report);

/// Says in what the work of two runs differs: "phase: prefill here, decode in
/// the baseline". What one of them does not tell is left out.
std::vector<std::string> describeOtherWork(const RunProgram &here,
                                           const RunProgram &baseline);

/// Ops that do the same work on both sides.
struct SameWork {
  MatchedOps ops;   ///< of this run, and of the baseline
  int64_t runs = 1; ///< the runs of the op that runs most often
  double microseconds = 0, baselineMicroseconds = 0; ///< elapsed, of all runs

  double difference() const { return microseconds - baselineMicroseconds; }
};

/// The times of all ops of a module on both sides, also of those that are in no
/// match.
struct ModuleTimes {
  std::string module;      ///< e.g. "model.layers.{}.mlp"
  double microseconds = 0; ///< elapsed, of all runs
  /// There is none if one side has run ops of the module together with others,
  /// so that there is no time of the module alone, or if this side has run some
  /// of the baseline's ops of the module outside of it.
  std::optional<double> baselineMicroseconds;
};

/// A run beside its baseline.
struct RunComparison {
  unsigned baseline = 0;      ///< which function of the baseline it is
  std::vector<SameWork> work; ///< in the order of this run
  std::vector<unsigned> onlyHere, onlyInBaseline; ///< what is in no match
  /// A module comes before those in it. A module of a single op, or of a single
  /// module, is left out.
  std::vector<ModuleTimes> modules;

  /// How many pieces of work take longer than in the baseline, and how many
  /// less long.
  int64_t countLonger() const;
  int64_t countShorter() const;
};

/// Returns how far a time is above that of the baseline, in percent of the
/// latter. Returns nothing if that is 0.
std::optional<double> differencePercent(double microseconds,
                                        double baselineMicroseconds);

/// Compares each run with the baseline of the same name. If there is one run
/// and one baseline, their names may differ. A run without a counterpart gets
/// nothing.
std::vector<std::optional<RunComparison>>
compareRuns(ArrayRef<ComparableRun> runs, ArrayRef<ComparableRun> baselines);

} // namespace mlir::llm

#endif // LLM_RESULTS_RUNCOMPARISON_H
