//===- Timeline.cpp - A schedule in absolute time -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Planning/Timeline.h"
#include "llm/Planning/ScheduleProblem.h"
#include "llm/Planning/Split.h"
#include "llm/Support/IndexedNames.h"
#include "llm/Support/Units.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Reading the schedule
//===----------------------------------------------------------------------===//

namespace mlir::llm {
/// Walks the program once, beside the periods of its schedule.
class TimelineBuilder {
public:
  explicit TimelineBuilder(Timeline &timeline)
      : timeline(timeline), program(timeline.program()) {}
  LogicalResult build(Warnings &warnings);

private:
  LogicalResult visitItems(ArrayRef<ProgramItem> items);
  LogicalResult visitLoop(const ProgramItem &item);
  LogicalResult visitOp(unsigned index);
  FailureOr<int64_t> countParts(Operation *op, SlotsAttr slots) const;
  LogicalResult checkPeriod(Operation *op, int64_t end) const;
  void warnOfSummary(Warnings &warnings) const;
  void indexDependences();

  Timeline &timeline;
  const Program &program;
  SmallVector<unsigned, 2> enclosing; ///< loops, outermost first
  int64_t lastStart = 0; ///< of the last iteration of the enclosing loops
};
} // namespace mlir::llm

static size_t countLoops(ArrayRef<ProgramItem> items) {
  size_t count = 0;
  for (const ProgramItem &item : items)
    count += item.isLoop() ? 1 + countLoops(item.body) : 0;
  return count;
}

LogicalResult TimelineBuilder::build(Warnings &warnings) {
  FunctionOpInterface function = program.function();
  timeline.theSchedule =
      function->getAttrOfType<ScheduleAttr>(LlmDialect::scheduleAttrName);
  if (!timeline.theSchedule)
    return emitFunctionError(function)
           << "has no schedule ('" << LlmDialect::scheduleAttrName
           << "'): run --llm-schedule first";
  size_t periods = timeline.theSchedule.getLoops().size();
  size_t loops = countLoops(program.items());
  if (periods != loops)
    return emitFunctionError(function)
           << "has " << loops << " loops, but its schedule has " << periods
           << " loop periods: run --llm-schedule again";
  timeline.opLoops = findLoops(program);
  timeline.opParts.resize(program.ops().size());
  if (failed(visitItems(program.items())))
    return failure();
  warnOfSummary(warnings);
  indexDependences();
  return success();
}

/// Finds figures of the summary that the slots, or each other, contradict. This
/// is only a warning, because a person who mends a schedule by hand wants to
/// see it.
void TimelineBuilder::warnOfSummary(Warnings &warnings) const {
  int64_t makespan = timeline.theSchedule.getMakespanCycles();
  int64_t bound = timeline.theSchedule.getLowerBoundCycles();
  FunctionOpInterface function = program.function();
  auto warn = [&](const Twine &contradiction) {
    warnings.warn(function.getLoc(),
                  "function '" + symbolOf(function) + "' " + contradiction +
                      ": run --llm-schedule again, or --llm-verify-schedule to "
                      "see what is wrong");
  };
  if (makespan != timeline.lastEnd)
    warn("has slots that end at cycle " + Twine(timeline.lastEnd) +
         ", but its schedule says makespan_cycles = " + Twine(makespan));
  if (timeline.theSchedule.isMeasured())
    return; // a machine may be faster than the figures of its target
  int64_t proven = timeline.theSchedule.getProvenCycles();
  for (auto [name, cycles] : {std::pair("lower_bound_cycles", bound),
                              std::pair("proven_cycles", proven)})
    if (cycles > makespan)
      warn("has a schedule with " + Twine(name) + " = " + Twine(cycles) +
           " above its makespan_cycles = " + Twine(makespan));
}

LogicalResult TimelineBuilder::visitItems(ArrayRef<ProgramItem> items) {
  for (const ProgramItem &item : items) {
    if (item.isLoop() && failed(visitLoop(item)))
      return failure();
    for (unsigned op : item.ops)
      if (failed(visitOp(op)))
        return failure();
  }
  return success();
}

