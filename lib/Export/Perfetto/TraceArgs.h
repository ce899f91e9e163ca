//===- TraceArgs.h - What a click on a slice shows --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PERFETTO_TRACEARGS_H
#define LLM_LIB_EXPORT_PERFETTO_TRACEARGS_H

#include "llm/Planning/Timeline.h"
#include "llm/Results/FunctionExplanation.h"
#include "llm/Results/OpRuns.h"
#include "llm/Results/TimeOrigins.h"
#include "llm/Results/Utilization.h"
#include "llm/Trace/TraceSink.h"

namespace mlir::llm {

/// Writes the members of "args" of slots, fetches and runs of ops. Those of
/// idle times, layers and the critical path are short and in TraceExporter.cpp.
/// What equal slices have in common is encoded once.
class TraceArgs {
public:
  /// `explanation` may be null; else it says what is known of each op.
  TraceArgs(const Timeline &timeline, const Target &target,
            const FunctionExplanation *explanation, TraceSink &sink)
      : timeline(timeline), peaks(target), origins(target),
        explanation(explanation), sink(sink),
        known(timeline.program().ops().size()) {}

  /// `slots` is the run of slots that holds the slice.
  void writeSlot(TraceValues &values, const TimedSlot &slice, SlotRunAttr slots,
                 ArrayRef<std::string> dependsOn);
  /// Writes the members of a part on an engine that it holds beside its own.
  /// Without `part` the slice stands for several parts, one behind the other.
  void writeBeside(TraceValues &values, unsigned op,
                   ArrayRef<int64_t> iterations, std::optional<int64_t> part,
                   int64_t startCycle, int64_t endCycle);
  void writeFetch(TraceValues &values, const TimedSlot &slice);
  /// Writes the members of slots or fetches that follow each other; costs are
  /// those of these parts. Only the first slice of an op says what is true of
  /// the whole op.
  void writeOpRun(TraceValues &values, unsigned op, const OpRun &run,
                  const StretchRun &stretch, bool isFirst,
                  ArrayRef<std::string> dependsOn);
  /// Writes the same without what the slots in the run say.
  void writeFrame(TraceValues &values, unsigned op, const OpRun &run,
                  const StretchRun &stretch);

private:
  struct OpTexts {
    bool isKnown = false;
    std::string in, out, tile; ///< empty without a tile
    std::string allRuns;       ///< empty without a cost
    PartCosts costs;
    std::vector<std::string> records; ///< of the cost; empty until asked for
  };
  OpTexts &textsOf(unsigned op);
  void findUtilizations();
  void writeAllRuns(TraceValues &values, unsigned op, CostAttr cost);
  void writeOrigin(TraceValues &values, unsigned op, double microseconds);
  StringRef recordOf(OpTexts &texts, size_t record);
  std::string sumOf(const PartCosts &costs, const OpRun &run) const;
  void writePlace(TraceValues &values, unsigned op,
                  ArrayRef<int64_t> iterations);
  void writeLanes(TraceValues &values, DictionaryAttr lanes);
  void writeShapes(TraceValues &values, unsigned op);
  void writeDependences(TraceValues &values, ArrayRef<std::string> dependsOn);
  void writeCause(TraceValues &values, unsigned op);

  const Timeline &timeline;
  MachinePeaks peaks;
  TimeOrigins origins;
  std::vector<Utilization> utilizations; ///< by op; empty until asked for
  double engineCycles = 0;               ///< of all runs of all ops
  const FunctionExplanation *explanation;
  TraceSink &sink;
  std::vector<OpTexts> known; ///< by op
  DictionaryAttr knownLanes;
  std::string lanesText;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACEARGS_H
