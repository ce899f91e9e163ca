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

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::llm;

static std::string formatted(double number) {
  return llvm::formatv("{0:f3}", number).str();
}

namespace {
/// Adds the tracks of one function.
class FunctionRecorder {
public:
  FunctionRecorder(const RecordedFunction &function, Recording &recording)
      : measured(function.measured), predicted(function.predicted),
        function(function), recording(recording) {}

  /// Adds what ran. The clock begins at this time of the runs.
  void addMeasured(StringRef group, int64_t originNanoseconds, bool isCut);
  /// Adds the schedule, which begins at this time of the clock.
  void addPredicted(StringRef group, int64_t startNanoseconds);

private:
  void addRuns(unsigned track, int64_t origin, ArrayRef<RecordedRun> runs);
  unsigned addGroup(StringRef name) {
    recording.layout.groups.push_back(name.str());
    return recording.layout.groups.size() - 1;
  }
  unsigned addTrack(unsigned group, std::string name) {
    recording.layout.tracks.push_back({group, std::move(name)});
    return recording.layout.tracks.size() - 1;
  }
  static Iterations iterationsOf(const Timeline &timeline, unsigned op,
                                 int64_t run);

  const Report &measured, &predicted;
  const RecordedFunction &function;
  Recording &recording;
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
Iterations FunctionRecorder::iterationsOf(const Timeline &timeline, unsigned op,
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

void FunctionRecorder::addMeasured(StringRef group, int64_t origin,
                                   bool isCut) {
  unsigned number = addGroup(group);
  for (auto [chip, runs] : llvm::enumerate(function.runsOfChips)) {
    auto index = function.firstChip + static_cast<int64_t>(chip);
    std::string name = isCut ? "chip " + std::to_string(index) : "thread 0";
    addRuns(addTrack(number, std::move(name)), origin, runs);
  }
}

void FunctionRecorder::addRuns(unsigned track, int64_t origin,
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

void FunctionRecorder::addPredicted(StringRef group, int64_t start) {
  unsigned number = addGroup(group);
  llvm::StringMap<unsigned> tracks;
  forEachSlice(predicted, [&](PredictedSlice slice) {
    auto [track, isNew] = tracks.try_emplace(slice.engine, 0);
    if (isNew)
      track->second = addTrack(number, slice.engine);
    recording.slices.push_back({track->second, start + slice.startNanoseconds,
                                start + slice.endNanoseconds,
                                std::move(slice.name), "predicted",
                                describeRun(predicted, slice.op)});
  });
}

/// Returns when the first run of all began.
static int64_t findOrigin(ArrayRef<RecordedFunction> functions) {
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (const RecordedFunction &function : functions)
    for (const std::vector<RecordedRun> &runs : function.runsOfChips)
      if (!runs.empty())
        origin = std::min(origin, runs.front().startNanoseconds);
  return origin;
}

Recording llm::recordBoth(ArrayRef<RecordedFunction> functions) {
  Recording recording;
  const std::string &machine = functions.front().predicted.target->name;
  bool isSplit = functions.size() > 1,
       isCut = isSplit || functions.front().runsOfChips.size() > 1;
  int64_t origin = findOrigin(functions);
  double measured = 0, predicted = 0; // microseconds
  std::vector<std::string> names;
  for (auto [number, function] : llvm::enumerate(functions)) {
    std::string of = (isSplit ? "stage " + std::to_string(number) : machine);
    FunctionRecorder recorder(function, recording);
    recorder.addMeasured("measured: " + of, origin, isCut);
    recorder.addPredicted("predicted: " + of, std::llround(predicted * 1e3));
    names.push_back(function.measured.functionName().str());
    measured += function.measured.makespanMicroseconds();
    predicted += function.predicted.makespanMicroseconds();
  }
  recording.about["function"] = llvm::join(names, ", ");
  recording.about["measured_us"] = formatted(measured);
  recording.about["predicted_us"] = formatted(predicted);
  return recording;
}
