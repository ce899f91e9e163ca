//===- RecordBoth.cpp - A run and its prediction on one clock -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Comparison.h"
#include "llm/Results/OpShapes.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// The group of tracks of one side.
constexpr unsigned measuredGroup = 0, predictedGroup = 1;

class BothRecorder {
public:
  BothRecorder(const Report &measured, const Report &predicted)
      : measured(measured), predicted(predicted) {
    const std::string &machine = predicted.target->name;
    recording.layout.groups = {"measured: " + machine, "predicted: " + machine};
    recording.about["function"] = measured.functionName().str();
    recording.about["measured_us"] = formatted(measured.makespanMicroseconds());
    recording.about["predicted_us"] =
        formatted(predicted.makespanMicroseconds());
  }

  void addMeasured(ArrayRef<RecordedRun> runs);
  void addPredicted();

  Recording recording;

private:
  static std::string formatted(double number) {
    return llvm::formatv("{0:f3}", number).str();
  }
  unsigned addTrack(unsigned group, std::string name) {
    recording.layout.tracks.push_back({group, std::move(name)});
    return recording.layout.tracks.size() - 1;
  }
  /// What a click on a run of the op shows.
  static Recording::Values describe(const Report &report, unsigned index);
  static Iterations iterationsOf(const Timeline &timeline, unsigned op,
                                 int64_t run);

  const Report &measured, &predicted;
};
} // namespace

Recording::Values BothRecorder::describe(const Report &report, unsigned index) {
  const OpReport &op = report.ops[index];
  Operation *operation = report.program->ops()[index].op;
  Recording::Values args = {{"kind", op.kind.str()},
                            {"bound", stringifyCostBound(op.bound).str()}};
  args["in"] = llvm::join(inputShapes(operation), ", ");
  args["out"] = llvm::join(outputShapes(operation), ", ");
  if (op.figures.macs)
    args["macs"] = op.figures.macs;
  for (auto [memory, bytes] :
       llvm::zip(report.target->sharedMemories(), op.figures.bytes))
    args[memory->name + "_bytes"] = bytes;
  return args;
}

/// Of the runs of an op, in the order of time.
Iterations BothRecorder::iterationsOf(const Timeline &timeline, unsigned op,
                                      int64_t run) {
  ArrayRef<unsigned> loops = timeline.loopsOf(op);
  Iterations iterations(loops.size());
  for (size_t i = loops.size(); i-- > 0;) {
    int64_t trips = timeline.loops()[loops[i]].trips;
    iterations[i] = run % trips;
    run /= trips;
  }
  return iterations;
}

void BothRecorder::addMeasured(ArrayRef<RecordedRun> runs) {
  unsigned track = addTrack(measuredGroup, "thread 0");
  std::vector<int64_t> seen(measured.ops.size());
  for (const RecordedRun &run : runs) {
    if (run.op < 0)
      continue;
    Iterations iterations =
        iterationsOf(measured.timeline, run.op, seen[run.op]++);
    Recording::Values args = describe(measured, run.op);
    for (auto [name, count] : llvm::zip_equal(CpuCounters::names, run.counts))
      if (count)
        args[name.str()] = *count;
    recording.slices.push_back({track, run.startNanoseconds, run.endNanoseconds,
                                measured.timeline.nameOf(run.op, iterations),
                                "measured", std::move(args)});
  }
}

void BothRecorder::addPredicted() {
  const Timeline &timeline = predicted.timeline;
  llvm::MapVector<std::pair<StringRef, int64_t>, unsigned> tracks;
  auto nanosecondsAt = [&](int64_t cycle) {
    return cyclesToNanoseconds(cycle, predicted.target->clockHz);
  };
  timeline.forEachStretch([&](const StretchRun &run) {
    for (unsigned op : run.stretch.ops)
      timeline.forEachTimedSlot(op, run.iterations, [&](const TimedSlot &slot) {
        auto [track, isNew] =
            tracks.insert({{slot.engine, slot.engineIndex}, 0});
        if (isNew)
          track->second = addTrack(
              predictedGroup,
              (slot.engine + "[" + Twine(slot.engineIndex) + "]").str());
        std::string name = timeline.nameOf(op, run.iterations);
        if (!slot.prefetched.empty())
          name += " <- " + slot.prefetched.str();
        recording.slices.push_back(
            {track->second, nanosecondsAt(slot.startCycle),
             nanosecondsAt(slot.endCycle), std::move(name), "predicted",
             describe(predicted, op)});
      });
  });
}

Recording llm::recordBoth(const Report &measured, ArrayRef<RecordedRun> runs,
                          const Report &predicted) {
  BothRecorder recorder(measured, predicted);
  recorder.addMeasured(runs);
  recorder.addPredicted();
  return std::move(recorder.recording);
}
