//===- ExportPerfetto.cpp - The schedule as a trace -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineTrace.h"
#include "TraceExporter.h"
#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Planning/PipelineSchedule.h"
#include "llm/Results/Staleness.h"
#include "llm/Support/Units.h"
#include "llm/Trace/TraceWriter.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTPERFETTOPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The file's name decides if the option leaves the format open.
static TraceEncoding chooseEncoding(TraceFormat said, StringRef file) {
  switch (said) {
  case TraceFormat::Auto:
    return encodingOf(file);
  case TraceFormat::Json:
    return TraceEncoding::Json;
  case TraceFormat::JsonGzip:
    return TraceEncoding::JsonGzip;
  case TraceFormat::Proto:
    return TraceEncoding::Proto;
  case TraceFormat::ProtoGzip:
    return TraceEncoding::ProtoGzip;
  }
  llvm_unreachable("one of the five");
}

/// Returns what the default name of a file has behind that of its function.
/// Perfetto's own format needs no word more; JSON may hold anything.
static std::string defaultSuffix(TraceFormat format) {
  std::string suffix = suffixOf(chooseEncoding(format, "")).str();
  return StringRef(suffix).starts_with(".json") ? ".perfetto" + suffix : suffix;
}

/// With a clock below 1 GHz, nanoseconds are above 2^61 before cycles are.
static LogicalResult checkTimeAxis(Location loc, int64_t endCycle,
                                   const Target &target) {
  if (ceilMulDiv(endCycle, 1000000000, 1, target.clockHz))
    return success();
  return emitError(loc)
         << "the schedule ends after more than 2^61 nanoseconds, too late for "
            "a trace: draw cycles, --llm-export-perfetto=time=cycles";
}

/// No viewer opens a larger trace, and it would fill the disk.
static LogicalResult checkSize(FunctionOpInterface function,
                               std::optional<int64_t> slices, int64_t arrows,
                               TraceDetail detail) {
  constexpr int64_t most = 10000000;
  if (slices && *slices <= most && arrows <= most - *slices)
    return success();
  return emitFunctionError(function)
         << "has a schedule of more than " << withThousandsSeparators(most)
         << " slices and arrows, more than viewers open: "
         << (detail == TraceDetail::Layer
                 ? ""
                 : "draw less (detail=op, detail=layer), ")
         << "give its loops fewer trips, or see the figures with "
            "--llm-export-report";
}

/// Returns the number of slots in the stretch that has most.
static int64_t largestStretch(const Timeline &timeline,
                              ArrayRef<ProgramItem> items) {
  int64_t most = 0;
  for (const ProgramItem &item : items) {
    int64_t slots = 0;
    for (unsigned op : item.ops)
      slots += timeline.partCount(op);
    most = std::max({most, slots, largestStretch(timeline, item.body)});
  }
  return most;
}

static int64_t countEngines(const Target &target) {
  int64_t engines = 0;
  for (const Engine &engine : target.engines)
    engines += engine.count;
  return engines;
}

namespace {
/// Holds the parts of one trace. Each refers to those above it.
struct FunctionTrace {
  Program program;
  std::optional<Timeline> timeline;
  std::optional<FunctionExplanation> explanation;
  std::optional<TraceSpans> spans;
  std::optional<TraceFlows> flows;
  std::vector<std::string> problems; ///< why the schedule does not hold

  explicit FunctionTrace(Program program) : program(std::move(program)) {}
  const FunctionExplanation *explained() const {
    return explanation ? &*explanation : nullptr;
  }
};

struct ExportPerfettoPass
    : ExportPass<llm::impl::ExportPerfettoPassBase<ExportPerfettoPass>> {
  using ExportPass::ExportPass;
  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkOpen(*this, file, open, context)))
      return failure();
    std::optional<TraceEncoding> named = encodingOfSuffix(file);
    if (named && *named != chooseEncoding(format, file))
      return emitFormatError(*this, file, context);
    return ExportPass::initialize(context);
  }
  void runOnOperation() override;

