//===- Rates.cpp - How fast one engine does its work ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Rates.h"
#include "llm/Cost/Kernels/Granules.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

static StringRef toRef(std::string_view text) {
  return {text.data(), text.size()};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Names the other rates that the engine lacks, so that they can be given all
/// at once: "; other ops will need .compare_per_cycle_per_unit, too".
static std::string listOtherRates(const Engine &engine, WorkKind needed) {
  std::string missing;
  for (WorkKind kind : allWorkKinds)
    if (kind != WorkKind::Mac && kind != needed &&
        !Target::opsPerCycle(engine, kind))
      missing += (missing.empty() ? "" : " and ") +
                 std::string(stringify(kind)) + "_per_cycle_per_unit";
  return missing.empty() ? "" : "; other ops need its " + missing;
}

/// Returns the rate of a kind of work. Fails if there is none, since work of
/// unknown time must not be free.
static FailureOr<int64_t> vectorRateOf(const OpOnTarget &context,
                                       const Engine &engine, WorkKind kind) {
  if (std::optional<int64_t> rate = Target::opsPerCycle(engine, kind))
    return *rate;
  StringRef name = toRef(stringify(kind));
  return context.refuse() << "does " << name << " work, for which engine '"
                          << engine.name << "' of target '"
                          << context.target->name
                          << "' gives no rate: the target needs engines."
                          << engine.name << "." << name << "_per_cycle_per_unit"
                          << listOtherRates(engine, kind);
}

/// Returns operations per cycle for one kind of work.
static FailureOr<int64_t> rateOf(const OpOnTarget &context,
                                 const Engine &engine, WorkKind kind) {
  if (kind != WorkKind::Mac)
    return vectorRateOf(context, engine, kind);
  Type type = context.workload.macElementType();
  std::string usedType;
  std::optional<int64_t> rate =
      type ? Target::macsPerCycle(engine, type, usedType) : std::nullopt;
  if (rate)
    return *rate;
  return context.refuse()
         << "contracts " << type << ", for which engine '" << engine.name
         << "' of target '" << context.target->name
         << "' gives no rate (engines." << engine.name
         << ".macs_per_cycle_per_unit), nor one for a wider type";
}

/// Returns the points of a stage, with those that only fill granules up.
/// Without tiles, returns only those of the op.
static Count countFilled(const OpOnTarget &context, unsigned stage,
                         int64_t points, ArrayRef<int64_t> tileSizes) {
  std::optional<Granules> granules;
  if (!tileSizes.empty())
    granules = Granules::get(context, stage);
  return granules ? granules->countSlots(points, tileSizes) : Count(points);
}

static FailureOr<int64_t> stageCycles(const OpOnTarget &context, unsigned index,
                                      ArrayRef<int64_t> tileSizes) {
  const Stage &stage = context.workload.stages[index];
  WorkloadOpInterface op = context.op;
  Count points =
      op.countPoints(context.workload, index, context.workload.fullBox());
  if (failed(points))
    return context.refuseOverflow();
  int64_t longest = 0;
  for (WorkKind pipe : allWorkKinds) {
    int64_t perPoint = 0;
    for (auto [kind, count] : stage.workPerPoint)
      perPoint += stage.pipeOf(kind) == pipe ? count : 0;
    if (perPoint == 0)
      continue;
    FailureOr<int64_t> rate =
        rateOf(context, context.engineFor(stage.engine), pipe);
    if (failed(rate))
      return failure();
    Count filled = pipe == WorkKind::Mac
                       ? countFilled(context, index, *points, tileSizes)
                       : points;
    std::optional<int64_t> cycles =
        succeeded(filled) ? ceilMulDiv(*filled, perPoint, 1, *rate)
                          : std::nullopt;
    if (!cycles)
      return context.refuseOverflow();
    longest = std::max(longest, *cycles);
  }
  return longest;
}

/// Returns the cycles of all arithmetic of one of the op's engines in tiles of
/// these sizes. Without tiles, granules do not count.
static FailureOr<int64_t> cyclesOnEngine(const OpOnTarget &context,
                                         const Engine &engine,
                                         ArrayRef<int64_t> tileSizes) {
  int64_t total = 0;
  for (auto [index, stage] : llvm::enumerate(context.workload.stages)) {
    if (&context.engineFor(stage.engine) != &engine)
      continue;
    FailureOr<int64_t> cycles = stageCycles(context, index, tileSizes);
    if (failed(cycles))
      return failure();
    std::optional<int64_t> sum = checkedAdd(total, *cycles);
    if (!sum)
      return context.refuseOverflow();
    total = *sum;
  }
  int64_t clock = context.target->clockHz;
  std::optional<int64_t> cycles =
      ceilMulDiv(total, clock, 1, engine.sustainedClockHz.value_or(clock));
  if (!cycles)
    return context.refuseOverflow();
  return *cycles;
}

namespace {
struct EngineCycles {
  int64_t busiest = 0; ///< of the op's busiest engine
  int64_t others = 0;  ///< of all but that, one after the other
};
} // namespace

static FailureOr<EngineCycles> cyclesInTiles(const OpOnTarget &context,
                                             ArrayRef<int64_t> tileSizes) {
  SmallVector<const Engine *, 2> engines = {context.engine};
  llvm::append_range(engines, context.with);
  EngineCycles cycles;
  for (const Engine *engine : engines) {
    FailureOr<int64_t> own = cyclesOnEngine(context, *engine, tileSizes);
    if (failed(own))
      return failure();
    std::optional<int64_t> others =
        checkedAdd(cycles.others, std::min(cycles.busiest, *own));
    if (!others)
      return context.refuseOverflow();
    cycles = {std::max(cycles.busiest, *own), *others};
  }
  return cycles;
}

/// Returns the cycles of the engine, or of the busiest of several that all work
/// at once.
static FailureOr<int64_t> leastCycles(const OpOnTarget &context,
                                      ArrayRef<int64_t> tileSizes) {
  FailureOr<EngineCycles> cycles = cyclesInTiles(context, tileSizes);
  return failed(cycles) ? FailureOr<int64_t>(failure()) : cycles->busiest;
}

static SmallVector<int64_t, 6> wholeLoops(const Workload &workload) {
  SmallVector<int64_t, 6> sizes;
  for (const Loop &loop : workload.loops)
    sizes.push_back(loop.extent);
  return sizes;
}

FailureOr<int64_t> mlir::llm::computeCycles(const OpOnTarget &context) {
  return leastCycles(context, wholeLoops(context.workload));
}

FailureOr<int64_t>
mlir::llm::computeCyclesWithoutGranules(const OpOnTarget &context) {
  return leastCycles(context, {});
}

FailureOr<int64_t> mlir::llm::computeCyclesInTiles(const OpOnTarget &context,
                                                   ArrayRef<int64_t> tileSizes,
                                                   int64_t tilesInFlow) {
  FailureOr<EngineCycles> cycles = cyclesInTiles(context, tileSizes);
  if (failed(cycles))
    return failure();
  // Engines other than the busiest add their time for one tile, as the first
  // tile passes all engines one after the other.
  std::optional<int64_t> sum = checkedAdd(
      cycles->busiest, llvm::divideCeil(cycles->others, tilesInFlow));
  if (!sum)
    return context.refuseOverflow();
  return *sum;
}

SmallVector<std::string>
mlir::llm::describeAssumptions(const OpOnTarget &context) {
  SmallVector<std::string> assumptions;
  Type type = context.workload.macElementType();
  std::string usedType;
  if (type && Target::macsPerCycle(*context.engine, type, usedType)) {
    std::string ownType;
    llvm::raw_string_ostream(ownType) << type;
    if (usedType != ownType)
      assumptions.push_back("no rate for contractions of " + ownType +
                            ": that of " + usedType + " stands in");
  }
  return assumptions;
}

//===----------------------------------------------------------------------===//
// Bytes and energy
//===----------------------------------------------------------------------===//

std::optional<int64_t> mlir::llm::memoryCycles(const OpOnTarget &context,
                                               const Memory &memory,
                                               int64_t bytes) {
  int64_t rate = context.target->portBytesPerSecond(*context.engine, memory);
  return rate == 0 ? 0 : ceilMulDiv(bytes, context.target->clockHz, 1, rate);
}

int64_t mlir::llm::slowestPortBytesPerSecond(const OpOnTarget &context) {
  int64_t slowest = maxCount;
  for (const Memory *memory : context.target->sharedMemories())
    slowest = std::min(
        slowest, context.target->portBytesPerSecond(*context.engine, *memory));
  return slowest;
}

std::optional<int64_t> mlir::llm::energyPicojoules(const OpOnTarget &context,
                                                   int64_t macs,
                                                   ArrayRef<int64_t> bytes,
                                                   int64_t cachedBytes) {
  __extension__ using Wide = unsigned __int128;
  Wide femtojoules = 0;
  auto add = [&](int64_t amount, std::optional<int64_t> each) {
    femtojoules += Wide(amount) * Wide(each.value_or(0));
  };
  add(macs, Target::macFemtojoules(*context.engine,
                                   context.workload.macElementType()));
  for (auto [memory, moved] :
       llvm::zip_equal(context.target->sharedMemories(), bytes))
    add(moved, memory->femtojoulesPerByte);
  if (const Memory *memory = context.tileMemory()) {
    add(bytes.front(), memory->femtojoulesPerByte);
    add(cachedBytes, memory->femtojoulesPerByte);
  }
  Wide picojoules = (femtojoules + 999) / 1000;
  if (picojoules > Wide(maxCount))
    return std::nullopt;
  return int64_t(picojoules);
}

/// Returns the cycles that this energy takes at a share of the limit.
static std::optional<int64_t> cyclesAt(const Target &target, int64_t picojoules,
                                       int64_t percent) {
  if (!target.powerLimitWatts)
    return 0;
  constexpr int64_t picojoulesPerJoule = 1000000000000;
  return ceilMulDiv(picojoules, target.clockHz, 100,
                    *target.powerLimitWatts - target.idleWatts.value_or(0),
                    picojoulesPerJoule * percent);
}

PowerLimit::PowerLimit(const Target &target) {
  if (!target.powerLimitWatts)
    return;
  watts = double(*target.powerLimitWatts - target.idleWatts.value_or(0));
  burstShare = 0.01 * double(target.burstPercent.value_or(100));
  burstSeconds = 1e-6 * double(target.burstMicroseconds.value_or(0));
  energyFollowsClock = target.energyFollowsClock.value_or(0) != 0;
}

double PowerLimit::secondsOf(double joules) const {
  if (watts <= 0)
    return 0;
  double steady = joules / watts;
  return std::max(steady / burstShare,
                  steady - (burstShare - 1) * burstSeconds);
}

double PowerLimit::secondsOf(double joules, double unlimitedSeconds) const {
  return stretched(secondsOf(joules), unlimitedSeconds);
}

double PowerLimit::joulesWithin(double seconds) const {
  if (watts <= 0)
    return std::numeric_limits<double>::infinity();
  return watts * (seconds + (burstShare - 1) * std::min(seconds, burstSeconds));
}

double PowerLimit::stretched(double limit, double unlimited) const {
  if (limit <= unlimited)
    return unlimited;
  return energyFollowsClock ? std::sqrt(limit * std::sqrt(limit * unlimited))
                            : limit;
}

std::optional<int64_t> mlir::llm::powerCycles(const Target &target,
                                              int64_t picojoules,
                                              int64_t unlimitedCycles) {
  int64_t burst = target.burstPercent.value_or(100);
  std::optional<int64_t> steady = cyclesAt(target, picojoules, 100),
                         limit = cyclesAt(target, picojoules, burst);
  if (!steady || !limit)
    return std::nullopt;
  constexpr int64_t percentMicroseconds = 100000000;
  std::optional<int64_t> saved =
      ceilMulDiv(burst - 100, target.burstMicroseconds.value_or(0),
                 target.clockHz, percentMicroseconds);
  if (saved)
    limit = std::max(*limit, *steady - *saved);
  PowerLimit power(target);
  if (!power.energyFollowsClock)
    return limit;
  return int64_t(
      std::ceil(power.stretched(double(*limit), double(unlimitedCycles))));
}

std::optional<int64_t> mlir::llm::leastPowerCycles(const Target &target,
                                                   int64_t picojoules,
                                                   int64_t leastCycles) {
  std::optional<int64_t> limit =
      cyclesAt(target, picojoules, target.burstPercent.value_or(100));
  PowerLimit power(target);
  if (!limit || !power.energyFollowsClock)
    return limit;
  // Rounded down, as the limit was rounded up.
  return int64_t(power.stretched(double(*limit), double(leastCycles)));
}
