//===- ReportJson.cpp - The report for programs ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunComparisonWriters.h"
#include "llm/Cost/Roofline.h"
#include "llm/Export/Report/ReportWriters.h"
#include "llm/Results/MemoryOverTime.h"
#include "llm/Results/OpKinds.h"
#include "llm/Results/OpShapes.h"
#include "llm/Support/ModuleNames.h"
#include "llm/Support/Units.h"
#include "llvm/Support/ScopedPrinter.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using namespace mlir::llm;

/// Members in the order in which they are added.
using Json = nlohmann::ordered_json;

static Json toJson(DictionaryAttr amounts) {
  Json json = Json::object();
  for (NamedAttribute entry : amounts)
    json[entry.getName().str()] = cast<IntegerAttr>(entry.getValue()).getInt();
  return json;
}

static Json toJson(ArrayRef<StringAttr> names) {
  Json json = Json::array();
  for (StringAttr name : names)
    json.push_back(name.str());
  return json;
}

//===----------------------------------------------------------------------===//
// The machine and the program
//===----------------------------------------------------------------------===//

static Json toJson(EngineKindSet kinds) {
  Json json = Json::array();
  for (EngineKind kind : allEngineKinds)
    if (kinds.contains(kind))
      json.push_back(stringify(kind));
  return json;
}

/// Returns operations per cycle of one whole engine by kind of work, and
/// multiply-accumulates by element type.
static Json ratesToJson(const Engine &engine) {
  Json rates = Json::object();
  for (const MacRate &mac : engine.macRates)
    rates["mac"][mac.elementType] = mac.macsPerCycle * engine.units;
  for (WorkKind kind : {WorkKind::Alu, WorkKind::Special, WorkKind::Compare})
    if (std::optional<int64_t> rate = Target::opsPerCycle(engine, kind))
      rates[stringify(kind)] = *rate;
  return rates;
}

static Json toJson(const Engine &engine, const Target &target) {
  Json json = {{"name", engine.name},
               {"kinds", toJson(engine.kinds)},
               {"count", engine.count},
               {"units", engine.units},
               {"operations_per_cycle", ratesToJson(engine)}};
  if (!engine.privateMemory.empty())
    json["private_memory"] = engine.privateMemory;
  if (engine.sustainedClockHz)
    json["sustained_clock_hz"] = *engine.sustainedClockHz;
  if (std::optional<int64_t> rate = unitBytesPerSecond(engine, target))
    json["unit_bytes_per_second"] = *rate;
  for (const Memory *memory : target.sharedResources()) {
    json["port_bytes_per_second"][memory->name] =
        target.portBytesPerSecond(engine, *memory);
    json["port_lanes"][memory->name] = target.portLanes(engine, *memory);
  }
  return json;
}

/// Adds the cycles over all runs, summed over the engines of a group.
static void addCycles(Json &json, const scheduling::GroupExplanation &engines) {
  json["busy_cycles"] = engines.busyCycles;
  json["idle_cycles"] = Json::object();
  for (auto [cause, cycles] :
       llvm::zip_equal(scheduling::allCauses, engines.idleCycles))
    if (cycles > 0)
      json["idle_cycles"][scheduling::stringify(cause)] = cycles;
}

static Json enginesToJson(const Report &report) {
  Json engines = Json::array();
  for (auto [index, engine] : llvm::enumerate(report.target->engines)) {
    engines.push_back(toJson(engine, *report.target));
    if (report.explanation)
      addCycles(engines.back(), report.explanation->engines[index]);
  }
  return engines;
}

static Json toJson(const Memory &memory, bool isShared) {
  Json json = {{"name", memory.name}};
  if (memory.capacityBytes > 0)
    json["capacity_bytes"] = memory.capacityBytes;
  if (memory.bytesPerSecond > 0)
    json["bytes_per_second"] = memory.bytesPerSecond;
  if (memory.sustainedBytesPerSecond)
    json["sustained_bytes_per_second"] = *memory.sustainedBytesPerSecond;
  if (memory.bytesPerEngine)
    json["bytes_per_engine"] = *memory.bytesPerEngine;
  if (isShared)
    json["lanes"] = memory.lanes;
  return json;
}

static Json memoriesToJson(const Target &target) {
  Json memories = Json::array();
  for (const Memory &memory : target.memories)
    memories.push_back(toJson(memory, target.isShared(memory)));
  return memories;
}

