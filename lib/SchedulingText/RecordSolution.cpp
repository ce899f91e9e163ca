//===- RecordSolution.cpp - A schedule as a recording ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/SchedulingText/RecordSolution.h"
#include "SourcesOf.h"
#include "llm/Support/Units.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;
using namespace mlir::llm::scheduling;

/// The most tracks without slots in each group. Engines with slots always have
/// tracks.
static constexpr int64_t mostTracksWithoutSlots = 64;

namespace {
class Recorder {
public:
  Recorder(const Problem &problem, const Solution &solution)
      : problem(problem), solution(solution) {}
  std::optional<Recording> run();

private:
  void addTracks();
  void addSlot(const Slot &slot);
  void addFetches(const Slot &slot, size_t part);
  void addDependences();
  void addLanes();
  size_t addSlice(EngineId engine, int64_t start, int64_t end, std::string name,
                  StringRef category, const Slot &slot);
  void hold(int64_t start, int64_t end, ArrayRef<int64_t> lanes);
  int64_t toNanoseconds(int64_t cycle);
  int64_t add(int64_t &lanes, int64_t more) {
    fits &= !__builtin_add_overflow(lanes, more, &lanes);
    return lanes;
  }
  const Task &taskOf(const Slot &slot) const {
    return problem.tasks[slot.task];
  }
  std::string nameOf(const Slot &slot) const;

  const Problem &problem;
  const Solution &solution;
  Recording recording;
  std::map<std::pair<unsigned, int64_t>, unsigned> trackOf; ///< by engine
  /// For each task, the slices that start first and end last.
  std::map<unsigned, std::pair<size_t, size_t>> ends;
  /// For each resource, how much more is held from a cycle on.
  std::vector<std::map<int64_t, int64_t>> changes;
  bool fits = true;
};
} // namespace

int64_t Recorder::toNanoseconds(int64_t cycle) {
  constexpr int64_t billion = 1000000000;
  bool isLate = !ceilMulDiv(cycle, billion, 1, problem.clockHz);
  fits &= !isLate;
  return isLate ? 0 : cyclesToNanoseconds(cycle, problem.clockHz);
}

void Recorder::addTracks() {
  TraceLayout &layout = recording.layout;
  layout.groups = {"machine", "engines"};
  auto add = [&](EngineId engine) { trackOf[{engine.group, engine.index}]; };
  for (auto [group, engines] : llvm::enumerate(problem.engines))
    for (int64_t index = 0;
         index < std::min(engines.count, mostTracksWithoutSlots); ++index)
      add({unsigned(group), index});
  for (const Slot &slot : solution.slots) {
    add(slot.engine);
    llvm::for_each(slot.with, add);
    for (const PrefetchSlot &fetch : slot.prefetches)
      add(fetch.engine);
  }
  for (auto &[engine, track] : trackOf) {
    track = layout.tracks.size();
    layout.tracks.push_back({1, problem.engines[engine.first].name + "[" +
                                    std::to_string(engine.second) + "]"});
  }
  for (const Resource &resource : problem.resources)
    layout.counters.push_back({resource.name + " lanes", "lanes"});
  changes.resize(problem.resources.size());
}

std::string Recorder::nameOf(const Slot &slot) const {
  const Task &task = taskOf(slot);
  bool isWhole = countParts(task.partsOf(solution.choiceOf(slot.task))) == 1;
  return isWhole ? task.name : task.name + "." + std::to_string(slot.part);
}

size_t Recorder::addSlice(EngineId engine, int64_t start, int64_t end,
                          std::string name, StringRef category,
                          const Slot &slot) {
  Recording::Slice slice;
  slice.track = trackOf[{engine.group, engine.index}];
  slice.startNanoseconds = toNanoseconds(start);
  slice.endNanoseconds = toNanoseconds(std::max(start, end));
  slice.name = std::move(name);
  slice.category = category.str();
  slice.args = {{"task", taskOf(slot).name},
                {"part", slot.part},
                {"start_cycle", start},
                {"end_cycle", end}};
  recording.slices.push_back(std::move(slice));
  return recording.slices.size() - 1;
}

void Recorder::hold(int64_t start, int64_t end, ArrayRef<int64_t> lanes) {
  for (auto [held, changed] : llvm::zip(lanes, changes)) {
    if (held == 0 || end <= start)
      continue;
    add(changed[start], held);
    add(changed[end], -held);
  }
}

void Recorder::addFetches(const Slot &slot, size_t part) {
  const std::vector<Source> *sources =
      sourcesOf(taskOf(slot).partsOf(solution.choiceOf(slot.task)), slot.part);
  if (!sources)
    return;
  for (const PrefetchSlot &fetch : slot.prefetches) {
    size_t slice = addSlice(fetch.engine, fetch.start, fetch.end,
                            "prefetch " + (*sources)[fetch.source].name +
                                " of " + nameOf(slot),
                            "prefetch", slot);
    recording.arrows.push_back({TraceArrow::Kind::Prefetch, slice, part});
    hold(fetch.start, fetch.end, fetch.lanes);
  }
}

void Recorder::addSlot(const Slot &slot) {
  size_t part =
      addSlice(slot.engine, slot.start, slot.end, nameOf(slot), "op", slot);
  for (EngineId beside : slot.with)
    addSlice(beside, slot.start, slot.end, nameOf(slot), "together", slot);
  hold(slot.start, slot.end, slot.lanes);
  addFetches(slot, part);
  auto [known, isNew] = ends.try_emplace(slot.task, part, part);
  auto &[first, last] = known->second;
  if (recording.slices[part].startNanoseconds <
      recording.slices[first].startNanoseconds)
    first = part;
  if (recording.slices[part].endNanoseconds >
      recording.slices[last].endNanoseconds)
    last = part;
}

void Recorder::addDependences() {
  for (const auto &[task, own] : ends)
    for (unsigned before : problem.tasks[task].predecessors)
      if (auto found = ends.find(before); found != ends.end())
        recording.arrows.push_back(
            {TraceArrow::Kind::Dependence, found->second.second, own.first});
}

void Recorder::addLanes() {
  for (auto [resource, changed] : llvm::enumerate(changes)) {
    int64_t held = 0;
    changed[0]; // a line starts at time 0
    for (auto [cycle, more] : changed)
      recording.samples.push_back(
          {unsigned(resource), toNanoseconds(cycle), add(held, more)});
  }
}

std::optional<Recording> Recorder::run() {
  recording.about = {{"makespan_cycles", solution.makespan},
                     {"clock_hz", problem.clockHz}};
  addTracks();
  for (const Slot &slot : solution.slots)
    addSlot(slot);
  addDependences();
  addLanes();
  return fits ? std::optional<Recording>(std::move(recording)) : std::nullopt;
}

std::optional<Recording> mlir::llm::recordSolution(const Problem &problem,
                                                   const Solution &solution) {
  return Recorder(problem, solution).run();
}
