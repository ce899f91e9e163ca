//===- Measurement.h - Runs of a program beside its prediction --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_MEASUREMENT_H
#define LLM_TOOLS_LLM_RUN_MEASUREMENT_H

#include "Chips.h"
#include "llm/Execution/Executable.h"
#include "llm/Results/Comparison.h"
#include "llm/Results/PlannedFunction.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

/// How often a program runs when it is timed.
struct Repetition {
  int64_t warmup; ///< runs before the first one that counts
  int64_t repeat; ///< runs that count
  bool isCold;    ///< whether other data goes through the caches before a run
};

/// Runs something as often as that. Behind each run that counts, `onRun` gets
/// the microseconds that it took. States of caches are written in place, at the
/// same positions each time. All chips begin each run together. An interrupt of
/// one of them ends it after the current run, once one run counts. Returns the
/// results of the last run.
std::vector<HostTensor>
runRepeatedly(function_ref<std::vector<HostTensor>()> run, Repetition often,
              const Chips &chips, function_ref<void(double)> onRun);

/// The middle one, or the upper one of the two in the middle.
double takeMedian(std::vector<double> numbers);

/// A function as it is predicted for a target, and as it ran.
class Measurement {
public:
  /// Prepares a function that is not lowered yet, by work on clones. A function
  /// without a schedule gets one for the target of its module, or for this
  /// machine with as many cores as there are threads, where the other chips of
  /// a cut program run, too.
  static FailureOr<Measurement> prepare(func::FuncOp function,
                                        const llvm::StringMap<int64_t> &sizes,
                                        unsigned threads, int64_t chips);

  /// Adds the ops' runs of one run of the function on each of its chips, on one
  /// clock.
  void add(std::vector<std::vector<RecordedRun>> ofChips) {
    allRuns.push_back(std::move(ofChips));
  }
  /// Takes the median of each op over all runs of the first chip, and that run
  /// as the one to show. Must be called before the reports are read.
  LogicalResult finish(size_t run);

  const Report &getMeasured() const { return planned.getMeasured(); }
  const Report &getPredicted() const { return planned.getPredicted(); }
  ModuleOp getMeasuredModule() { return planned.getMeasuredModule(); }
  /// The ops' runs of the run that is shown, on each chip.
  ArrayRef<std::vector<RecordedRun>> getMedianRun() const {
    return allRuns[shown];
  }
  /// The whole time of that run on the first chip, also between ops.
  double getWallMicroseconds() const;
  /// The whole time of each run on the first chip.
  std::vector<double> getAllMicroseconds() const;
  double getBetweenMicroseconds() const;
  /// When the first chip began and ended a run, and how many runs there are.
  std::pair<int64_t, int64_t> getNanosecondsOf(size_t run) const;
  size_t countRuns() const { return allRuns.size(); }

private:
  explicit Measurement(PlannedFunction planned) : planned(std::move(planned)) {}

  PlannedFunction planned;
  std::vector<std::vector<std::vector<RecordedRun>>> allRuns; ///< by chip
  size_t shown = 0;
};

/// Returns the run of which half of the others take at most as long, from where
/// the first function begins to where the last one ends.
size_t findMedianRun(ArrayRef<Measurement> functions);

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_MEASUREMENT_H