/// The links that collectives share have the figures of shared memories.
static Json linksToJson(const Target &target) {
  Json links = Json::array();
  for (const Memory &link : target.network)
    links.push_back(toJson(link, /*isShared=*/true));
  return links;
}

static Json toJson(SequencesAttr sequences) {
  return {{"batch", sequences.getBatch()},
          {"seq", sequences.getSeq()},
          {"kv_len", std::vector<int64_t>(sequences.getKvLens().begin(),
                                          sequences.getKvLens().end())}};
}

static Json toJson(ProgramAttr program) {
  Json sequences = Json::array();
  for (SequencesAttr group : program.getGroups())
    sequences.push_back(toJson(group));
  Json json = {{"model", program.getModel().str()},
               {"phase", stringifyPhase(program.getPhase())},
               {"sequences", std::move(sequences)},
               {"layers", program.getLayers()},
               {"model_layers", program.getModelLayers()},
               {"whole_model", program.getIsWhole()}};
  if (int64_t count = program.getFurtherTokens())
    json["further_tokens"] = count;
  return json;
}

static Json toJson(const Totals &totals) {
  return {{"macs", totals.macs},
          {"matmul_weight_elements", totals.matmulWeightElements},
          {"parameters", totals.parameters},
          {"active_parameters", totals.activeParameters},
          {"weight_bytes", totals.weightBytes},
          {"state_elements", totals.stateElements},
          {"state_bytes", totals.stateBytes},
          {"kv_elements", totals.kvElements},
          {"kv_read_bytes", totals.kvReadBytes},
          {"kv_write_bytes", totals.kvWriteBytes}};
}

/// Returns a list in which neighbouring steps in the same loops are columns of
/// one object.
static Json memoryToJson(const Report &report) {
  Json json = Json::array();
  std::optional<std::vector<unsigned>> loops;
  for (const MemoryStep &step : memoryOverTime(report)) {
    if (loops != step.loops)
      json.push_back({{"loops", step.loops},
                      {"cycle", Json::array()},
                      {"value_bytes", Json::array()},
                      {"workspace_bytes", Json::array()}});
    loops = step.loops;
    json.back()["cycle"].push_back(step.cycle);
    json.back()["value_bytes"].push_back(step.valueBytes);
    json.back()["workspace_bytes"].push_back(step.workspaceBytes);
  }
  return json;
}

static Json capacityToJson(const Report &report) {
  const Capacity &capacity = report.capacity;
  Json json = {{"memory", capacity.memory().name},
               {"needed_bytes", capacity.neededBytes()},
               {"weight_bytes", capacity.weightBytes},
               {"cache_bytes", capacity.cacheBytes},
               {"state_bytes", capacity.stateBytes},
               {"value_bytes", capacity.valueBytes},
               {"workspace_bytes", capacity.workspaceBytes}};
  auto add = [&](const char *name, std::optional<int64_t> amount) {
    if (amount)
      json[name] = *amount;
  };
  add("needed_bytes_if_all_layers", capacity.allLayersBytes);
  if (!capacity.isChecked())
    return json;
  json["capacity_bytes"] = capacity.memory().capacityBytes;
  json["fits"] = capacity.fits();
  add("largest_batch", capacity.largestBatch);
  add("largest_kv_len", capacity.largestContext);
  if (!capacity.fits())
    json["problem"] = report.describeExcess();
  return json;
}

