//===- Report.cpp - The figures of one function ---------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Results/Report.h"
#include "llm/Cost/Roofline.h"
#include "llm/Results/Remarks.h"
#include "llm/Results/Staleness.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Adds figures * times. Fails if a figure is above `maxCount`.
static LogicalResult accumulate(OpFigures &sum, const OpFigures &figures,
                                int64_t times) {
  bool fits = true;
  auto add = [&](int64_t &total, int64_t figure) {
    auto product = checkedMul(figure, times);
    auto next = product ? checkedAdd(total, *product) : std::nullopt;
    fits &= next.has_value();
    total = next.value_or(0);
  };
  add(sum.macs, figures.macs);
  add(sum.dramBytes, figures.dramBytes);
  add(sum.overheadCycles, figures.overheadCycles);
  add(sum.serialCycles, figures.serialCycles);
  add(sum.computeCycles, figures.computeCycles);
  add(sum.memoryCycles, figures.memoryCycles);
  add(sum.cycles, figures.cycles);
  add(sum.scheduledCycles, figures.scheduledCycles);
  add(sum.energyPicojoules, figures.energyPicojoules);
  sum.bytes.resize(figures.bytes.size());
  for (auto [total, bytes] : llvm::zip_equal(sum.bytes, figures.bytes))
    add(total, bytes);
  return success(fits);
}

