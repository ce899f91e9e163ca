//===- PipelineTrace.cpp - All stages of a pipeline in one trace ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineTrace.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Program/Program.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// The trace of a stage
//===----------------------------------------------------------------------===//

/// The first group of a stage is the machine. Its tracks come under the name of
/// the stage.
void StageSink::addTo(TraceLayout &all, const TraceLayout &own,
                      StringRef stage) {
  firstGroup = all.groups.size();
  firstCounter = all.counters.size();
  std::string prefix = stage.str() + ": ";
  for (const std::string &group : own.groups)
    all.groups.push_back(prefix + group);
  for (const TraceTrack &track : own.tracks) {
    tracks.push_back(all.tracks.size());
    all.tracks.push_back({firstGroup + track.group, track.name});
  }
  for (TraceCounter counter : own.counters) {
    counter.name = prefix + counter.name;
    all.counters.push_back(std::move(counter));
  }
  numbers.nextTrack = all.tracks.size();
}

void StageSink::begin(const TraceLayout &layout, Fill) {
  knownTracks = layout.tracks.size();
  arrowsBefore = numbers.lastArrow;
}

void StageSink::addTrack(const TraceTrack &track) {
  if (knownTracks++ < tracks.size())
    return;
  sink.addTrack({firstGroup + track.group, track.name});
  tracks.push_back(numbers.nextTrack++);
}

void StageSink::beginSlice(const TraceSlice &slice) {
  auto renumber = [&](ArrayRef<TraceArrow> arrows) {
    SmallVector<TraceArrow> result(arrows);
    for (TraceArrow &arrow : result) {
      arrow.id += arrowsBefore;
      numbers.lastArrow = std::max(numbers.lastArrow, arrow.id);
    }
    return result;
  };
  SmallVector<TraceArrow> into = renumber(slice.into),
                          outOf = renumber(slice.outOf);
  TraceSlice inPipeline = slice;
  inPipeline.track = tracks[slice.track];
  inPipeline.into = into;
  inPipeline.outOf = outOf;
  sink.beginSlice(inPipeline);
}

//===----------------------------------------------------------------------===//
// Microbatches
//===----------------------------------------------------------------------===//

static std::string nameOfStage(StageAttr stage) {
  return "stage " + std::to_string(stage.getNumber());
}

static StringRef directionOf(StageAttr stage) {
  return stage.getIsBackward() ? " backward" : "";
}

std::string PipelineSlices::nameOf(FunctionOpInterface function) {
  auto stage = function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName);
  return (nameOfStage(stage) + directionOf(stage)).str();
}

PipelineSlices::PipelineSlices(ModuleOp module, PipelineAttr pipeline)
    : slots(pipeline.getSlots()) {
  llvm::stable_sort(slots, [](StageSlotAttr one, StageSlotAttr other) {
    return one.getStartCycle() < other.getStartCycle();
  });
  for (FunctionOpInterface function : functionsWithBody(module))
    if (auto stage =
            function->getAttrOfType<StageAttr>(LlmDialect::stageAttrName)) {
      stages[symbolOf(function)] = stage;
      places = stage.countPlaces();
    }
  for (StageSlotAttr slot : slots) {
    tracks[placeOf(slot)] = 0;
    if (!slot.getTo())
      runs[slot.getFunction().getValue()].push_back(slot);
  }
  for (auto [number, track] : llvm::enumerate(tracks))
    track.second = number;
}

PipelineSlices::Place PipelineSlices::placeOf(StageSlotAttr slot) const {
  int64_t stage = stages.lookup(slot.getFunction().getValue()).getNumber();
  FlatSymbolRefAttr to = slot.getTo();
  return {stage, to ? stages.lookup(to.getValue()).getNumber() : -1};
}

ArrayRef<StageSlotAttr>
PipelineSlices::runsOf(FunctionOpInterface function) const {
  auto own = runs.find(symbolOf(function));
  return own == runs.end() ? ArrayRef<StageSlotAttr>()
                           : ArrayRef<StageSlotAttr>(own->second);
}

TraceLayout PipelineSlices::layout(const Twine &name) const {
  TraceLayout result;
  result.groups = {name.str()};
  for (const auto &[place, number] : tracks) {
    std::string name = "stage " + std::to_string(place.first);
    if (place.second >= 0)
      name += " to " + std::to_string(place.second);
    else if (place.first >= places)
      name += " (on the chips of " + std::to_string(place.first % places) + ")";
    result.tracks.push_back({0, name});
  }
  return result;
}

/// An arrow leads from a microbatch in a stage to what it sends, and on to the
/// next stage.
void PipelineSlices::write(
    TraceSink &sink, StageSink::Numbers &numbers,
    function_ref<int64_t(int64_t cycle)> toNanoseconds) const {
  // By microbatch: the arrow that what was sent last has begun.
  DenseMap<std::pair<StringRef, int64_t>, int64_t> toSending, toStage;
  for (StageSlotAttr slot : slots)
    if (FlatSymbolRefAttr to = slot.getTo()) {
      toSending[{slot.getFunction().getValue(), slot.getMicrobatch()}] =
          ++numbers.lastArrow;
      toStage[{to.getValue(), slot.getMicrobatch()}] = ++numbers.lastArrow;
    }
  for (StageSlotAttr slot : slots) {
    FlatSymbolRefAttr to = slot.getTo();
    std::pair<StringRef, int64_t> place(slot.getFunction().getValue(),
                                        slot.getMicrobatch());
    int64_t into = to ? toSending.lookup(place) : toStage.lookup(place);
    int64_t outOf =
        to ? toStage.lookup({to.getValue(), slot.getMicrobatch()})
           : toSending.lookup(place);
    TraceArrow intoArrow{TraceArrow::Kind::Dependence, into};
    TraceArrow outOfArrow{TraceArrow::Kind::Dependence, outOf};
    StageAttr stage = stages.lookup(place.first);
    std::string name = "microbatch " + std::to_string(slot.getMicrobatch()) +
                       directionOf(stage).str();
    if (to)
      name += " to " + nameOfStage(stages.lookup(to.getValue()));
    auto fillArgs = [&](TraceValues &values) {
      values.text("function", place.first);
      values.number("microbatch", slot.getMicrobatch());
      values.number("start_cycle", slot.getStartCycle());
      values.number("end_cycle", slot.getEndCycle());
    };
    TraceSlice slice;
    slice.track = tracks.find(placeOf(slot))->second;
    slice.start = toNanoseconds(slot.getStartCycle());
    slice.end = toNanoseconds(slot.getEndCycle());
    slice.name = name;
    slice.category = to ? "transfer" : "microbatch";
    slice.fillArgs = fillArgs;
    if (into)
      slice.into = intoArrow;
    if (outOf)
      slice.outOf = outOfArrow;
    sink.beginSlice(slice);
    sink.endSlice(slice.track, slice.end);
  }
}