/// The lower bound and the step of the one induction variable.
static FailureOr<std::pair<int64_t, int64_t>>
indicesOf(LoopLikeOpInterface loop) {
  auto lower = loop.getLoopLowerBounds();
  auto steps = loop.getLoopSteps();
  if (lower && steps && lower->size() == 1 && steps->size() == 1) {
    std::optional<int64_t> first = getConstantIntValue(lower->front());
    std::optional<int64_t> step = getConstantIntValue(steps->front());
    if (first && step)
      return std::make_pair(*first, *step);
  }
  return loop->emitOpError()
         << "needs one induction variable with a constant lower "
            "bound and step: they number the layers in names";
}

LogicalResult TimelineBuilder::visitLoop(const ProgramItem &item) {
  LoopPeriodAttr period =
      timeline.theSchedule.getLoops()[timeline.timedLoops.size()];
  if (period.getTrips() != item.trips)
    return item.loop->emitOpError()
           << "runs " << item.trips
           << " times, but its period in the schedule is for "
           << period.getTrips() << ": run --llm-schedule again";
  auto indices = indicesOf(item.loop);
  if (failed(indices))
    return failure();

  TimedLoop loop;
  int64_t firstStart = 0;
  if (!enclosing.empty()) {
    loop.parent = enclosing.back();
    firstStart = timeline.timedLoops[enclosing.back()].startCycle;
  }
  auto duration = checkedMul(item.trips, period.getPeriodCycles());
  auto start = checkedAdd(lastStart, period.getStartCycle());
  if (!duration || !start || !checkedAdd(*start, *duration))
    return item.loop->emitOpError() << "ends after more than 2^61 cycles";
  if (failed(checkPeriod(item.loop, period.getStartCycle() + *duration)))
    return failure();
  loop.startCycle = firstStart + period.getStartCycle();
  loop.periodCycles = period.getPeriodCycles();
  loop.trips = item.trips;
  std::tie(loop.firstIndex, loop.indexStep) = *indices;

  enclosing.push_back(timeline.timedLoops.size());
  timeline.timedLoops.push_back(loop);
  int64_t outerStart = lastStart;
  lastStart = *start + *duration - loop.periodCycles;
  LogicalResult result = visitItems(item.body);
  lastStart = outerStart;
  enclosing.pop_back();
  return result;
}

/// The sum of the counts of slots or of cost records. Nothing if it is above
/// 2^61.
template <typename Attr>
static std::optional<int64_t> sumCounts(ArrayRef<Attr> records) {
  int64_t sum = 0;
  for (Attr record : records) {
    std::optional<int64_t> next = checkedAdd(sum, record.getCount());
    if (!next)
      return std::nullopt;
    sum = *next;
  }
  return sum;
}

FailureOr<int64_t> TimelineBuilder::countParts(Operation *op,
                                               SlotsAttr slots) const {
  std::optional<int64_t> parts = sumCounts(slots.getRuns());
  if (!parts || *parts > maxParts)
    return op->emitOpError() << "has more than " << maxParts << " parts";
  auto cost = op->getAttrOfType<CostAttr>(LlmDialect::costAttrName);
  if (!cost || sumCounts(cost.getParts()) == parts)
    return *parts;
  return op->emitOpError()
         << "has slots for " << *parts
         << " parts, but its cost has another number of them: run "
            "--llm-schedule again";
}

/// Checks that nothing ends after its iteration, because it would run beside
/// the next one.
LogicalResult TimelineBuilder::checkPeriod(Operation *op, int64_t end) const {
  if (enclosing.empty())
    return success();
  int64_t period = timeline.timedLoops[enclosing.back()].periodCycles;
  if (end <= period)
    return success();
  return op->emitOpError() << "ends at cycle " << end
                           << " of an iteration that takes " << period
                           << " (period_cycles): run --llm-schedule again";
}

/// The last end of a run of slots and of its prefetches, relative to the
/// iteration.
static std::optional<int64_t> endOf(SlotRunAttr run) {
  int64_t end = run.getEndCycle();
  for (PrefetchAttr prefetch : run.getPrefetches())
    end = std::max(end, prefetch.getEndCycle());
  auto shift = checkedMul(run.getCount() - 1, run.getStartStride());
  return shift ? checkedAdd(end, *shift) : std::nullopt;
}

