//===- Report.h - The figures of one function -------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_RESULTS_REPORT_H
#define LLM_RESULTS_REPORT_H

#include "llm/Planning/Capacity.h"
#include "llm/Planning/PipelineSchedule.h"
#include "llm/Planning/Timeline.h"
#include "llm/Results/FunctionExplanation.h"
#include "llm/Results/SourceRooms.h"
#include "llm/Results/TimeOrigins.h"
#include "llm/Results/Utilization.h"
#include "llm/Results/WhatBinds.h"
#include "llm/Target/Target.h"

#include <memory>

namespace mlir::llm {

/// What one op does in one run, or the sum over all runs.
struct OpFigures {
  int64_t macs = 0;
  /// Bytes of each memory and link that engines share
  /// (`Target::sharedResources`).
  std::vector<int64_t> bytes;
  int64_t dramBytes = 0; ///< bytes of the last shared memory
  int64_t overheadCycles = 0, serialCycles = 0;
  int64_t computeCycles = 0, memoryCycles = 0;
  int64_t cycles = 0;          ///< alone on the machine, the sum over the parts
  int64_t scheduledCycles = 0; ///< the sum of the lengths of the slots
  int64_t energyPicojoules = 0; ///< as far as the target gives energies
};

struct OpReport {
  StringRef name;    ///< "{}" stands for the index of the loop
  StringRef kind;    ///< name of the operation: "llm.matmul"
  int64_t count = 1; ///< number of runs
  CostBound bound;   ///< on the whole machine, as scheduled
  OpFigures figures; ///< of one run
  OpFigures allRuns; ///< of all runs
  int64_t startCycle = 0, endCycle = 0; ///< of the first run
  std::string engines;                  ///< "core[0]", "core[0..3]", "4 x core"
  SourceRooms sources;
  /// The bytes of all elements that one run touches, each once.
  int64_t compulsoryBytes = 0;
  /// The time that the multiply-accumulates of one run take at the peak of the
  /// datasheet.
  double macSecondsAtPeak = 0;
  TimeOrigin origin; ///< that of the formula for a measured run
  Utilization utilization;
};

struct Report {
  std::unique_ptr<Program> program; ///< what the timeline refers to
  Timeline timeline;
  const Target *target = nullptr;
  Totals totals;
  Capacity capacity;
  ProgramAttr imported; ///< null where the function was not imported
  /// The times of the pipeline that the function is a stage of.
  std::optional<StageTimes> pipeline;
  std::vector<OpReport> ops;
  OpFigures sum; ///< over all runs of all ops
  /// Model FLOPs and model bandwidth utilization. They are the shares of the
  /// makespan that the multiply-accumulates take at the peak of the datasheet,
  /// and the compulsory bytes at the full rate of DRAM. Only engines with a
  /// faster clock than the target's can have an MFU above 100 %.
  double mfuPercent = 0, mbuPercent = 0;
  /// Of ten programs, the makespans of eight are from `p10` to `p90` of the
  /// predicted one, by the errors of their ops. Absent for a measured run, and
  /// if the target does not say.
  std::optional<TimeSpread> spread;
  WhatBinds whatBinds;
  DenseMap<Operation *, unsigned> indexOf; ///< into `ops`
  /// It is absent if the schedule breaks a rule or costs are stale.
  std::optional<FunctionExplanation> explanation;
  /// The warnings that the user got: the schedule is stale or not valid, or the
  /// program does not fit into memory.
  std::vector<std::string> problems;
  /// Sentences that a reader of the first figures must know: on a machine or a
  /// cut that may not be what the user meant.
  std::vector<std::string> remarks;

  StringRef functionName() const;
  /// Returns the name of an op that takes time.
  StringRef nameOf(Operation *op) const;
  double makespanMicroseconds() const;
  /// These return the time after which the next microbatches of a pipeline
  /// follow, and the share of it in which the chips of this stage work. They
  /// are only for a stage.
  double periodMicroseconds() const;
  double stageBusyPercent() const;
  /// Returns how far the makespan is above the lower bound, in percent of the
  /// bound. Returns nothing if the bound is 0.
  std::optional<double> gapPercent() const;
  /// Does the same for the cycles that are proven for schedules with the same
  /// options, if there are any.
  std::optional<double> provenGapPercent() const;
  /// Returns the name of the largest of the schedule's bounds, or of the first
  /// one if several are equal. It is empty if there is none.
  StringRef largestBound() const;
  /// Returns the exposed communication of an op that exchanges something between
  /// chips: the time of all its runs in which no other op has work. Returns
  /// nothing for other ops.
  std::optional<double> exposedMicrosecondsOf(unsigned op) const;
  /// These return the engine time of one run, and the engine time of all runs
  /// in percent of that of all ops.
  double engineMicrosecondsOf(const OpReport &op) const;
  double sharePercentOf(const OpReport &op) const;
  /// Returns the share of all engine time that rests on `source`, in percent.
  double percentFrom(TimeSource source) const;
  /// Returns a sentence that says that the program does not fit. It is empty if
  /// the program fits.
  std::string describeExcess() const;
  /// Says whether nothing is wrong with the schedule: `problems` has at most
  /// the sentence that the program does not fit into memory.
  bool doesHold() const;
  /// Returns the new tokens per second, of all chips together. For a program of
  /// some layers of a model, it assumes that the other layers take as long as
  /// these. For a stage it is the rate of the pipeline, with all microbatches.
  std::optional<double> tokensPerSecond() const;
  /// Returns the name of that figure in files: "tokens_per_second", and for
  /// some layers "tokens_per_second_if_all_layers".
  const char *tokenRateName() const;

  /// Fails if something is missing, with a diagnostic that names the pass to
  /// run. The target must outlive the report.
  static FailureOr<Report> create(FunctionOpInterface function,
                                  const Target &target);
};

} // namespace mlir::llm

#endif // LLM_RESULTS_REPORT_H
