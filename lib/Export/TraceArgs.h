//===- TraceArgs.h - What a click on a slice shows --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_TRACEARGS_H
#define LLM_LIB_EXPORT_TRACEARGS_H

#include "FunctionExplanation.h"
#include "OpRuns.h"
#include "TraceSink.h"
#include "llm/Analysis/Timeline.h"

namespace mlir::llm {

/// Writes the members of a slice's "args". What equal slices have in common is
/// encoded once.
class TraceArgs {
public:
  /// `explanation`: null, or what is said of each op.
  TraceArgs(const Timeline &timeline, const FunctionExplanation *explanation,
            TraceSink &sink)
      : timeline(timeline), explanation(explanation), sink(sink),
        known(timeline.program().ops().size()) {}

  void writeSlot(TraceValues &values, const Slice &slice,
                 ArrayRef<std::string> dependsOn);
  void writeFetch(TraceValues &values, const Slice &slice);
  /// Slots of a run of the op, `run` at `startCycle`.
  void writeOpRun(TraceValues &values, unsigned op, const OpRun &run,
                  const StretchRun &stretch, ArrayRef<std::string> dependsOn);
  /// The same without what stands at the slots in it.
  void writeFrame(TraceValues &values, unsigned op, const OpRun &run,
                  const StretchRun &stretch);

private:
  struct OpTexts {
    bool isKnown = false;
    std::string in, out, tile; ///< no tile: empty
    CostAttr cost;             ///< may be null
    std::vector<int64_t> recordEnds;
    std::vector<std::string> records; ///< of the cost; empty: not asked for
    std::string sum;                  ///< of the cost; the same
  };
  const OpTexts &textsOf(unsigned op);
  StringRef recordOf(unsigned op, int64_t part);
  StringRef sumOf(unsigned op);
  void writePlace(TraceValues &values, unsigned op,
                  ArrayRef<int64_t> iterations);
  void writeLanes(TraceValues &values, DictionaryAttr lanes);
  void writeOp(TraceValues &values, unsigned op, StringRef cost,
               ArrayRef<std::string> dependsOn);

  const Timeline &timeline;
  const FunctionExplanation *explanation;
  TraceSink &sink;
  std::vector<OpTexts> known; ///< of each op
  DictionaryAttr knownLanes;
  std::string lanesText;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_TRACEARGS_H
