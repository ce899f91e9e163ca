//===- Timeline.h - A schedule in absolute time -----------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots of a loop are written once, relative to its iteration. A timeline
// unrolls them while it visits them, so that a whole model takes no more memory
// than one layer.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PLANNING_TIMELINE_H
#define LLM_PLANNING_TIMELINE_H

#include "llm/Diagnostics/Warnings.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Program/Dependences.h"

namespace mlir::llm {

/// When a loop runs. Its iterations are numbered from 0. The induction variable
/// of iteration i is `firstIndex + i * indexStep`.
struct TimedLoop {
  std::optional<unsigned> parent; ///< the loop around it, if there is one
  /// The start of its very first iteration, from the program's start.
  int64_t startCycle = 0;
  int64_t periodCycles = 0;
  int64_t trips = 1;
  int64_t firstIndex = 0, indexStep = 1;
};

/// The iteration of each enclosing loop, outermost first. Together with an op,
/// it identifies one run of the op.
using Iterations = SmallVector<int64_t, 2>;

/// One slot of one run of an op, in cycles from the program's start. It is a
/// view that is valid for one call: it refers to the program's attributes and
/// to the visitor's iterations.
struct TimedSlot {
  unsigned op = 0;
  ArrayRef<int64_t> iterations;
  int64_t part = 0;
  int64_t position = 0; ///< among the op's slots, prefetches not counted
  StringRef engine;
  int64_t engineIndex = 0;
  int64_t startCycle = 0, endCycle = 0;
  DictionaryAttr lanes;
  /// Group and index of the engines that the part holds beside its own.
  SmallVector<std::pair<StringRef, int64_t>, 1> with;
  /// The buffer that is fetched ahead of the part; empty for the part itself.
  StringRef prefetched;
};

/// One run of a stretch, which is ops between two loop boundaries.
struct StretchRun {
  const ProgramItem &stretch;
  ArrayRef<int64_t> iterations;
  int64_t startCycle; ///< what the stretch's slots are relative to
};

class Timeline {
public:
  /// `program` must outlive the timeline. Fails with a diagnostic that names
  /// the pass to run if slots or schedule are missing or do not belong to the
  /// program. Also fails if an iteration ends after its period, or a time is
  /// above `maxCount`. Warns if the summary contradicts the slots.
  static FailureOr<Timeline> create(const Program &program, Warnings &warnings);

  const Program &program() const { return *theProgram; }
  ScheduleAttr schedule() const { return theSchedule; }
  /// Returns the cycle in which the last slice ends.
  int64_t endCycle() const { return lastEnd; }

  /// Returns the loops in the order of the program, outer before inner.
  ArrayRef<TimedLoop> loops() const { return timedLoops; }
  /// Returns the loops around an op, outermost first, as positions in `loops`.
  ArrayRef<unsigned> loopsOf(unsigned op) const { return opLoops[op]; }
  /// Returns the number of parts of an op, which are its slots without
  /// prefetches.
  int64_t partCount(unsigned op) const { return opParts[op]; }

  /// Returns the name of one run, with the indices of its innermost loop
  /// (llm/Support/IndexedNames.h).
  std::string nameOf(unsigned op, ArrayRef<int64_t> iterations) const;
  /// Does the same for the name of something else that runs with the op.
  std::string expandName(StringRef name, unsigned op,
                         ArrayRef<int64_t> iterations) const;
  /// Returns the position of one run among the op's runs.
  int64_t runNumber(unsigned op, ArrayRef<int64_t> iterations) const;

  /// Visits stretches in the order of the program, iteration by iteration.
  void forEachStretch(function_ref<void(const StretchRun &)> visit) const;
  /// Visits the slices of one run, each part after its prefetches.
  void forEachTimedSlot(unsigned op, ArrayRef<int64_t> iterations,
                        function_ref<void(const TimedSlot &)> visit) const;

  /// Returns all dependences. No run waits for another run by two of them.
  ArrayRef<Dependence> dependences() const { return allDependences; }
  /// Returns the dependences of one consumer.
  ArrayRef<Dependence> dependencesOf(unsigned consumer) const {
    size_t first = firstDependence[consumer];
    return dependences().slice(first, firstDependence[consumer + 1] - first);
  }
  /// Returns the run of the producer for which this run of the consumer waits,
  /// if there is one.
  std::optional<Iterations> producerRun(const Dependence &dependence,
                                        ArrayRef<int64_t> consumerRun) const;
  /// Visits the runs of the consumer that wait for this run of the producer.
  void forEachConsumerRun(const Dependence &dependence,
                          ArrayRef<int64_t> producerRun,
                          function_ref<void(ArrayRef<int64_t>)> visit) const;

private:
  friend class TimelineBuilder;
  unsigned countCommonLoops(const Dependence &dependence) const;
  int64_t startOfRun(unsigned op, ArrayRef<int64_t> iterations) const;
  void visitStretches(ArrayRef<ProgramItem> items, Iterations &iterations,
                      function_ref<void(const StretchRun &)> visit) const;

  const Program *theProgram = nullptr;
  ScheduleAttr theSchedule;
  int64_t lastEnd = 0;
  std::vector<TimedLoop> timedLoops;
  LoopsOfOps opLoops;
  std::vector<int64_t> opParts;
  std::vector<Dependence> allDependences; ///< sorted by consumer
  std::vector<size_t> firstDependence;    ///< of each consumer; the end is last
};

} // namespace mlir::llm

#endif // LLM_PLANNING_TIMELINE_H
