//===- Measurement.h - Runs of a program beside its prediction --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_MEASUREMENT_H
#define LLM_TOOLS_LLM_RUN_MEASUREMENT_H

#include "llm/Results/Comparison.h"
#include "llm/Results/PlannedFunction.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::llm {

/// Puts other data into the caches, as the layers of a model do that run before
/// the one that is measured: a block alone would find its own weights there.
class CacheEviction {
public:
  CacheEviction();
  void evict();

private:
  std::vector<char> others;
};

/// The program that runs, as its target says that it would, and as it did.
class Measurement {
public:
  /// Of a function that is not lowered yet: works on clones. Those that have no
  /// schedule get one for the target of their module, or for this machine with
  /// as many of its cores as there are threads.
  static FailureOr<Measurement> prepare(func::FuncOp function,
                                        const llvm::StringMap<int64_t> &sizes,
                                        unsigned threads);

  /// One run of all.
  void add(std::vector<RecordedRun> runs);
  /// Ops take the median over all runs. Reports are there from here on.
  LogicalResult finish();

  const Report &getMeasured() const { return planned.getMeasured(); }
  const Report &getPredicted() const { return planned.getPredicted(); }
  ModuleOp getMeasuredModule() { return planned.getMeasuredModule(); }
  /// Of the run that took as long as half of them or longer, and no other.
  ArrayRef<RecordedRun> getMedianRun() const { return medianRun; }
  /// All of that run, what is of no op included.
  double getWallMicroseconds() const;
  double getBetweenMicroseconds() const;

private:
  explicit Measurement(PlannedFunction planned) : planned(std::move(planned)) {}

  PlannedFunction planned;
  std::vector<std::vector<RecordedRun>> allRuns;
  std::vector<RecordedRun> medianRun;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_MEASUREMENT_H