LogicalResult TimelineBuilder::visitOp(unsigned index) {
  Operation *op = program.ops()[index].op;
  auto slots = op->getAttrOfType<SlotsAttr>(LlmDialect::slotsAttrName);
  if (!slots)
    return op->emitOpError()
           << "has no slots ('" << LlmDialect::slotsAttrName
           << "'): run --llm-schedule after the pass that made it";
  FailureOr<int64_t> parts = countParts(op, slots);
  if (failed(parts))
    return failure();
  for (SlotRunAttr run : slots.getRuns()) {
    auto end = endOf(run);
    auto lastEnd = end ? checkedAdd(lastStart, *end) : std::nullopt;
    if (!lastEnd)
      return op->emitOpError() << "ends after more than 2^61 cycles";
    if (failed(checkPeriod(op, *end)))
      return failure();
    timeline.lastEnd = std::max(timeline.lastEnd, *lastEnd);
  }
  timeline.opParts[index] = *parts;
  return success();
}

void TimelineBuilder::indexDependences() {
  timeline.allDependences = findDependences(program, timeline.opLoops);
  timeline.firstDependence.assign(program.ops().size() + 1, 0);
  for (const Dependence &dependence : timeline.allDependences)
    ++timeline.firstDependence[dependence.consumer + 1];
  std::partial_sum(timeline.firstDependence.begin(),
                   timeline.firstDependence.end(),
                   timeline.firstDependence.begin());
}

