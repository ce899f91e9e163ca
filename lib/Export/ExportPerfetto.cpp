//===- ExportPerfetto.cpp - The schedule as a trace -----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportedFiles.h"
#include "FunctionFiles.h"
#include "TargetCheck.h"
#include "TraceArgs.h"
#include "TraceCounters.h"
#include "TraceFlows.h"
#include "TraceWriter.h"
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
// One trace
//===----------------------------------------------------------------------===//

namespace {
class TraceExporter {
public:
  TraceExporter(const Timeline &timeline, const Target &target,
                const TraceFlows &flows, const FunctionExplanation *explanation,
                TraceTime time, llvm::raw_ostream &os)
      : timeline(timeline), target(target), flows(flows), time(time),
        writer(os, target, time), args(timeline, explanation),
        counters(timeline, target, writer) {}
  void write();
  /// Slices that take time and have no width, because nanoseconds are too
  /// coarse for them.
  int64_t collapsedSlices() const { return collapsed; }

private:
  void writeHead();
  void writeSlice(const Slice &slice);
  void writePrefetch(const Slice &slice);

  const Timeline &timeline;
  const Target &target;
  const TraceFlows &flows;
  TraceTime time;
  TraceWriter writer;
  TraceArgs args;
  TraceCounters counters;
  /// Arrows of prefetches are numbered on their own; those of the part that
  /// follows.
  int64_t lastPrefetchId = 0;
  SmallVector<int64_t, 2> pendingPrefetches;
  int64_t collapsed = 0;
};
} // namespace

void TraceExporter::write() {
  writeHead();
  timeline.forEachStretch([&](const StretchRun &run) {
    for (unsigned op : run.stretch.ops)
      timeline.forEachSlice(op, run.iterations, [&](const Slice &slice) {
        slice.prefetched.empty() ? writeSlice(slice) : writePrefetch(slice);
      });
    counters.replay(run);
  });
  counters.finish();
  writer.end();
}

void TraceExporter::writeHead() {
  writer.begin([&](llvm::json::OStream &json) {
    func::FuncOp function = timeline.program().function();
    ScheduleAttr schedule = timeline.schedule();
    json.attribute("function", toUtf8(function.getSymName()));
    json.attribute("target", toUtf8(target.name));
    json.attribute("target_description", toUtf8(target.description));
    json.attribute("clock_hz", target.clockHz);
    json.attribute("time", time == TraceTime::Cycles ? "cycles" : "ns");
    json.attribute("policy", toUtf8(schedule.getPolicy()));
    json.attribute("makespan_cycles", schedule.getMakespanCycles());
  });
}

void TraceExporter::writeSlice(const Slice &slice) {
  SmallVector<int64_t> arrows;
  std::vector<std::string> dependsOn;
  flows.forEachInto(slice, [&](int64_t id, std::string from) {
    arrows.push_back(id);
    dependsOn.push_back(std::move(from));
  });
  TraceSpan span = writer.spanOf(slice);
  collapsed += span.start == span.end && slice.startCycle < slice.endCycle;
  writer.writeSlice(
      span, timeline.nameOf(slice.op, slice.iterations), "op",
      [&](llvm::json::OStream &json) { args.write(json, slice, dependsOn); });
  for (int64_t id : arrows)
    writer.writeArrowInto(span, "dependence", id);
  for (int64_t id : pendingPrefetches)
    writer.writeArrowInto(span, "prefetch", id);
  pendingPrefetches.clear();
  flows.forEachOutOf(
      slice, [&](int64_t id) { writer.writeArrowOut(span, "dependence", id); });
}

void TraceExporter::writePrefetch(const Slice &slice) {
  TraceSpan span = writer.spanOf(slice);
  std::string name = "prefetch " + slice.prefetched.str() + " of " +
                     timeline.nameOf(slice.op, slice.iterations);
  writer.writeSlice(span, name, "prefetch", [&](llvm::json::OStream &json) {
    args.write(json, slice, {});
  });
  pendingPrefetches.push_back(++lastPrefetchId);
  writer.writeArrowOut(span, "prefetch", lastPrefetchId);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

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
static LogicalResult checkSliceCount(const Timeline &timeline) {
  constexpr int64_t maxSlices = 10000000;
  int64_t slices = 0;
  for (auto [index, op] : llvm::enumerate(timeline.program().ops())) {
    auto own = checkedMul(op.count, timeline.partCount(index));
    auto sum = own ? checkedAdd(slices, *own) : std::nullopt;
    if (!sum || *sum > maxSlices)
      return emitFunctionError(timeline.program().function())
             << "has a schedule of more than "
             << withThousandsSeparators(maxSlices)
             << " slices, more than viewers open: give its loops fewer trips, "
                "or see the figures with --llm-export-report";
    slices = *sum;
  }
  return success();
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

namespace {
struct ExportPerfettoPass
    : WorkloadPass<llm::impl::ExportPerfettoPassBase<ExportPerfettoPass>> {
  using WorkloadPass::WorkloadPass;
  void runOnOperation() override;

private:
  LogicalResult exportFunction(func::FuncOp function, StringRef path);
  std::optional<FunctionExplanation> explain(const Timeline &timeline,
                                             const Target &target) const;
};
} // namespace

std::optional<FunctionExplanation>
ExportPerfettoPass::explain(const Timeline &timeline,
                            const Target &target) const {
  int64_t slots = largestStretch(timeline, timeline.program().items());
  if (slots <= explainSlots)
    return FunctionExplanation::create(timeline, target);
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
  if (failed(checkSliceCount(*timeline)))
    return failure();
  if (time == TraceTime::Nanoseconds &&
      failed(checkTimeAxis(*timeline, *target)))
    return failure();
  FailureOr<TraceFlows> flows = TraceFlows::create(*timeline);
  if (failed(flows))
    return failure();
  std::optional<FunctionExplanation> explanation = explain(*timeline, *target);
  int64_t collapsed = 0;
  auto write = [&](llvm::raw_ostream &os) {
    TraceExporter exporter(*timeline, *target, *flows,
                           explanation ? &*explanation : nullptr, time, os);
    exporter.write();
    collapsed = exporter.collapsedSlices();
  };
  if (failed(getAnalysis<ExportedFiles>().write(*this, path, write)))
    return failure();
  if (collapsed > 0)
    emitWarning(function.getLoc())
        << collapsed
        << " slices of the trace are shorter than a nanosecond and have no "
           "width; arrows at them can bind to a neighbour. To see them draw "
           "cycles: --llm-export-perfetto=time=cycles";
  return success();
}

void ExportPerfettoPass::runOnOperation() {
  SmallVector<func::FuncOp> functions = functionsWithBody(getOperation());
  if (functions.empty())
    emitWarning(getOperation().getLoc())
        << "the module has no function with a body: there is no trace to write";
  FailureOr<std::vector<std::string>> paths =
      choosePaths(*this, functions, file, {"trace", ".perfetto.json"});
  if (failed(paths))
    return signalPassFailure();
  for (auto [function, path] : llvm::zip_equal(functions, *paths))
    if (failed(exportFunction(function, path)))
      return signalPassFailure();
}
