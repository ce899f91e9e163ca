//===- ExportPerfetto.cpp - The schedule as a trace -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportedFiles.h"
#include "FunctionFiles.h"
#include "TargetCheck.h"
#include "TraceExporter.h"
#include "llm/Files/GzipOutput.h"
#include "llm/Interfaces/ExternalModels.h"
#include "llm/Support/Units.h"
#include "mlir/IR/Remarks.h"

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTPERFETTOPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static StringRef suffixOf(TraceFormat format) {
  switch (format) {
  case TraceFormat::Json:
    return ".perfetto.json";
  case TraceFormat::JsonGzip:
    return ".perfetto.json.gz";
  case TraceFormat::Proto:
    return ".pftrace";
  }
  return "";
}

/// With a clock below 1 GHz, nanoseconds are above 2^61 before cycles are.
static LogicalResult checkTimeAxis(const Timeline &timeline,
                                   const Target &target) {
  if (ceilMulDiv(timeline.endCycle(), 1000000000, 1, target.clockHz))
    return success();
  return emitError(timeline.program().function().getLoc())
         << "the schedule ends after more than 2^61 nanoseconds, too late for "
            "a trace: draw cycles, --llm-export-perfetto=time=cycles";
}

/// A trace that no viewer opens, and that fills the disk.
static LogicalResult checkSliceCount(const Timeline &timeline,
                                     std::optional<int64_t> slices,
                                     TraceDetail detail) {
  constexpr int64_t maxSlices = 10000000;
  if (slices && *slices <= maxSlices)
    return success();
  return emitFunctionError(timeline.program().function())
         << "has a schedule of more than " << withThousandsSeparators(maxSlices)
         << " slices, more than viewers open: "
         << (detail == TraceDetail::Layer
                 ? ""
                 : "draw less (detail=op, detail=layer), ")
         << "give its loops fewer trips, or see the figures with "
            "--llm-export-report";
}

/// The slots of the stretch that has most.
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
struct ExportPerfettoPass
    : WorkloadPass<llm::impl::ExportPerfettoPassBase<ExportPerfettoPass>> {
  using WorkloadPass::WorkloadPass;
  void runOnOperation() override;

private:
  LogicalResult exportFunction(func::FuncOp function, StringRef path);
  LogicalResult writeTrace(const Timeline &timeline, const Target &target,
                           StringRef path);
  std::optional<FunctionExplanation> explain(const Timeline &timeline,
                                             const Target &target) const;
};
} // namespace

std::optional<FunctionExplanation>
ExportPerfettoPass::explain(const Timeline &timeline,
                            const Target &target) const {
  int64_t slots = largestStretch(timeline, timeline.program().items());
  if (slots <= explainSlots)
    return FunctionExplanation::create(timeline, target,
                                       countEngines(target) <= explainSlots);
  func::FuncOp function = timeline.program().function();
  remark::missed(function.getLoc(), remark::RemarkOpts::name("slack")
                                        .category("llm-export-perfetto")
                                        .function(function.getName()))
      << remark::reason("slack and causes are left out, as there are more "
                        "slots in a stretch than explain-slots={0}",
                        explainSlots.getValue())
      << remark::metric("slots", slots);
  return std::nullopt;
}

LogicalResult ExportPerfettoPass::exportFunction(func::FuncOp function,
                                                 StringRef path) {
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program))
    return failure();
  FailureOr<Timeline> timeline = Timeline::create(*program);
  if (failed(timeline))
    return failure();
  FailureOr<Target> target = readTarget(getOperation());
  if (failed(target) || failed(checkTarget(*timeline, *target)))
    return failure();
  if (time == TraceTime::Nanoseconds &&
      failed(checkTimeAxis(*timeline, *target)))
    return failure();
  return writeTrace(*timeline, *target, path);
}

LogicalResult ExportPerfettoPass::writeTrace(const Timeline &timeline,
                                             const Target &target,
                                             StringRef path) {
  std::optional<FunctionExplanation> found = explain(timeline, target);
  const FunctionExplanation *explanation = found ? &*found : nullptr;
  TraceSpans spans(timeline, target, explanation, detail);
  if (failed(checkSliceCount(timeline, spans.count(/*slices=*/true), detail)))
    return failure();
  FailureOr<TraceFlows> flows = TraceFlows::create(timeline, spans, detail);
  if (failed(flows))
    return failure();
  int64_t collapsed = 0;
  auto write = [&](llvm::raw_ostream &os) {
    std::optional<GzipOutput> compressed;
    if (format == TraceFormat::JsonGzip)
      compressed.emplace(os);
    llvm::raw_ostream &out = compressed ? *compressed : os;
    std::unique_ptr<TraceSink> sink =
        format == TraceFormat::Proto ? makeProtoTrace(out) : makeJsonTrace(out);
    TraceExporter exporter(timeline, target, spans, *flows, explanation, detail,
                           time, *sink);
    exporter.write();
    collapsed = exporter.collapsedSlices();
  };
  if (failed(getAnalysis<ExportedFiles>().write(*this, path, write)))
    return failure();
  if (collapsed > 0)
    emitWarning(timeline.program().function().getLoc())
        << collapsed
        << " slices of the trace are shorter than a nanosecond and have no "
           "width"
        << (format == TraceFormat::Proto
                ? ""
                : "; arrows at them can bind to a neighbour")
        << ". To see them draw cycles: --llm-export-perfetto=time=cycles";
  return success();
}

void ExportPerfettoPass::runOnOperation() {
  SmallVector<func::FuncOp> functions =
      functionsToExport(getOperation(), "there is no trace to write");
  FailureOr<std::vector<std::string>> paths =
      choosePaths(*this, functions, file, {"trace", suffixOf(format)});
  if (failed(paths))
    return signalPassFailure();
  for (auto [function, path] : llvm::zip_equal(functions, *paths))
    if (failed(exportFunction(function, path)))
      return signalPassFailure();
}
