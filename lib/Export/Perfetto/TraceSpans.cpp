//===- TraceSpans.cpp - What lies on the tracks of a trace ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceSpans.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// What is known of the ops
//===----------------------------------------------------------------------===//

static SlotsAttr slotsOf(Operation *op) {
  return op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
}

static CostAttr costOf(Operation *op) {
  return op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
}

static bool fetches(Operation *op) {
  return llvm::any_of(slotsOf(op).getRuns(), [](SlotRunAttr run) {
    return !run.getPrefetches().empty();
  });
}

/// Finds the rooms of all ops that fetch. Returns nothing if one of them or a
/// working set is not known, as the counter of private memory would be wrong.
static std::optional<std::vector<std::optional<SourceRooms>>>
findRooms(const Timeline &timeline, const Target &target) {
  ArrayRef<ProgramOp> ops = timeline.program().ops();
  std::vector<std::optional<SourceRooms>> rooms(ops.size());
  for (auto [room, entry] : llvm::zip_equal(rooms, ops)) {
    Operation *op = entry.op;
    if (!costOf(op))
      return std::nullopt;
    if (!fetches(op))
      continue;
    // --llm-verify-schedule reports what is wrong.
    FailureOr<SourceRooms> found =
        SourceRooms::find(entry.op, target, costOf(op), Reasons::unsaid());
    if (failed(found))
      return std::nullopt;
    room = std::move(*found);
  }
  return rooms;
}

static TraceCounters::Wanted findWanted(const Program &program,
                                        bool knowsRooms) {
  TraceCounters::Wanted wanted;
  wanted.bytes = true;
  wanted.privateMemory = knowsRooms;
  wanted.cache = findCacheBytes(program);
  // The chips of a stage hold the caches of all microbatches.
  auto stage = program.function()->getAttrOfType<StageAttr>(
      LlmDialect::stageAttrName);
  if (stage && wanted.cache && wanted.cache->before)
    wanted.cache->before =
        checkedMul(*wanted.cache->before, stage.getMicrobatches())
            .value_or(maxCount);
  for (const ProgramOp &entry : program.ops()) {
    CostAttr cost = costOf(entry.op);
    wanted.bytes &= bool(cost);
    if (cost)
      wanted.power |= llvm::any_of(cost.getParts(), [](PartCostAttr part) {
        return part.getEnergyPicojoules() > 0;
      });
  }
  return wanted;
}

TraceSpans::TraceSpans(const Timeline &timeline, const Target &target,
                       const FunctionExplanation *explanation, bool doesHold,
                       TraceDetail detail)
    : timeline(timeline), target(target),
      explanation(explanation && !explanation->stretches.empty() ? explanation
                                                                 : nullptr),
      detail(detail), theLayers(timeline), rooms(findRooms(timeline, target)),
      theCounters(target, findWanted(timeline.program(), rooms.has_value())),
      opRuns(timeline.program().ops().size()) {
  makeTracks(doesHold);
  addItems(timeline.program().items());
}

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

void TraceSpans::makeTracks(bool doesHold) {
  // A viewer shows the first group above all else.
  tracks.groups = {target.name + (doesHold ? "" : ": DOES NOT HOLD"), "layers"};
  tracks.counters = theCounters.described();
  if (explanation)
    tracks.tracks.push_back({0, "critical path"});
  firstLane = tracks.tracks.size();
  auto addTracks = [&](unsigned group, StringRef name, int64_t count) {
    for (int64_t index = 0; index < count; ++index)
      tracks.tracks.push_back(
          {group, name.str() + "[" + std::to_string(index) + "]"});
  };
  addTracks(1, "layers", theLayers.laneCount());
  if (detail == TraceDetail::Layer)
    return;
  for (const Engine &engine : target.engines) {
    firstTrackOfGroup[engine.name] = tracks.tracks.size();
    tracks.groups.push_back(engine.name);
    addTracks(tracks.groups.size() - 1, engine.name, engine.count);
  }
}

SlotRunAttr TraceSpans::runOfSlots(const SlotSeries &series) const {
  return slotsOf(timeline.program().ops()[series.owner].op)
      .getRuns()[series.item];
}