private:
  LogicalResult exportFunctions(ArrayRef<FunctionOpInterface> functions);
  FailureOr<std::unique_ptr<FunctionTrace>>
  prepare(FunctionOpInterface function, const Target &target) const;
  LogicalResult writeTrace(FunctionTrace &trace, const Target &target,
                           StringRef path);
  using Stages = ArrayRef<std::unique_ptr<FunctionTrace>>;
  LogicalResult checkPipeline(PipelineAttr pipeline, Stages stages,
                              const Target &target);
  LogicalResult writePipeline(PipelineAttr pipeline, Stages stages,
                              const Target &target, StringRef path);
  int64_t draw(FunctionTrace &trace, const Target &target, TraceSink &sink,
               int64_t firstCycle) const;
  void limitSamples(FunctionTrace &trace, const Target &target) const;
  std::optional<FunctionExplanation> explain(const Timeline &timeline,
                                             const Target &target,
                                             Warnings &warnings) const;
};
} // namespace

/// Says what the trace of a pipeline is about.
static void writePipelineHead(TraceValues &values, PipelineAttr pipeline,
                              const Target &target, TraceTime time,
                              ArrayRef<TraceCounter> counters) {
  writeMachine(values, target, time);
  values.number("makespan_cycles", pipeline.getMakespanCycles());
  values.number("lower_bound_cycles", pipeline.getLowerBoundCycles());
  values.number("period_cycles", pipeline.getPeriodCycles());
  writeAbout(values, counters);
}

/// Warns that the trace lacks `missing`, because `what` ("a stretch has 7
/// slots") is too many.
static void warnOfLimit(const Timeline &timeline, StringRef missing,
                        const Twine &what, int64_t found, int64_t limit) {
  emitWarning(timeline.program().function().getLoc())
      << "the trace has no " << missing << ": " << what
      << ", more than explain-slots=" << limit
      << ". To have them, at the cost of memory for each: "
         "--llm-export-perfetto=explain-slots="
      << found;
}

std::optional<FunctionExplanation>
ExportPerfettoPass::explain(const Timeline &timeline, const Target &target,
                            Warnings &warnings) const {
  int64_t slots = largestStretch(timeline, timeline.program().items());
  int64_t engines = countEngines(target);
  if (slots > explainSlots) {
    warnOfLimit(timeline, "slack, causes of idle time and critical path",
                "a stretch between two loop boundaries has " + Twine(slots) +
                    " slots",
                slots, explainSlots);
    return std::nullopt;
  }
  if (engines > explainSlots)
    warnOfLimit(timeline, "causes of idle time and critical path",
                "the target has " + Twine(engines) + " engines", engines,
                explainSlots);
  return FunctionExplanation::create(timeline, target, warnings,
                                     engines <= explainSlots);
}

/// More samples than a screen shows would make a long schedule's file large.
void ExportPerfettoPass::limitSamples(FunctionTrace &trace,
                                      const Target &target) const {
  constexpr int64_t mostSamples = 10000;
  std::optional<int64_t> changing = trace.spans->count(/*slices=*/false);
  if (changing && *changing <= mostSamples)
    return;
  int64_t end = toTraceTime(trace.timeline->endCycle(), time, target);
  trace.spans->sampleEvery(
      std::max<int64_t>(1, end / mostSamples + (end % mostSamples != 0)));
}

