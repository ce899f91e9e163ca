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

/// Work that nothing says the time of must not be free.
static FailureOr<int64_t> vectorRateOf(const OpOnTarget &context,
                                       WorkKind kind) {
  if (std::optional<int64_t> rate = Target::opsPerCycle(*context.engine, kind))
    return *rate;
  StringRef name = toRef(stringify(kind));
  return context.refuse() << "does " << name << " work, for which engine '"
                          << context.engine->name << "' of target '"
                          << context.target->name
                          << "' gives no rate: the target needs engines."
                          << context.engine->name << "." << name
                          << "_per_cycle_per_unit";
}

/// Operations per cycle for one kind of work.
static FailureOr<int64_t> rateOf(const OpOnTarget &context, WorkKind kind) {
  if (kind != WorkKind::Mac)
    return vectorRateOf(context, kind);
  Type type = context.workload.macElementType();
  std::string usedType;
  std::optional<int64_t> rate =
      type ? Target::macsPerCycle(*context.engine, type, usedType)
           : std::nullopt;
  if (rate)
    return *rate;
  return context.refuse()
         << "contracts " << type << ", for which engine '"
         << context.engine->name << "' of target '" << context.target->name
         << "' gives no rate (engines." << context.engine->name
         << ".macs_per_cycle_per_unit), nor one for a wider type";
}

/// The points of a stage with those that only fill granules up; of the op's own
/// alone where no tile is told.
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
  for (auto [kind, perPoint] : stage.workPerPoint) {
    FailureOr<int64_t> rate = rateOf(context, kind);
    if (failed(rate))
      return failure();
    Count filled = kind == WorkKind::Mac
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

/// Cycles of all arithmetic in tiles of these sizes; of none, without granules.
static FailureOr<int64_t> cyclesInTiles(const OpOnTarget &context,
                                        ArrayRef<int64_t> tileSizes) {
  int64_t total = 0;
  for (unsigned stage = 0; stage < context.workload.stages.size(); ++stage) {
    FailureOr<int64_t> cycles = stageCycles(context, stage, tileSizes);
    if (failed(cycles))
      return failure();
    std::optional<int64_t> sum = checkedAdd(total, *cycles);
    if (!sum)
      return context.refuseOverflow();
    total = *sum;
  }
  int64_t clock = context.target->clockHz;
  std::optional<int64_t> cycles = ceilMulDiv(
      total, clock, 1, context.engine->sustainedClockHz.value_or(clock));
  if (!cycles)
    return context.refuseOverflow();
  return *cycles;
}

static SmallVector<int64_t, 6> wholeLoops(const Workload &workload) {
  SmallVector<int64_t, 6> sizes;
  for (const Loop &loop : workload.loops)
    sizes.push_back(loop.extent);
  return sizes;
}

FailureOr<int64_t> mlir::llm::computeCycles(const OpOnTarget &context) {
  return cyclesInTiles(context, wholeLoops(context.workload));
}

FailureOr<int64_t>
mlir::llm::computeCyclesWithoutGranules(const OpOnTarget &context) {
  return cyclesInTiles(context, {});
}

FailureOr<int64_t>
mlir::llm::computeCyclesInTiles(const OpOnTarget &context,
                                ArrayRef<int64_t> tileSizes) {
  return cyclesInTiles(context, tileSizes);
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
                                               int64_t bytes) {
  const Target &target = *context.target;
  return ceilMulDiv(bytes, target.clockHz, 1,
                    target.portBytesPerSecond(*context.engine, target.dram()));
}

std::optional<int64_t> mlir::llm::energyPicojoules(const OpOnTarget &context,
                                                   int64_t macs,
                                                   int64_t dramBytes,
                                                   int64_t cachedBytes) {
  __extension__ using Wide = unsigned __int128;
  Wide femtojoules = 0;
  auto add = [&](int64_t amount, std::optional<int64_t> each) {
    femtojoules += Wide(amount) * Wide(each.value_or(0));
  };
  add(macs, Target::macFemtojoules(*context.engine,
                                   context.workload.macElementType()));
  add(dramBytes, context.target->dram().femtojoulesPerByte);
  if (const Memory *memory = context.tileMemory()) {
    add(dramBytes, memory->femtojoulesPerByte);
    add(cachedBytes, memory->femtojoulesPerByte);
  }
  Wide picojoules = (femtojoules + 999) / 1000;
  if (picojoules > Wide(maxCount))
    return std::nullopt;
  return int64_t(picojoules);
}

std::optional<int64_t> mlir::llm::powerCycles(const Target &target,
                                              int64_t picojoules) {
  if (!target.powerLimitWatts)
    return 0;
  constexpr int64_t picojoulesPerJoule = 1000000000000;
  return ceilMulDiv(picojoules, target.clockHz, 1,
                    *target.powerLimitWatts - target.idleWatts.value_or(0),
                    picojoulesPerJoule);
}