unsigned TraceSpans::trackOf(const SlotSeries &series, int64_t index,
                             const ProgramItem &stretch) const {
  switch (series.kind) {
  case SpanKind::Slot: {
    SlotRunAttr run = runOfSlots(series);
    return engineTrack(run.getEngine(),
                       run.getIndex() +
                           (series.first + index) * run.getIndexStride());
  }
  case SpanKind::Fetch: {
    PrefetchAttr fetch = runOfSlots(series).getPrefetches()[series.fetch];
    return engineTrack(fetch.getEngine(), fetch.getIndex());
  }
  case SpanKind::Beside: {
    auto [engine, number] =
        runOfSlots(series).getEnginesBeside(series.first + index)[series.fetch];
    return engineTrack(engine, number);
  }
  case SpanKind::BesideRun: {
    const OpRun &run = opRuns[series.owner].beside[series.item];
    return engineTrack(run.engine, run.index);
  }
  case SpanKind::OpRun: {
    const OpRun &run = opRuns[series.owner].slots[series.item];
    return engineTrack(run.engine, run.index);
  }
  case SpanKind::FetchRun: {
    const OpRun &run = opRuns[series.owner].fetches[series.item];
    return engineTrack(run.engine, run.index);
  }
  case SpanKind::Idle: {
    scheduling::EngineId engine =
        explanationOf(stretch).gaps[series.owner].engine;
    return engineTrack(target.engines[engine.group].name, engine.index);
  }
  case SpanKind::Layer:
    return firstLane + theLayers.spans()[series.owner].lane;
  case SpanKind::Path:
  case SpanKind::Held:
  case SpanKind::Event:
    return 0;
  }
  return 0;
}

int64_t TraceSpans::endOf(const SlotSeries &series, int64_t index,
                          const StretchRun &run) const {
  if (series.kind == SpanKind::Layer)
    return run.startCycle + theLayers.spans()[series.owner].endCycle;
  return run.startCycle + series.endCycle + index * series.stride;
}

TimedSlot TraceSpans::sliceOf(const SlotSeries &series, int64_t index,
                              const StretchRun &stretch) const {
  SlotRunAttr run = runOfSlots(series);
  int64_t i = series.first + index;
  TimedSlot slice;
  slice.op = series.owner;
  slice.iterations = stretch.iterations;
  slice.part = run.getPart() + i * run.getPartStride();
  slice.position = series.position + index;
  slice.startCycle =
      stretch.startCycle + series.startCycle + index * series.stride;
  slice.endCycle = stretch.startCycle + series.endCycle + index * series.stride;
  slice.lanes = run.getLanes();
  if (series.kind == SpanKind::Fetch) {
    PrefetchAttr fetch = run.getPrefetches()[series.fetch];
    slice.prefetched = fetch.getBuffer();
    slice.lanes = fetch.getLanes();
  }
  return slice;
}

scheduling::IdleGap TraceSpans::gapOf(unsigned number,
                                      const StretchRun &run) const {
  scheduling::IdleGap gap = explanationOf(run.stretch).gaps[number];
  auto cyclesOf = [&](scheduling::Cause cause) -> int64_t & {
    return gap.cycles[static_cast<size_t>(cause)];
  };
  if (explanation->laterWork.isBehind(run.stretch, run.iterations,
                                      gap.engine.group))
    cyclesOf(scheduling::Cause::LayerBoundary) =
        std::exchange(cyclesOf(scheduling::Cause::NoWork), 0);
  return gap;
}

std::optional<int64_t> TraceSpans::count(bool slices) const {
  std::optional<int64_t> sum = 0;
  auto visit = [&](auto &visit, ArrayRef<ProgramItem> items,
                   int64_t runs) -> void {
    for (const ProgramItem &item : items) {
      std::optional<int64_t> product = checkedMul(
          runs, item.isLoop() ? item.trips : sweepOf(item).count(slices));
      if (!product || !sum)
        sum = std::nullopt;
      else if (item.isLoop())
        visit(visit, item.body, *product);
      else
        sum = checkedAdd(*sum, *product);
    }
  };
  visit(visit, timeline.program().items(), 1);
  return sum;
}

//===----------------------------------------------------------------------===//
// Series
//===----------------------------------------------------------------------===//

void TraceSpans::addItems(ArrayRef<ProgramItem> items) {
  for (const ProgramItem &item : items) {
    if (item.isLoop())
      addItems(item.body);
    else
      addStretch(item);
  }
}