/// Does everything that can fail for reasons of the function.
FailureOr<std::unique_ptr<FunctionTrace>>
ExportPerfettoPass::prepare(FunctionOpInterface function,
                            const Target &target) const {
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program))
    return failure();
  auto trace = std::make_unique<FunctionTrace>(std::move(*program));
  Warnings warnings;
  FailureOr<Timeline> timeline = Timeline::create(trace->program, warnings);
  if (failed(timeline) || failed(checkTarget(*timeline, target, warnings)))
    return failure();
  if (time == TraceTime::Nanoseconds &&
      failed(checkTimeAxis(function.getLoc(), timeline->endCycle(), target)))
    return failure();
  trace->timeline = std::move(*timeline);
  trace->explanation = explain(*trace->timeline, target, warnings);
  trace->problems = warnings.take();
  trace->spans.emplace(*trace->timeline, target, trace->explained(),
                       /*doesHold=*/trace->problems.empty(), detail);
  std::optional<int64_t> slices = trace->spans->count(/*slices=*/true);
  if (failed(checkSize(function, slices, /*arrows=*/0, detail)))
    return failure();
  FailureOr<TraceFlows> flows =
      TraceFlows::create(*trace->timeline, *trace->spans, detail);
  if (failed(flows) ||
      failed(checkSize(function, slices, flows->count(), detail)))
    return failure();
  trace->flows = std::move(*flows);
  if (detail == TraceDetail::Layer)
    limitSamples(*trace, target);
  return trace;
}

/// Draws a function from a cycle of the trace on. Returns the number of slices
/// that take time and have no width.
int64_t ExportPerfettoPass::draw(FunctionTrace &trace, const Target &target,
                                 TraceSink &sink, int64_t firstCycle) const {
  TraceExporter exporter(*trace.timeline, target, *trace.spans, *trace.flows,
                         trace.explained(), trace.problems, detail, time, sink,
                         firstCycle);
  exporter.write();
  return exporter.collapsedSlices();
}

static void warnOfCollapsed(Location loc, int64_t collapsed) {
  if (collapsed > 0)
    emitWarning(loc)
        << collapsed
        << " slices of the trace are shorter than a nanosecond and have no "
           "width. To see them draw cycles: --llm-export-perfetto=time=cycles";
}