static OpFigures figuresOf(PartCostAttr part, const Target &target) {
  OpFigures figures;
  figures.macs = part.getWork(stringify(WorkKind::Mac));
  for (const Memory *memory : target.sharedResources())
    figures.bytes.push_back(part.getBytes(memory->name));
  figures.dramBytes = part.getBytes(target.dram().name);
  figures.overheadCycles = part.getOverheadCycles();
  figures.serialCycles = part.getSerialCycles();
  figures.computeCycles = part.getComputeCycles();
  figures.memoryCycles = part.getMemoryCycles();
  figures.cycles = part.getCycles();
  figures.energyPicojoules = part.getEnergyPicojoules();
  return figures;
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

namespace {
/// Describes the engines that an op's slots are on.
class EngineText {
public:
  void add(const TimedSlot &slice) {
    isOneGroup &= slots == 0 || group == slice.engine;
    group = slice.engine;
    first = slots == 0 ? slice.engineIndex : std::min(first, slice.engineIndex);
    last = std::max(last, slice.engineIndex);
    ++slots;
    for (auto [other, index] : slice.with)
      groupsBeside.insert(other);
  }
  std::string str() const {
    if (!isOneGroup)
      return std::to_string(slots) + " slots";
    std::string range = std::to_string(first);
    if (last != first)
      range += ".." + std::to_string(last);
    std::string text = group.str() + "[" + range + "]";
    for (StringRef other : groupsBeside)
      text += "+" + other.str();
    return text;
  }

private:
  llvm::SetVector<StringRef> groupsBeside;
  StringRef group;
  bool isOneGroup = true;
  int64_t first = 0, last = 0, slots = 0;
};
} // namespace

static LogicalResult addSlots(OpReport &report, const Timeline &timeline,
                              unsigned index) {
  EngineText engines;
  std::optional<int64_t> scheduled = 0;
  Iterations firstRun(timeline.loopsOf(index).size(), 0);
  timeline.forEachTimedSlot(index, firstRun, [&](const TimedSlot &slice) {
    if (!slice.prefetched.empty())
      return;
    bool isFirst = slice.position == 0;
    report.startCycle = isFirst ? slice.startCycle
                                : std::min(report.startCycle, slice.startCycle);
    report.endCycle = std::max(report.endCycle, slice.endCycle);
    if (scheduled)
      scheduled = checkedAdd(*scheduled, slice.endCycle - slice.startCycle);
    engines.add(slice);
  });
  report.engines = engines.str();
  report.figures.scheduledCycles = scheduled.value_or(0);
  return success(scheduled.has_value());
}

/// Adds how much of the machine the op uses.
static LogicalResult addUse(OpReport &report, const Timeline &timeline,
                            unsigned index, MachinePeaks &peaks) {
  WorkloadOpInterface op = timeline.program().ops()[index].op;
  FailureOr<Workload> workload =
      op.getWorkload([&] { return op->emitOpError(); });
  if (failed(workload))
    return failure();
  Count bytes = compulsoryBytes(op, *workload);
  if (failed(bytes))
    return op->emitOpError() << "touches more than 2^61 - 1 bytes";
  report.compulsoryBytes = *bytes;
  Type macType = workload->macElementType();
  if (double peak = peaks.datasheetMacsPerSecond(macType); peak > 0)
    report.macSecondsAtPeak = double(report.figures.macs) / peak;
  report.utilization = utilizationOf(timeline, index, macType, peaks);
  return success();
}

static FailureOr<OpReport> makeOpReport(const Timeline &timeline,
                                        unsigned index, MachinePeaks &peaks) {
  const Target &target = peaks.machine();
  const ProgramOp &entry = timeline.program().ops()[index];
  Operation *op = entry.op;
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  OpReport report;
  report.name = entry.name;
  report.kind = op->getName().getStringRef();
  report.count = entry.count;
  bool fits = true;
  for (PartCostAttr part : cost.getParts())
    fits &= succeeded(
        accumulate(report.figures, figuresOf(part, target), part.getCount()));
  if (!fits || failed(addSlots(report, timeline, index)) ||
      failed(accumulate(report.allRuns, report.figures, entry.count)))
    return op->emitOpError() << "has figures above 2^61 - 1";
  if (failed(addUse(report, timeline, index, peaks)))
    return failure();
  bool isMeasured = timeline.schedule().isMeasured();
  report.bound =
      boundOf(cost, target, isMeasured ? 0 : report.figures.scheduledCycles);
  // A tile that is none of the op makes its cost stale, which is said already.
  report.sources.ofRecords.resize(cost.getParts().size());
  FailureOr<SourceRooms> rooms =
      SourceRooms::find(entry.op, target, cost, Reasons::unsaid());
  if (succeeded(rooms))
    report.sources = std::move(*rooms);
  return report;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

static LogicalResult checkHasCosts(const Program &program) {
  for (const ProgramOp &entry : program.ops()) {
    Operation *op = entry.op;
    if (!op->hasAttr(LlmDialect::costAttrName))
      return op->emitOpError() << "has no cost ('" << LlmDialect::costAttrName
                               << "'): run --llm-tile first";
  }
  return success();
}

/// Adds how much of the machine the whole uses.
static void addShares(Report &report) {
  double seconds = 1e-6 * report.makespanMicroseconds();
  double macSeconds = 0, bytes = 0;
  for (const OpReport &op : report.ops) {
    macSeconds += double(op.count) * op.macSecondsAtPeak;
    bytes += double(op.count) * double(op.compulsoryBytes);
  }
  if (seconds == 0)
    return;
  report.mfuPercent = 100 * macSeconds / seconds;
  report.mbuPercent =
      100 * bytes / double(report.target->dram().bytesPerSecond) / seconds;
}

/// Adds what the times of ops and of the whole rest on.
static void addOrigins(Report &report) {
  if (report.timeline.schedule().isMeasured())
    return;
  TimeOrigins origins(*report.target);
  std::vector<SummedTime> times;
  for (auto [entry, op] : llvm::zip_equal(report.program->ops(), report.ops)) {
    op.origin = origins.of(entry.op);
    times.push_back(
        {double(op.count) * report.engineMicrosecondsOf(op), op.origin});
  }
  report.spread = spreadOfSum(times);
}

FailureOr<Report> Report::create(FunctionOpInterface function,
                                 const Target &target) {
  Report report;
  Warnings warnings;
  FailureOr<Program> program = Program::analyze(function);
  if (failed(program) || failed(checkHasCosts(*program)))
    return failure();
  report.program = std::make_unique<Program>(std::move(*program));
  FailureOr<Timeline> timeline = Timeline::create(*report.program, warnings);
  if (failed(timeline) || failed(checkTarget(*timeline, target, warnings)))
    return failure();
  report.timeline = std::move(*timeline);
  report.target = &target;
  report.explanation =
      FunctionExplanation::create(report.timeline, target, warnings);
  FailureOr<Totals> totals = computeTotals(*report.program);
  if (failed(totals))
    return failure();
  report.totals = *totals;
  FailureOr<Capacity> capacity =
      Capacity::compute(*report.program, *totals, target);
  if (failed(capacity))
    return failure();
  report.capacity = *capacity;
  report.imported =
      function->getAttrOfType<ProgramAttr>(LlmDialect::programAttrName);
  report.pipeline = stageTimesOf(function);
  MachinePeaks peaks(target);
  for (unsigned op = 0; op < report.program->ops().size(); ++op) {
    FailureOr<OpReport> entry = makeOpReport(report.timeline, op, peaks);
    if (failed(entry))
      return failure();
    if (failed(accumulate(report.sum, entry->allRuns, 1)))
      return emitError(function.getLoc())
             << "the sums over all ops are above 2^61 - 1";
    report.indexOf[report.program->ops()[op].op] = op;
    report.ops.push_back(std::move(*entry));
  }
  report.sum.bytes.resize(target.sharedResources().size());
  addShares(report);
  addOrigins(report);
  report.whatBinds = WhatBinds::of(report);
  report.remarks = findRemarks(report);
  if (!report.capacity.fits())
    warnings.keep(report.describeExcess());
  report.problems = warnings.take();
  return report;
}

StringRef Report::functionName() const {
  FunctionOpInterface function = program->function();
  return symbolOf(function);
}

StringRef Report::nameOf(Operation *op) const {
  return ops[indexOf.at(op)].name;
}

double Report::makespanMicroseconds() const {
  return cyclesToMicroseconds(timeline.schedule().getMakespanCycles(),
                              target->clockHz);
}

double Report::periodMicroseconds() const {
  return cyclesToMicroseconds(pipeline->pipeline.getPeriodCycles(),
                              target->clockHz);
}

double Report::stageBusyPercent() const {
  return 100 * double(pipeline->placeCycles) *
         double(pipeline->stage.getMicrobatches()) /
         double(std::max<int64_t>(pipeline->pipeline.getPeriodCycles(), 1));
}

/// Returns by how many percent the makespan is above `bound` cycles; nothing
/// for a bound of 0.
static std::optional<double> gapPercentTo(double bound, ScheduleAttr schedule) {
  if (bound == 0)
    return std::nullopt;
  return 100 * (schedule.getMakespanCycles() - bound) / bound;
}

std::optional<double> Report::gapPercent() const {
  ScheduleAttr schedule = timeline.schedule();
  return gapPercentTo(schedule.getLowerBoundCycles(), schedule);
}

std::optional<double> Report::provenGapPercent() const {
  ScheduleAttr schedule = timeline.schedule();
  return gapPercentTo(schedule.getProvenCycles(), schedule);
}

StringRef Report::largestBound() const {
  StringRef largest;
  int64_t most = -1;
  for (NamedAttribute bound : timeline.schedule().getBounds()) {
    int64_t cycles = cast<IntegerAttr>(bound.getValue()).getInt();
    if (cycles <= most)
      continue;
    most = cycles;
    largest = bound.getName();
  }
  return largest;
}

std::optional<double> Report::exposedMicrosecondsOf(unsigned op) const {
  WorkloadOpInterface ofProgram = program->ops()[op].op;
  FailureOr<Workload> workload =
      ofProgram.getWorkload([] { return Refusal(); });
  if (failed(workload) || !workload->collective)
    return std::nullopt;
  return whatBinds.exposedCycles[op] * 1e6 / double(target->clockHz);
}

double Report::engineMicrosecondsOf(const OpReport &op) const {
  return cyclesToMicroseconds(op.figures.scheduledCycles, target->clockHz);
}

double Report::sharePercentOf(const OpReport &op) const {
  return 100 * double(op.allRuns.scheduledCycles) /
         double(std::max<int64_t>(sum.scheduledCycles, 1));
}

double Report::percentFrom(TimeSource source) const {
  double percent = 0;
  for (const OpReport &op : ops)
    if (op.origin.source == source)
      percent += sharePercentOf(op);
  return percent;
}

std::string Report::describeExcess() const {
  return capacity.fits() ? ""
                         : ("function '" + functionName() + "' " +
                            capacity.describeExcess())
                               .str();
}

bool Report::doesHold() const {
  std::string excess = describeExcess();
  return llvm::all_of(problems,
                      [&](const std::string &each) { return each == excess; });
}

const char *Report::tokenRateName() const {
  return imported && imported.getIsWhole() ? "tokens_per_second"
                                           : "tokens_per_second_if_all_layers";
}

std::optional<double> Report::tokensPerSecond() const {
  double microseconds = makespanMicroseconds();
  if (!imported || microseconds == 0)
    return std::nullopt;
  double tokens = imported.countTokens();
  if (pipeline) {
    microseconds = periodMicroseconds();
    tokens *= double(pipeline->stage.getMicrobatches());
  }
  double allLayers =
      static_cast<double>(imported.getModelLayers()) / imported.getLayers();
  return tokens / (microseconds * allLayers) * 1e6;
}