void TraceSpans::addStretch(const ProgramItem &stretch) {
  std::vector<SlotSeries> series;
  for (unsigned number : theLayers.beginIn(stretch)) {
    const LayerSpan &layer = theLayers.spans()[number];
    if (layer.isHidden)
      continue;
    // The layer may end in a later stretch, behind a loop.
    SlotSeries span{layer.startCycle, layer.startCycle, 0, 1, SpanKind::Layer};
    span.owner = number;
    series.push_back(span);
  }
  if (explanation)
    addExplained(stretch, series);
  for (unsigned op : stretch.ops)
    addOp(op, series);
  sweeps.try_emplace(&stretch, std::move(series));
}

void TraceSpans::addExplained(const ProgramItem &stretch,
                              std::vector<SlotSeries> &all) {
  auto add = [&](SpanKind kind, size_t number, const auto &described) {
    SlotSeries span{described.startCycle, described.endCycle, 0, 1, kind};
    span.owner = number;
    all.push_back(span);
  };
  const StretchExplanation &explained = explanationOf(stretch);
  for (auto [number, span] : llvm::enumerate(explained.path))
    add(SpanKind::Path, number, span);
  if (detail != TraceDetail::Layer)
    for (auto [number, gap] : llvm::enumerate(explained.gaps))
      add(SpanKind::Idle, number, gap);
}

void TraceSpans::addOp(unsigned op, std::vector<SlotSeries> &all) {
  addOpRuns(op, all);
  Operation *operation = timeline.program().ops()[op].op;
  PartCosts costs(costOf(operation));
  int64_t position = 0;
  for (auto [item, run] : llvm::enumerate(slotsOf(operation).getRuns())) {
    SlotSeries series{run.getStartCycle(), run.getEndCycle(),
                      run.getStartStride(), run.getCount()};
    series.owner = op;
    series.item = item;
    series.position = position;
    addParts(series, run, costs, all);
    position += run.getCount();
  }
  addCacheUpdates(op, all);
}

/// Cuts a run of slots where the cost of its parts changes.
void TraceSpans::addParts(const SlotSeries &run, SlotRunAttr slots,
                          const PartCosts &costs,
                          std::vector<SlotSeries> &all) {
  if (!costs.areKnown())
    return addEqualParts(run, slots, costs, std::nullopt, all);
  int64_t stride = std::max<int64_t>(slots.getPartStride(), 1);
  for (int64_t done = 0; done < run.count;) {
    int64_t part = slots.getPart() + done * slots.getPartStride();
    size_t record = costs.recordOf(part);
    int64_t parts = run.count - done;
    if (record + 1 < costs.count())
      parts =
          std::min(parts, (costs.endOf(record) - part + stride - 1) / stride);
    SlotSeries series = run;
    series.startCycle += done * run.stride;
    series.endCycle += done * run.stride;
    series.count = parts;
    series.first = done;
    series.position += done;
    addEqualParts(series, slots, costs, record, all);
    done += parts;
  }
}

/// Returns the power in which a part spends its energy, rounded up.
static int64_t powerNanowatts(PartCostAttr part, int64_t cycles,
                              int64_t clockHz) {
  if (cycles == 0)
    return 0;
  constexpr int64_t picojoulesPerNanojoule = 1000;
  return ceilMulDiv(part.getEnergyPicojoules(), clockHz, 1, cycles,
                    picojoulesPerNanojoule)
      .value_or(0);
}

/// Returns how fast these bytes move in this many cycles. It is rounded down,
/// so that all that move at a time are no faster than the memory.
static MemoryBytes bytesPerSecond(MemoryBytes bytes, int64_t cycles,
                                  int64_t clockHz) {
  for (auto &[memory, amount] : bytes)
    amount = cycles == 0 ? 0
                         : int64_t(std::min<__int128>(
                               __int128(amount) * clockHz / cycles, maxCount));
  return bytes;
}

/// Returns what a slot holds. The bytes that were fetched for it do not move
/// again.
TraceCounters::SlotUse TraceSpans::useOf(const SlotSeries &parts,
                                         SlotRunAttr run,
                                         PartCostAttr cost) const {
  TraceCounters::SlotUse use{run.getEngine(), run.getLanes()};
  if (!cost)
    return use;
  MemoryBytes bytes, fetched = fetchedBytes(cost, run);
  for (NamedAttribute memory : cost.getTraffic())
    bytes[memory.getName()] =
        cost.getBytes(memory.getName()) - fetched[memory.getName()];
  int64_t cycles = parts.endCycle - parts.startCycle;
  use.bytesPerSecond = bytesPerSecond(bytes, cycles, target.clockHz);
  use.privateBytes = cost.getWorkingSetBytes();
  use.nanowatts = powerNanowatts(cost, cycles, target.clockHz);
  return use;
}