FailureOr<Timeline> Timeline::create(const Program &program,
                                     Warnings &warnings) {
  Timeline timeline;
  timeline.theProgram = &program;
  if (failed(TimelineBuilder(timeline).build(warnings)))
    return failure();
  return timeline;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

std::string Timeline::nameOf(unsigned op, ArrayRef<int64_t> iterations) const {
  return expandName(theProgram->ops()[op].name, op, iterations);
}

std::string Timeline::expandName(StringRef name, unsigned op,
                                 ArrayRef<int64_t> iterations) const {
  if (opLoops[op].empty())
    return name.str();
  const TimedLoop &loop = timedLoops[opLoops[op].back()];
  return expandIndices(name,
                       loop.firstIndex + iterations.back() * loop.indexStep,
                       iterations.back());
}

int64_t Timeline::runNumber(unsigned op, ArrayRef<int64_t> iterations) const {
  int64_t number = 0;
  for (auto [loop, iteration] : llvm::zip_equal(opLoops[op], iterations))
    number = number * timedLoops[loop].trips + iteration;
  return number;
}

int64_t Timeline::startOfRun(unsigned op, ArrayRef<int64_t> iterations) const {
  if (opLoops[op].empty())
    return 0;
  int64_t start = timedLoops[opLoops[op].back()].startCycle;
  for (auto [loop, iteration] : llvm::zip_equal(opLoops[op], iterations))
    start += iteration * timedLoops[loop].periodCycles;
  return start;
}

/// Whether the item has ops. A loop without ops takes no time, but may have any
/// number of trips.
static bool hasOps(const ProgramItem &item) {
  return !item.ops.empty() || llvm::any_of(item.body, hasOps);
}

void Timeline::visitStretches(
    ArrayRef<ProgramItem> items, Iterations &iterations,
    function_ref<void(const StretchRun &)> visit) const {
  for (const ProgramItem &item : items) {
    if (!item.isLoop()) {
      visit({item, iterations, startOfRun(item.ops.front(), iterations)});
      continue;
    }
    if (!hasOps(item))
      continue;
    iterations.push_back(0);
    for (; iterations.back() < item.trips; ++iterations.back())
      visitStretches(item.body, iterations, visit);
    iterations.pop_back();
  }
}

void Timeline::forEachStretch(
    function_ref<void(const StretchRun &)> visit) const {
  Iterations iterations;
  visitStretches(theProgram->items(), iterations, visit);
}

void Timeline::forEachTimedSlot(
    unsigned op, ArrayRef<int64_t> iterations,
    function_ref<void(const TimedSlot &)> visit) const {
  int64_t start = startOfRun(op, iterations);
  auto slots = theProgram->ops()[op].op->getAttrOfType<SlotsAttr>(
      LlmDialect::slotsAttrName);
  TimedSlot slice;
  slice.op = op;
  slice.iterations = iterations;
  for (SlotRunAttr run : slots.getRuns())
    for (int64_t i = 0; i < run.getCount(); ++i) {
      int64_t shift = start + i * run.getStartStride();
      slice.part = run.getPart() + i * run.getPartStride();
      for (PrefetchAttr prefetch : run.getPrefetches()) {
        slice.prefetched = prefetch.getBuffer();
        slice.engine = prefetch.getEngine();
        slice.engineIndex = prefetch.getIndex();
        slice.startCycle = shift + prefetch.getStartCycle();
        slice.endCycle = shift + prefetch.getEndCycle();
        slice.lanes = prefetch.getLanes();
        slice.with.clear();
        visit(slice);
      }
      slice.prefetched = {};
      slice.with = run.getEnginesBeside(i);
      slice.engine = run.getEngine();
      slice.engineIndex = run.getIndex() + i * run.getIndexStride();
      slice.startCycle = shift + run.getStartCycle();
      slice.endCycle = shift + run.getEndCycle();
      slice.lanes = run.getLanes();
      visit(slice);
      ++slice.position;
    }
}

//===----------------------------------------------------------------------===//
// Dependences between runs
//===----------------------------------------------------------------------===//

unsigned Timeline::countCommonLoops(const Dependence &dependence) const {
  return mlir::llm::countCommonLoops(opLoops[dependence.producer],
                                     opLoops[dependence.consumer]);
}

std::optional<Iterations>
Timeline::producerRun(const Dependence &dependence,
                      ArrayRef<int64_t> consumerRun) const {
  unsigned common = countCommonLoops(dependence);
  Iterations producer(consumerRun.take_front(common));
  if (dependence.kind == Dependence::Kind::First &&
      !llvm::all_of(consumerRun.drop_front(common),
                    [](int64_t iteration) { return iteration == 0; }))
    return std::nullopt;
  if (dependence.kind == Dependence::Kind::Previous) {
    // Without a common loop, the dependence goes through a loop that hands on a
    // value from outside, or whose value leaves it.
    ArrayRef<int64_t> counted =
        common ? ArrayRef<int64_t>(producer) : consumerRun;
    if (!counted.empty() && counted.back() == 0)
      return std::nullopt;
    if (common)
      --producer.back();
  }
  for (unsigned loop : loopsOf(dependence.producer).drop_front(common))
    producer.push_back(timedLoops[loop].trips - 1);
  return producer;
}

void Timeline::forEachConsumerRun(
    const Dependence &dependence, ArrayRef<int64_t> producer,
    function_ref<void(ArrayRef<int64_t>)> visit) const {
  unsigned common = countCommonLoops(dependence);
  // If a producer is in loops of its own, the consumer waits only for its last
  // run.
  ArrayRef<unsigned> own = loopsOf(dependence.producer).drop_front(common);
  for (auto [loop, iteration] : llvm::zip(own, producer.drop_front(common)))
    if (iteration + 1 != timedLoops[loop].trips)
      return;
  ArrayRef<unsigned> loops = loopsOf(dependence.consumer);
  Iterations consumer(producer.take_front(common));
  if (common && dependence.kind == Dependence::Kind::Previous &&
      ++consumer.back() == timedLoops[loops[common - 1]].trips)
    return;
  consumer.resize(loops.size(), 0);
  // Counts through the iterations of the loops that only the consumer is in.
  while (true) {
    std::optional<Iterations> awaited = producerRun(dependence, consumer);
    if (awaited && ArrayRef<int64_t>(*awaited) == producer)
      visit(consumer);
    size_t at = loops.size();
    while (at > common && ++consumer[at - 1] == timedLoops[loops[at - 1]].trips)
      consumer[--at] = 0;
    if (at == common)
      return;
  }
}