LogicalResult ExportPerfettoPass::writeTrace(FunctionTrace &trace,
                                             const Target &target,
                                             StringRef path) {
  int64_t collapsed = 0;
  auto write = [&](llvm::raw_ostream &os) {
    TraceWriter writer(chooseEncoding(format, path), os);
    collapsed = draw(trace, target, writer.sink(), /*firstCycle=*/0);
  };
  if (failed(getAnalysis<ExportedFiles>().write(*this, path, write)))
    return failure();
  warnOfCollapsed(trace.program.function().getLoc(), collapsed);
  return success();
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

/// Each microbatch has the slices of its stage.
LogicalResult ExportPerfettoPass::checkPipeline(PipelineAttr pipeline,
                                                Stages stages,
                                                const Target &target) {
  ModuleOp module = getOperation();
  if (failed(verifyPipeline(module, target)) ||
      (time == TraceTime::Nanoseconds &&
       failed(checkTimeAxis(module.getLoc(), pipeline.getMakespanCycles(),
                            target))))
    return failure();
  std::optional<int64_t> slices = pipeline.getSlots().size();
  std::optional<int64_t> arrows = 2 * *slices;
  for (const std::unique_ptr<FunctionTrace> &stage : stages) {
    FunctionOpInterface function = stage->program.function();
    auto of = function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
    auto addTo = [&](std::optional<int64_t> &sum, std::optional<int64_t> each) {
      each = each ? checkedMul(*each, of.getMicrobatches()) : each;
      sum = sum && each ? checkedAdd(*sum, *each) : std::nullopt;
    };
    addTo(slices, stage->spans->count(/*slices=*/true));
    addTo(arrows, stage->flows->count());
    if (failed(checkSize(function, slices, arrows.value_or(maxCount), detail)))
      return failure();
  }
  return success();
}

LogicalResult ExportPerfettoPass::writePipeline(PipelineAttr pipeline,
                                                Stages stages,
                                                const Target &target,
                                                StringRef path) {
  PipelineSlices microbatches(getOperation(), pipeline);
  int64_t collapsed = 0;
  auto write = [&](llvm::raw_ostream &os) {
    TraceWriter writer(chooseEncoding(format, path), os);
    TraceSink &sink = writer.sink();
    TraceLayout layout = microbatches.layout("pipeline on " + target.name);
    StageSink::Numbers numbers;
    std::vector<StageSink> sinks;
    for (const std::unique_ptr<FunctionTrace> &stage : stages) {
      sinks.emplace_back(sink, numbers);
      sinks.back().addTo(layout, stage->spans->layout(),
                         PipelineSlices::nameOf(stage->program.function()));
    }
    sink.begin(layout, [&](TraceValues &values) {
      writePipelineHead(values, pipeline, target, time, layout.counters);
    });
    microbatches.write(sink, numbers, [&](int64_t cycle) {
      return toTraceTime(cycle, time, target);
    });
    for (auto [stage, stageSink] : llvm::zip_equal(stages, sinks))
      for (StageSlotAttr run : microbatches.runsOf(stage->program.function()))
        collapsed += draw(*stage, target, stageSink, run.getStartCycle());
    sink.end();
  };
  if (failed(getAnalysis<ExportedFiles>().write(*this, path, write)))
    return failure();
  warnOfCollapsed(getOperation().getLoc(), collapsed);
  return success();
}

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

/// All functions are prepared first, so that no file is written if one of them
/// fails. The stages of a pipeline are the last file.
LogicalResult
ExportPerfettoPass::exportFunctions(ArrayRef<FunctionOpInterface> functions) {
  auto pipeline =
      getOperation()->getAttrOfType<PipelineAttr>(LlmDialect::pipelineAttrName);
  SmallVector<FunctionOpInterface> alone, stages;
  for (FunctionOpInterface function : functions) {
    bool isStage = pipeline && function->hasAttr(LlmDialect::stageAttrName);
    (isStage ? stages : alone).push_back(function);
  }
  SmallVector<FunctionOpInterface> written(alone);
  if (!stages.empty())
    written.push_back(stages.front());
  FailureOr<std::vector<std::string>> paths =
      choosePaths(*this, written, file, {"trace", defaultSuffix(format)});
  if (failed(paths))
    return failure();
  if (!stages.empty() && file.empty())
    paths->back() = "pipeline" + defaultSuffix(format);
  FailureOr<Target> target = readTarget(getOperation());
  if (failed(target))
    return failure();
  std::vector<std::unique_ptr<FunctionTrace>> traces, ofStages;
  auto prepareAll = [&](ArrayRef<FunctionOpInterface> some,
                        std::vector<std::unique_ptr<FunctionTrace>> &prepared) {
    for (FunctionOpInterface function : some) {
      FailureOr<std::unique_ptr<FunctionTrace>> trace =
          prepare(function, *target);
      if (failed(trace))
        return failure();
      prepared.push_back(std::move(*trace));
    }
    return success();
  };
  if (failed(prepareAll(alone, traces)) || failed(prepareAll(stages, ofStages)))
    return failure();
  if (!stages.empty() && failed(checkPipeline(pipeline, ofStages, *target)))
    return failure();
  for (auto [trace, path] : llvm::zip(traces, *paths))
    if (failed(writeTrace(*trace, *target, path)))
      return failure();
  if (!stages.empty() &&
      failed(writePipeline(pipeline, ofStages, *target, paths->back())))
    return failure();
  for (StringRef path : *paths)
    if (open && failed(getAnalysis<ExportedFiles>().open(*this, path)))
      return failure();
  return success();
}

void ExportPerfettoPass::runOnOperation() {
  if (explainSlots < 0) {
    emitError(UnknownLoc::get(&getContext()))
        << "--llm-export-perfetto=explain-slots=" << explainSlots.getValue()
        << ": expected a number of slots, 0 or more (0: explain nothing)";
    return signalPassFailure();
  }
  SmallVector<FunctionOpInterface> functions =
      functionsToExport(getOperation(), "there is no trace to write");
  if (!functions.empty() && failed(exportFunctions(functions)))
    signalPassFailure();
}