TraceCounters::SlotUse TraceSpans::useOf(PrefetchAttr fetch,
                                         PartCostAttr cost) const {
  TraceCounters::SlotUse use{fetch.getEngine(), fetch.getLanes()};
  if (cost)
    use.bytesPerSecond = bytesPerSecond(
        bytesOf(cost, fetch.getBuffer()),
        fetch.getEndCycle() - fetch.getStartCycle(), target.clockHz);
  return use;
}

void TraceSpans::addEqualParts(SlotSeries parts, SlotRunAttr run,
                               const PartCosts &costs,
                               std::optional<size_t> record,
                               std::vector<SlotSeries> &all) {
  bool drawsParts = detail == TraceDetail::Tile;
  PartCostAttr cost = record ? costs[*record] : PartCostAttr();
  TraceCounters::SlotUse use = useOf(parts, run, cost);
  for (auto [number, fetch] : llvm::enumerate(run.getPrefetches())) {
    int64_t shift = parts.first * parts.stride;
    SlotSeries series = parts;
    series.startCycle = fetch.getStartCycle() + shift;
    if (const SourceRoom *room =
            findRoom(parts.owner, record, fetch.getBuffer())) {
      use.privateBytes -= room->stagingBytes;
      series.kind = SpanKind::Held; // until the part ends
      series.use = theCounters.useOfSlice(run.getEngine(), room->sliceBytes);
      all.push_back(series);
    }
    series.endCycle = fetch.getEndCycle() + shift;
    series.kind = drawsParts ? SpanKind::Fetch : SpanKind::Held;
    series.fetch = number;
    series.use = theCounters.useOfSlot(useOf(fetch, cost));
    all.push_back(series);
  }
  parts.kind = drawsParts ? SpanKind::Slot : SpanKind::Held;
  parts.use = theCounters.useOfSlot(use);
  all.push_back(parts);
  for (auto [number, engine] : llvm::enumerate(run.getEnginesBeside(0))) {
    SlotSeries series = parts;
    series.kind = drawsParts ? SpanKind::Beside : SpanKind::Held;
    series.fetch = number;
    series.use = theCounters.useOfEngine(engine.first);
    all.push_back(series);
  }
}

/// Returns the room of a buffer that parts of this record fetch; null if it is
/// not known.
const SourceRoom *TraceSpans::findRoom(unsigned op,
                                       std::optional<size_t> record,
                                       StringRef buffer) const {
  if (!rooms || !record || !(*rooms)[op])
    return nullptr;
  for (const SourceRoom &room : (*rooms)[op]->ofRecords[*record])
    if (room.buffer == buffer)
      return &room;
  return nullptr;
}

void TraceSpans::addOpRuns(unsigned op, std::vector<SlotSeries> &all) {
  SlotsAttr slots = slotsOf(timeline.program().ops()[op].op);
  if (detail == TraceDetail::Tile)
    opRuns[op].slots = findLongOpRuns(slots);
  else if (detail == TraceDetail::Op)
    opRuns[op] =
        findOpRuns(slots, PartCosts(costOf(timeline.program().ops()[op].op)));
  auto add = [&](SpanKind kind, ArrayRef<OpRun> runs) {
    for (auto [number, run] : llvm::enumerate(runs)) {
      SlotSeries series{run.startCycle, run.endCycle, 0, 1, kind};
      series.isOuter = detail == TraceDetail::Tile;
      series.owner = op;
      series.item = number;
      all.push_back(series);
    }
  };
  add(SpanKind::FetchRun, opRuns[op].fetches);
  add(SpanKind::OpRun, opRuns[op].slots);
  add(SpanKind::BesideRun, opRuns[op].beside);
}

/// What the op has written counts as in the caches once its last part has
/// ended.
void TraceSpans::addCacheUpdates(unsigned op, std::vector<SlotSeries> &all) {
  Operation *operation = timeline.program().ops()[op].op;
  int64_t bytes = countWrittenBytes(operation);
  if (bytes == 0)
    return;
  int64_t end = 0;
  for (SlotRunAttr run : slotsOf(operation).getRuns())
    end = std::max(end, run.getEndCycle() +
                            (run.getCount() - 1) * run.getStartStride());
  SlotSeries series{end, end, 0, 1, SpanKind::Event};
  series.use = theCounters.useOfCache(bytes);
  all.push_back(series);
}