static Json loopsToJson(const Timeline &timeline) {
  Json loops = Json::array();
  for (const TimedLoop &loop : timeline.loops())
    loops.push_back({{"start_cycle", loop.startCycle},
                     {"period_cycles", loop.periodCycles},
                     {"trips", loop.trips},
                     {"first_index", loop.firstIndex},
                     {"index_step", loop.indexStep}});
  return loops;
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

static void addTile(Json &json, Operation *op) {
  json["tile"] = Json::object();
  auto tile = op->getAttrOfType<TileAttr>(LlmDialect::tileAttrName);
  if (!tile)
    return;
  if (!tile.getLevels().empty())
    json["tile"] = toJson(tile.getLevels().front().getSizes());
  json["tile_strategy"] = stringifyTileStrategy(tile.getStrategy());
  if (tile.getSplit())
    json["tile_split"] = toJson(tile.getSplit());
  Json levels = Json::array();
  for (TileLevelAttr level : tile.getLevels())
    levels.push_back({{"memory", level.getMemory().str()},
                      {"sizes", toJson(level.getSizes())},
                      {"order", toJson(level.getOrder())},
                      {"buffers", toJson(level.getBuffers())},
                      {"resident", toJson(level.getResident())}});
  json["tile_levels"] = std::move(levels);
}

static Json toJson(const TimedSlot &slice) {
  return {
      {"engine", (slice.engine + "[" + Twine(slice.engineIndex) + "]").str()},
      {"start_cycle", slice.startCycle},
      {"end_cycle", slice.endCycle},
      {"lanes", toJson(slice.lanes)}};
}

/// Says why a step of the critical path follows the one before.
static void addStep(Json &json, const Report &report, unsigned op,
                    const StepKey &key) {
  if (!report.explanation)
    return;
  const auto &steps = report.explanation->steps[op];
  if (auto step = steps.find(key); step != steps.end())
    json["follows_by"] = scheduling::stringify(step->second);
}

static Json slotsToJson(const Report &report, unsigned op) {
  const Timeline &timeline = report.timeline;
  Json slots = Json::array(), prefetches = Json::array();
  Iterations firstRun(timeline.loopsOf(op).size(), 0);
  timeline.forEachTimedSlot(op, firstRun, [&](const TimedSlot &slice) {
    Json slot = toJson(slice);
    std::optional<unsigned> fetch;
    if (!slice.prefetched.empty())
      fetch = prefetches.size();
    addStep(slot, report, op, {slice.part, fetch});
    if (fetch) {
      slot["buffer"] = slice.prefetched.str();
      prefetches.push_back(std::move(slot));
      return;
    }
    slot["part"] = slice.part;
    for (auto [engine, index] : slice.with)
      slot["with"].push_back((engine + "[" + Twine(index) + "]").str());
    if (!prefetches.empty())
      slot["prefetches"] = std::exchange(prefetches, Json::array());
    slots.push_back(std::move(slot));
  });
  return slots;
}

static Json toJson(const Report &report, ArrayRef<SourceRoom> rooms) {
  Json json = Json::object();
  for (const SourceRoom &room : rooms) {
    auto namesOf = [&](ArrayRef<Operation *> ops) {
      Json names = Json::array();
      for (Operation *op : ops)
        names.push_back(report.nameOf(op).str());
      return names;
    };
    json[room.buffer] = {{"slice_bytes", room.sliceBytes},
                         {"staging_bytes", room.stagingBytes},
                         {"written_by", namesOf(room.waits.writers)},
                         {"selected_by", namesOf(room.waits.selectors)}};
  }
  return json;
}

/// Adds the records of the cost. Each stands for `count` equal parts.
static void addCost(Json &json, const Report &all, const OpReport &report,
                    Operation *op) {
  Json parts = Json::array();
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  for (auto [part, sources] :
       llvm::zip_equal(cost.getParts(), report.sources.ofRecords)) {
    Json traffic = Json::object();
    for (NamedAttribute memory : part.getTraffic())
      traffic[memory.getName().str()] =
          toJson(cast<DictionaryAttr>(memory.getValue()));
    parts.push_back({{"count", part.getCount()},
                     {"work", toJson(part.getWork())},
                     {"traffic_bytes", traffic},
                     {"working_set_bytes", part.getWorkingSetBytes()},
                     {"overhead_cycles", part.getOverheadCycles()},
                     {"serial_cycles", part.getSerialCycles()},
                     {"compute_cycles", part.getComputeCycles()},
                     {"memory_cycles", part.getMemoryCycles()},
                     {"bound", stringifyCostBound(part.getBound())},
                     {"sources", toJson(all, sources)}});
    if (DictionaryAttr cycles = part.getCyclesByMemory())
      parts.back()["cycles_by_memory"] = toJson(cycles);
  }
  json["engine"] = cost.getEngine().getValue().str();
  for (StringAttr other : cost.getWith())
    json["with"].push_back(other.str());
  json["parts"] = std::move(parts);
  if (report.sources.lastPartCombines)
    json["last_part_combines"] = true;
  if (report.sources.chains.areThere()) {
    json["chain_length"] = report.sources.chains.length;
    json["chain_stride"] = report.sources.chains.stride;
  }
}

/// Adds the rates that bound the op on the engine that its cost is for.
static void addRates(Json &json, WorkloadOpInterface op,
                     const Workload &workload, const Target &target) {
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  auto engine = llvm::find_if(target.engines, [&](const Engine &candidate) {
    return candidate.name == cost.getEngine().getValue();
  });
  if (engine == target.engines.end())
    return; // the slots were found to be on engines of the target
  std::string usedType;
  if (Type type = workload.macElementType();
      type && Target::macsPerCycle(*engine, type, usedType))
    json["mac_rate_type"] = usedType;
  if (std::optional<int64_t> rate =
          kernelBytesPerSecond(op, workload, *engine, target))
    json["kernel_bytes_per_second"] = *rate;
}

/// Adds the work, bytes and rates of the op, which do not depend on its tile.
static void addDemands(Json &json, WorkloadOpInterface op,
                       const Target &target) {
  FailureOr<Workload> workload =
      op.getWorkload([&] { return op->emitOpError(); });
  if (failed(workload)) // the totals were taken before
    return;
  json["engine_kinds"] = toJson(workload->engineKinds());
  if (Type type = workload->macElementType())
    json["mac_type"] = llvm::to_string(type);
  addRates(json, op, *workload, target);
  json["work"] = Json::object();
  for (WorkKind kind : allWorkKinds)
    if (Count work = countWork(op, *workload, kind);
        succeeded(work) && *work > 0)
      json["work"][stringify(kind)] = *work;
}

/// Returns the names of the producers that `consumer` depends on in this way.
static Json producersOf(const Timeline &timeline, unsigned consumer,
                        Dependence::Kind kind) {
  Json names = Json::array();
  for (const Dependence &dependence : timeline.dependencesOf(consumer))
    if (dependence.kind == kind)
      names.push_back(timeline.program().ops()[dependence.producer].name);
  return names;
}

static void addDependences(Json &json, const Timeline &timeline, unsigned op) {
  json["depends_on"] = producersOf(timeline, op, Dependence::Kind::Same);
  Json previous = producersOf(timeline, op, Dependence::Kind::Previous);
  if (!previous.empty())
    json["depends_on_previous_iteration"] = std::move(previous);
  Json first = producersOf(timeline, op, Dependence::Kind::First);
  if (!first.empty())
    json["depends_on_in_first_iteration"] = std::move(first);
}

/// Names the ops that run in a kernel of several ops.
static void addInside(Json &json, Operation *op) {
  for (WorkloadOpInterface inside : opsInside(op))
    json["fused"].push_back({{"name", inside.getWorkloadName().str()},
                             {"op", inside->getName().getStringRef().str()}});
}

/// Adds what the op's time rests on.
static void addOrigin(Json &json, const Report &report, const OpReport &op) {
  if (report.timeline.schedule().isMeasured())
    return;
  const TimeOrigin &origin = op.origin;
  json["time_from"] = stringify(origin.source).str();
  if (origin.source != TimeSource::Formula)
    json["time_per_formula"] = origin.perFormula;
  if (!origin.spread)
    return;
  json["time_p10_us"] = report.engineMicrosecondsOf(op) * origin.spread->p10;
  json["time_p90_us"] = report.engineMicrosecondsOf(op) * origin.spread->p90;
}

/// Adds the figures of an op under the names that they have in all formats.
static void addFigures(Json &json, const Report &report, const OpReport &op) {
  json["elapsed_us"] =
      double(op.count) *
      cyclesToMicroseconds(op.endCycle - op.startCycle, report.target->clockHz);
  for (auto [name, value] :
       namedFigures(op.utilization, op.count, report.engineMicrosecondsOf(op),
                    report.sharePercentOf(op)))
    json[name.str()] = value;
  json["bound"] = stringifyCostBound(op.bound);
  addOrigin(json, report, op);
}

static Json opToJson(const Report &report, unsigned index) {
  const OpReport &op = report.ops[index];
  Json json;
  json["name"] = op.name.str();
  json["op"] = op.kind.str();
  json["kind"] = kindOf(report.program->ops()[index].op);
  addInside(json, report.program->ops()[index].op);
  json["module"] = moduleOf(op.name);
  json["layer"] = layerOf(op.name);
  json["count"] = op.count;
  addFigures(json, report, op);
  if (std::optional<double> exposed = report.exposedMicrosecondsOf(index))
    json["exposed_us"] = *exposed;
  if (!report.timeline.loopsOf(index).empty())
    json["loops"] = report.timeline.loopsOf(index).vec();
  json["macs"] = op.figures.macs;
  json["bytes"] = Json::object();
  for (auto [memory, bytes] :
       llvm::zip_equal(report.target->sharedResources(), op.figures.bytes))
    json["bytes"][memory->name] = bytes;
  json["inputs"] = inputShapes(report.program->ops()[index].op);
  json["outputs"] = outputShapes(report.program->ops()[index].op);
  json["compulsory_bytes"] = op.compulsoryBytes;
  addDemands(json, report.program->ops()[index].op, *report.target);
  addTile(json, report.program->ops()[index].op);
  addCost(json, report, op, report.program->ops()[index].op);
  json["overhead_cycles"] = op.figures.overheadCycles;
  json["serial_cycles"] = op.figures.serialCycles;
  json["compute_cycles"] = op.figures.computeCycles;
  json["memory_cycles"] = op.figures.memoryCycles;
  json["cycles"] = op.figures.cycles;
  json["scheduled_cycles"] = op.figures.scheduledCycles;
  if (op.figures.energyPicojoules > 0)
    json["energy_picojoules"] = op.figures.energyPicojoules;
  json["slots"] = slotsToJson(report, index);
  addDependences(json, report.timeline, index);
  if (report.explanation) {
    const scheduling::TaskExplanation &task = report.explanation->ops[index];
    json["slack_cycles"] = task.slackCycles;
    json["is_critical"] = task.isCritical();
    json["held_back_by"] = scheduling::stringify(task.heldBackBy);
  }
  return json;
}

/// Returns the order of the program: stretches of ops between loop boundaries,
/// and loops with the stretches of their bodies. Loops are numbered as in
/// `loops`.
static Json toJson(const Report &report, ArrayRef<ProgramItem> items,
                   unsigned &nextLoop) {
  Json json = Json::array();
  for (const ProgramItem &item : items) {
    if (item.isLoop()) {
      unsigned loop = nextLoop++;
      json.push_back(
          {{"loop", loop}, {"body", toJson(report, item.body, nextLoop)}});
      continue;
    }
    Json stretch = Json::array();
    for (unsigned op : item.ops)
      stretch.push_back(report.ops[op].name.str());
    json.push_back({{"stretch", stretch}});
  }
  return json;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static Json toJson(ArrayRef<TimeShare> shares) {
  Json json = Json::object();
  for (const TimeShare &share : shares)
    json[share.name.str()] = share.percent;
  return json;
}

static Json pipelineToJson(const Report &report) {
  const StageTimes &times = *report.pipeline;
  auto toMicroseconds = [&](int64_t cycles) {
    return cyclesToMicroseconds(cycles, report.target->clockHz);
  };
  PipelineAttr pipeline = times.pipeline;
  return {{"stage", times.stage.getNumber()},
          {"stages", times.stage.getCount()},
          {"rounds", times.stage.getRounds()},
          {"microbatches", times.stage.getMicrobatches()},
          {"period_us", report.periodMicroseconds()},
          {"makespan_us", toMicroseconds(pipeline.getMakespanCycles())},
          {"lower_bound_us", toMicroseconds(pipeline.getLowerBoundCycles())},
          {"longest_stage_us", toMicroseconds(times.longestCycles)},
          {"stage_busy_percent", report.stageBusyPercent()},
          {"transfer_us", toMicroseconds(times.transferCycles)}};
}

/// Adds what most readers want to know, before everything else.
static void addHeadline(Json &json, const Report &report) {
  if (report.capacity.isChecked())
    json["fits"] = report.capacity.fits();
  json["makespan_us"] = report.makespanMicroseconds();
  if (report.spread) {
    double makespan = report.makespanMicroseconds();
    json["makespan_p10_us"] = makespan * report.spread->p10;
    json["makespan_p90_us"] = makespan * report.spread->p90;
  }
  if (!report.target->measured.empty())
    for (TimeSource source : {TimeSource::Formula, TimeSource::Corrected,
                              TimeSource::Measured})
      json["time_from_percent"][stringify(source).str()] =
          report.percentFrom(source);
  if (report.pipeline)
    json["pipeline"] = pipelineToJson(report);
  if (std::optional<double> rate = report.tokensPerSecond())
    json[report.tokenRateName()] = *rate;
  const WhatBinds &binds = report.whatBinds;
  json["bound"] = binds.largest().str();
  json["bound_percent"] = toJson(binds.shares);
  if (binds.engine)
    json["bound_engine"] = binds.engine->name;
  if (!binds.savings.empty())
    json["savings_percent"] = toJson(binds.savings);
  if (binds.exchangePercent)
    json["exchange_percent"] = *binds.exchangePercent;
  json["mfu_percent"] = report.mfuPercent;
  json["mbu_percent"] = report.mbuPercent;
}

static Json toJson(const Report &report) {
  ScheduleAttr schedule = report.timeline.schedule();
  Json json;
  json["function"] = report.functionName().str();
  json["target"] = report.target->name;
  if (GridAttr grid = GridAttr::ofModule(report.program->function())) {
    json["chips"] = grid.countChips();
    for (auto [axis, size] : llvm::zip_equal(grid.getAxes(), grid.getSizes()))
      json["grid"][axis.str()] = size;
  }
  addHeadline(json, report);
  json["target_description"] = report.target->description;
  if (!report.target->fittedOn.empty())
    json["target_fitted_on"] = report.target->fittedOn;
  json["target_certainty"] = describeCertainty(*report.target);
  json["clock_hz"] = report.target->clockHz;
  json["clock_is_given"] = report.target->clockIsGiven;
  if (report.target->powerLimitWatts)
    json["power_limit_watts"] = *report.target->powerLimitWatts;
  if (report.target->idleWatts)
    json["idle_watts"] = *report.target->idleWatts;
  if (report.target->burstPercent)
    json["burst_percent"] = *report.target->burstPercent;
  if (report.target->burstMicroseconds)
    json["burst_microseconds"] = *report.target->burstMicroseconds;
  if (report.target->energyFollowsClock)
    json["energy_follows_clock"] = *report.target->energyFollowsClock;
  if (report.imported)
    json["program"] = toJson(report.imported);
  json["policy"] = schedule.getPolicy().str();
  json["problems"] = report.problems;
  json["remarks"] = report.remarks;
  json["makespan_cycles"] = schedule.getMakespanCycles();
  json["lower_bound_cycles"] = schedule.getLowerBoundCycles();
  if (std::optional<double> gap = report.gapPercent())
    json["gap_percent"] = *gap;
  if (StringRef bound = report.largestBound(); !bound.empty())
    json["lower_bound_by"] = bound.str();
  if (StringAttr options = schedule.getOptions())
    json["options"] = options.str();
  if (std::optional<double> gap = report.provenGapPercent()) {
    json["proven_cycles"] = schedule.getProvenCycles();
    json["proven_meaning"] = schedule.describeProven();
    json["proven_gap_percent"] = *gap;
  }
  json["bounds"] = toJson(schedule.getBounds());
  json["roofline_cycles"] = schedule.getRooflineCycles();
  json["engines"] = enginesToJson(report);
  json["memories"] = memoriesToJson(*report.target);
  if (!report.target->network.empty())
    json["links"] = linksToJson(*report.target);
  json["totals"] = toJson(report.totals);
  json["capacity"] = capacityToJson(report);
  json["loops"] = loopsToJson(report.timeline);
  unsigned firstLoop = 0;
  json["order"] = toJson(report, report.program->items(), firstLoop);
  json["memory_over_time"] = memoryToJson(report);
  json["ops"] = Json::array();
  for (unsigned op = 0; op < report.ops.size(); ++op)
    json["ops"].push_back(opToJson(report, op));
  return json;
}

void mlir::llm::writeReportJson(ArrayRef<Report> reports, llvm::raw_ostream &os,
                                const BesideBaseline *beside) {
  Json functions = Json::array();
  for (auto [index, report] : llvm::enumerate(reports)) {
    functions.push_back(toJson(report));
    if (!beside)
      continue;
    Json comparison = comparisonToJson(*beside, index);
    if (!comparison.is_null())
      functions.back()["comparison"] = std::move(comparison);
  }
  Json root;
  if (reports.size() == 1)
    root = std::move(functions.front());
  else
    root["functions"] = std::move(functions);
  // Names may hold bytes that are not UTF-8: these are replaced.
  os << root.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}
