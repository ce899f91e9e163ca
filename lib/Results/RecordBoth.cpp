//===- RecordBoth.cpp - A run and its prediction on one clock -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Comparison.h"
#include "llm/Results/OpShapes.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringMap.h"

#include <limits>

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

  void addMeasured(ArrayRef<std::vector<RecordedRun>> runsOfChips);
  void addPredicted();

  Recording recording;

private:
  void addRuns(unsigned track, int64_t origin, ArrayRef<RecordedRun> runs);
  static std::string formatted(double number) {
    return llvm::formatv("{0:f3}", number).str();
  }
  unsigned addTrack(unsigned group, std::string name) {
    recording.layout.tracks.push_back({group, std::move(name)});
    return recording.layout.tracks.size() - 1;
  }
  static Iterations iterationsOf(const Timeline &timeline, unsigned op,
                                 int64_t run);

  const Report &measured, &predicted;
};
} // namespace

Recording::Values llm::describeRun(const Report &report, unsigned index) {
  const OpReport &op = report.ops[index];
  Operation *operation = report.program->ops()[index].op;
  Recording::Values args = {{"kind", op.kind.str()},
                            {"bound", stringifyCostBound(op.bound).str()}};
  args["in"] = llvm::join(inputShapes(operation), ", ");
  args["out"] = llvm::join(outputShapes(operation), ", ");
  if (op.figures.macs)
    args["macs"] = op.figures.macs;
  for (auto [memory, bytes] :
       llvm::zip(report.target->sharedResources(), op.figures.bytes))
    args[memory->name + "_bytes"] = bytes;
  return args;
}

/// Returns the iterations of a run of an op, by its number in the order of
/// time.
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

/// The clock begins where the first chip does.
void BothRecorder::addMeasured(ArrayRef<std::vector<RecordedRun>> runsOfChips) {
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (const std::vector<RecordedRun> &runs : runsOfChips)
    if (!runs.empty())
      origin = std::min(origin, runs.front().startNanoseconds);
  bool isCut = runsOfChips.size() > 1;
  for (auto [chip, runs] : llvm::enumerate(runsOfChips)) {
    std::string name = isCut ? "chip " + std::to_string(chip) : "thread 0";
    addRuns(addTrack(measuredGroup, std::move(name)), origin, runs);
  }
}

void BothRecorder::addRuns(unsigned track, int64_t origin,
                           ArrayRef<RecordedRun> runs) {
  std::vector<int64_t> seen(measured.ops.size());
  for (const RecordedRun &run : runs) {
    if (run.op < 0)
      continue;
    Iterations iterations =
        iterationsOf(measured.timeline, run.op, seen[run.op]++);
    Recording::Values args = describeRun(measured, run.op);
    for (auto [name, count] : llvm::zip_equal(CpuCounters::names, run.counts))
      if (count)
        args[name.str()] = *count;
    recording.slices.push_back({track, run.startNanoseconds - origin,
                                run.endNanoseconds - origin,
                                measured.timeline.nameOf(run.op, iterations),
                                "measured", std::move(args)});
  }
}

void llm::forEachSlice(const Report &predicted,
                       function_ref<void(PredictedSlice)> visit) {
  const Timeline &timeline = predicted.timeline;
  auto nanosecondsAt = [&](int64_t cycle) {
    return cyclesToNanoseconds(cycle, predicted.target->clockHz);
  };
  timeline.forEachStretch([&](const StretchRun &run) {
    for (unsigned op : run.stretch.ops)
      timeline.forEachTimedSlot(op, run.iterations, [&](const TimedSlot &slot) {
        PredictedSlice slice;
        slice.engine =
            (slot.engine + "[" + Twine(slot.engineIndex) + "]").str();
        slice.startNanoseconds = nanosecondsAt(slot.startCycle);
        slice.endNanoseconds = nanosecondsAt(slot.endCycle);
        slice.name = timeline.nameOf(op, run.iterations);
        if (!slot.prefetched.empty())
          slice.name += " <- " + slot.prefetched.str();
        slice.op = op;
        visit(std::move(slice));
      });
  });
}

void BothRecorder::addPredicted() {
  llvm::StringMap<unsigned> tracks;
  forEachSlice(predicted, [&](PredictedSlice slice) {
    auto [track, isNew] = tracks.try_emplace(slice.engine, 0);
    if (isNew)
      track->second = addTrack(predictedGroup, slice.engine);
    recording.slices.push_back({track->second, slice.startNanoseconds,
                                slice.endNanoseconds, std::move(slice.name),
                                "predicted", describeRun(predicted, slice.op)});
  });
}

Recording llm::recordBoth(const Report &measured,
                          ArrayRef<std::vector<RecordedRun>> runsOfChips,
                          const Report &predicted) {
  BothRecorder recorder(measured, predicted);
  recorder.addMeasured(runsOfChips);
  recorder.addPredicted();
  return std::move(recorder.recording);
}
