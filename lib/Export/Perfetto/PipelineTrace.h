//===- PipelineTrace.h - All stages of a pipeline in one trace --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first group has the microbatches: a track for each stage, and one for
// what it sends to another. Then follow the groups of each stage, as in a trace
// of its function alone. They have the slices of a microbatch as often as there
// are microbatches.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PERFETTO_PIPELINETRACE_H
#define LLM_LIB_EXPORT_PERFETTO_PIPELINETRACE_H

#include "llm/Dialect/Llm/Plans/PlansDialect.h"
#include "llm/Trace/TraceSink.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace mlir::llm {

/// Takes the trace of one function, and hands it to the sink of the pipeline's
/// trace, on tracks of the stage. What begins and ends there is one microbatch.
class StageSink : public TraceSink {
public:
  /// The numbers that the tracks, counters and arrows of all stages share.
  struct Numbers {
    unsigned nextTrack = 0;
    int64_t lastArrow = 0;
  };
  StageSink(TraceSink &sink, Numbers &numbers) : sink(sink), numbers(numbers) {}

  /// Adds the groups, tracks and counters of the stage to those of all stages.
  void addTo(TraceLayout &all, const TraceLayout &own, StringRef stage);

  void begin(const TraceLayout &layout, Fill fillHead) override;
  void addTrack(const TraceTrack &track) override;
  void beginSlice(const TraceSlice &slice) override;
  void endSlice(unsigned track, int64_t nanoseconds) override {
    sink.endSlice(tracks[track], nanoseconds);
  }
  void writeCounter(unsigned counter, int64_t nanoseconds,
                    int64_t value) override {
    sink.writeCounter(firstCounter + counter, nanoseconds, value);
  }
  void end() override {}
  std::string encodeObject(Fill fill) override {
    return sink.encodeObject(fill);
  }
  std::string encodeList(Fill fill) override { return sink.encodeList(fill); }

private:
  TraceSink &sink;
  Numbers &numbers;
  unsigned firstGroup = 0, firstCounter = 0;
  /// By number in the stage's own trace. Tracks that one microbatch has added
  /// are there for the next one.
  std::vector<unsigned> tracks;
  size_t knownTracks = 0;    ///< of the microbatch under way
  int64_t arrowsBefore = 0; ///< of this microbatch
};

/// The microbatches in the stages of a pipeline.
class PipelineSlices {
public:
  explicit PipelineSlices(ModuleOp module, PipelineAttr pipeline);

  /// Returns "stage 1" or "stage 1 backward" for the function of a stage.
  static std::string nameOf(FunctionOpInterface function);
  /// Returns when a function runs, in the order of time.
  ArrayRef<StageSlotAttr> runsOf(FunctionOpInterface function) const;
  TraceLayout layout(const Twine &name) const;
  /// Writes the slices of the first group, with arrows.
  void write(TraceSink &sink, StageSink::Numbers &numbers,
             function_ref<int64_t(int64_t cycle)> toNanoseconds) const;

private:
  /// A stage, and the one to which it sends, or -1.
  using Place = std::pair<int64_t, int64_t>;
  Place placeOf(StageSlotAttr slot) const;

  std::vector<StageSlotAttr> slots; ///< in the order of time
  /// The stage of each function, by symbol.
  llvm::StringMap<StageAttr> stages;
  int64_t places = 1; ///< of chips, on which several stages may be
  llvm::StringMap<std::vector<StageSlotAttr>> runs; ///< of each function
  std::map<Place, unsigned> tracks;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_PIPELINETRACE_H
