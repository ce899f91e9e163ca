//===- CostModel.cpp - What an op costs with its tile on a target ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/CostModel.h"
#include "llm/Cost/Kernels/Granules.h"
#include "llm/Cost/Movement.h"
#include "llm/Program/Totals.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Composition.h"
#include "llm/Workload/Counts.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

static StringRef toRef(std::string_view text) {
  return {text.data(), text.size()};
}

//===----------------------------------------------------------------------===//
// OpOnTarget
//===----------------------------------------------------------------------===//

static std::string describe(EngineKindSet kinds) {
  std::string text;
  for (EngineKind kind : allEngineKinds)
    if (kinds.contains(kind))
      text += (text.empty() ? "" : " and ") + std::string(stringify(kind));
  return text;
}

FailureOr<OpOnTarget> OpOnTarget::get(WorkloadOpInterface op,
                                      const Target &target) {
  FailureOr<Workload> workload =
      op.getWorkload([&] { return op->emitOpError(); });
  if (failed(workload))
    return failure();
  EngineKindSet kinds = workload->engineKinds();
  const Engine *engine = target.findEngine(kinds);
  if (engine)
    return OpOnTarget{op, std::move(*workload), &target, engine};
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "needs an engine that is " << describe(kinds)
                        << "; target '" << target.name << "' has none";
  if (workload->composition)
    diagnostic << ". --llm-fuse joins what the module's target can run as one: "
                  "it comes behind --llm-target";
  else if (kinds.contains(EngineKind::Matrix) &&
           kinds.contains(EngineKind::Vector))
    diagnostic << ". --llm-decompose-attention splits fused attention into ops "
                  "of fewer "
                  "kinds";
  return diagnostic;
}

int64_t OpOnTarget::tileCapacityBytes() const {
  const Memory *memory = tileMemory();
  return memory ? memory->capacityBytes : 0;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Work that nothing says the time of must not be free.
static FailureOr<int64_t> vectorRateOf(const OpOnTarget &context,
                                       WorkKind kind) {
  if (std::optional<int64_t> rate = Target::opsPerCycle(*context.engine, kind))
    return *rate;
  StringRef name = toRef(stringify(kind));
  return context.op->emitOpError()
         << "does " << name << " work, for which engine '"
         << context.engine->name << "' of target '" << context.target->name
         << "' gives no rate: the target needs engines." << context.engine->name
         << "." << name << "_per_cycle_per_unit";
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
  return context.op->emitOpError()
         << "contracts " << type << ", for which engine '"
         << context.engine->name << "' of target '" << context.target->name
         << "' gives no rate (engines." << context.engine->name
         << ".macs_per_cycle_per_unit), nor one for a wider type";
}

LogicalResult mlir::llm::emitOverflow(Operation *op) {
  return op->emitOpError() << "its work, bytes or cycles are above 2^61 - 1";
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
    return emitOverflow(op);
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
      return emitOverflow(op);
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
      return emitOverflow(context.op);
    total = *sum;
  }
  int64_t clock = context.target->clockHz;
  std::optional<int64_t> cycles = ceilMulDiv(
      total, clock, 1, context.engine->sustainedClockHz.value_or(clock));
  if (!cycles)
    return emitOverflow(context.op);
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

/// Those of its tile in the private memory; the closed form of a theoretical
/// one knows none.
static FailureOr<int64_t> cyclesWith(const OpOnTarget &context, TileAttr tile) {
  if (tile.getStrategy() == TileStrategy::Theoretical)
    return computeCyclesWithoutGranules(context);
  if (tile.getLevels().empty() || !context.tileMemory())
    return computeCycles(context);
  FailureOr<Tiling> tiling = readTiling(context, tile.getLevels().front());
  if (failed(tiling))
    return failure();
  return cyclesInTiles(context, tiling->sizes);
}

std::optional<int64_t> mlir::llm::memoryCycles(const OpOnTarget &context,
                                               int64_t bytes) {
  const Target &target = *context.target;
  return ceilMulDiv(bytes, target.clockHz, 1,
                    target.portBytesPerSecond(*context.engine, target.dram()));
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
// Cost
//===----------------------------------------------------------------------===//

static FailureOr<DictionaryAttr> countAllWork(const OpOnTarget &context) {
  SmallVector<std::pair<StringRef, int64_t>> amounts;
  for (WorkKind kind : allWorkKinds) {
    Count count = countWork(context.op, context.workload, kind);
    if (failed(count))
      return emitOverflow(context.op);
    if (*count > 0)
      amounts.push_back({toRef(stringify(kind)), *count});
  }
  return getAmounts(context.op->getContext(), amounts);
}

std::unique_ptr<UnitKernel> mlir::llm::unitKernelOf(const OpOnTarget &context) {
  return context.engine->hasUnitTiles()
             ? UnitKernel::get(context.op, context.workload)
             : nullptr;
}

UnitMachine mlir::llm::unitMachineOf(const OpOnTarget &context,
                                     const UnitKernel &kernel) {
  return UnitMachine::get(
      *context.target, *context.engine, context.workload.macElementType(),
      context.engine->kernelFigures(kernel.opClass(),
                                    context.op->getName().getStringRef()));
}

/// One of the ops in a kernel, on the engine that runs all of them.
static OpOnTarget opInside(const OpOnTarget &context,
                           const ComposedPart &part) {
  return {part.op, workloadInside(context.workload, part), context.target,
          context.engine};
}

/// How often each buffer is moved. Of a kernel of several ops, each op reads as
/// often as it does alone.
static SmallVector<int64_t, 4> countReads(const OpOnTarget &context,
                                          const UnitKernel &kernel,
                                          const UnitMachine &machine) {
  SmallVector<int64_t, 4> reads;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size(); ++buffer)
    reads.push_back(kernel.readsOf(buffer, machine));
  if (!context.workload.composition)
    return reads;
  for (const ComposedPart &part : context.workload.composition->parts) {
    OpOnTarget inside = opInside(context, part);
    std::unique_ptr<UnitKernel> own = unitKernelOf(inside);
    if (!own)
      continue;
    UnitMachine ownMachine = unitMachineOf(inside, *own);
    for (auto [index, place] : llvm::enumerate(part.buffers))
      if (place)
        reads[*place] =
            std::max(reads[*place], own->readsOf(index, ownMachine));
  }
  return reads;
}

LogicalResult mlir::llm::addRereads(const OpOnTarget &context,
                                    const UnitKernel &kernel,
                                    const UnitMachine &machine,
                                    MutableArrayRef<int64_t> bytes) {
  for (auto [moved, reads] :
       llvm::zip_equal(bytes, countReads(context, kernel, machine))) {
    std::optional<int64_t> all = checkedMul(moved, reads);
    if (!all)
      return emitOverflow(context.op);
    moved = *all;
  }
  return success();
}

namespace {
/// The cycles of a cost record.
struct Cycles {
  int64_t overhead = 0, serial = 0, compute = 0, memory = 0;
  CostBound bound = CostBound::Overhead;
};
} // namespace

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

static CostBound boundOf(int64_t fixed, int64_t compute, int64_t memory) {
  if (fixed >= std::max(compute, memory))
    return CostBound::Overhead;
  return compute >= memory ? CostBound::Compute : CostBound::Memory;
}

/// Work that spreads over all units evenly, and hides streaming or is hidden by
/// it.
static FailureOr<Cycles> spreadEvenly(const OpOnTarget &context,
                                      FailureOr<int64_t> compute,
                                      int64_t memory) {
  if (failed(compute))
    return failure();
  Cycles cycles;
  cycles.overhead = context.engine->overheadCycles;
  cycles.compute = *compute;
  cycles.memory = memory;
  cycles.bound = boundOf(cycles.overhead, *compute, memory);
  return cycles;
}

/// Work that the units share as tiles. What the record adds up to is the
/// kernel's time: that part of it which does not overlap is serial.
static FailureOr<Cycles> shareAsTiles(const OpOnTarget &context,
                                      const UnitKernel &kernel,
                                      const UnitMachine &machine,
                                      const UnitTile &tile, KernelBytes bytes,
                                      int64_t memory) {
  KernelTime time = kernel.timeOf(tile, bytes, machine);
  bool fits = true;
  auto toCycles = [&](double seconds) {
    double cycles = std::ceil(seconds * double(context.target->clockHz));
    fits &= cycles < double(maxCount);
    return fits ? int64_t(cycles) : 0;
  };
  int64_t total = toCycles(time.totalSeconds),
          unit = toCycles(time.unitSeconds),
          stream = toCycles(time.streamSeconds);
  Cycles cycles;
  cycles.overhead =
      toCycles(time.launchSeconds) + context.engine->overheadCycles;
  cycles.memory = memory;
  // Where ports or few tiles slow streaming down, that is the units' doing.
  cycles.compute = stream > memory ? std::max(unit, stream) : unit;
  int64_t overlapped = std::max(cycles.compute, memory);
  cycles.serial =
      std::max<int64_t>(0, total - toCycles(time.launchSeconds) - overlapped);
  cycles.bound = boundOf(cycles.overhead, unit, stream);
  if (!fits)
    return emitOverflow(context.op);
  return cycles;
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

/// Work that needs more power than the target has takes longer.
static FailureOr<Cycles> limitPower(const OpOnTarget &context, Cycles cycles,
                                    int64_t picojoules) {
  if (!context.target->powerLimitWatts)
    return cycles;
  std::optional<int64_t> least = powerCycles(*context.target, picojoules);
  if (!least)
    return emitOverflow(context.op);
  if (*least > std::max(cycles.compute, cycles.memory))
    cycles.compute = *least;
  cycles.bound = boundOf(cycles.overhead, cycles.compute, cycles.memory);
  return cycles;
}

//===----------------------------------------------------------------------===//
// Kernels of several ops
//===----------------------------------------------------------------------===//

/// What one op of a kernel takes alone, with the best tile that its units can
/// have, if it moves `bytes`. `hasUnits`: whether units share it as tiles.
static FailureOr<Cycles> cyclesInside(const OpOnTarget &inside,
                                      KernelBytes bytes, bool hasUnits) {
  std::optional<int64_t> memory = memoryCycles(inside, int64_t(bytes.memory));
  Count macs = countWork(inside.op, inside.workload, WorkKind::Mac);
  std::optional<int64_t> energy;
  if (succeeded(macs))
    energy = energyPicojoules(inside, *macs, int64_t(bytes.memory),
                              int64_t(bytes.cached));
  if (!memory || !energy)
    return emitOverflow(inside.op);
  if (std::unique_ptr<UnitKernel> kernel =
          hasUnits ? unitKernelOf(inside) : nullptr) {
    UnitMachine machine = unitMachineOf(inside, *kernel);
    return shareAsTiles(inside, *kernel, machine,
                        kernel->chooseTile(bytes, machine), bytes, *memory);
  }
  FailureOr<Cycles> even = spreadEvenly(inside, computeCycles(inside), *memory);
  return succeeded(even) ? limitPower(inside, *even, *energy) : even;
}

/// What the kernel moves of the buffers of one op in it. What it keeps on chip
/// is none of them.
static KernelBytes bytesInside(const ComposedPart &part,
                               const Movement &movement) {
  KernelBytes bytes;
  for (std::optional<unsigned> place : part.buffers)
    if (place)
      (movement.resident[*place] ? bytes.cached : bytes.memory) +=
          double(movement.bytes[*place]);
  return bytes;
}

/// A kernel starts as slowly as the slowest of its ops, and then takes no less
/// than any of them.
static void raise(Cycles &whole, const Cycles &op) {
  auto withoutOverhead = [](const Cycles &cycles) {
    return cycles.serial + std::max(cycles.compute, cycles.memory);
  };
  int64_t rest = withoutOverhead(whole);
  if (withoutOverhead(op) > rest) {
    rest = withoutOverhead(op);
    whole.bound = op.bound;
  }
  whole.overhead = std::max(whole.overhead, op.overhead);
  whole.compute = std::max(whole.compute, op.compute);
  // The cycles of memory are those of the kernel's own traffic.
  int64_t overlapped = std::max(whole.compute, whole.memory);
  whole.serial = rest - overlapped;
  if (whole.bound == CostBound::Overhead || whole.overhead >= overlapped)
    whole.bound = boundOf(whole.overhead, whole.compute, whole.memory);
}

/// No kernel is faster than one of its ops would be that leaves the values
/// on chip that the kernel keeps there: what the figures of a class leave out,
/// those of the op have.
static LogicalResult raiseToOps(const OpOnTarget &context,
                                const Movement &movement, bool hasUnits,
                                Cycles &cycles) {
  for (const ComposedPart &part : context.workload.composition->parts) {
    FailureOr<Cycles> inside = cyclesInside(
        opInside(context, part), bytesInside(part, movement), hasUnits);
    if (failed(inside))
      return failure();
    raise(cycles, *inside);
  }
  return success();
}

static FailureOr<Cycles> cyclesOf(const OpOnTarget &context,
                                  const UnitKernel *kernel,
                                  const UnitMachine &machine, TileAttr tile,
                                  KernelBytes bytes, int64_t memory,
                                  int64_t energy) {
  // Of units, too: it finds types without a rate and what leaves 64 bits.
  FailureOr<Cycles> even =
      spreadEvenly(context, cyclesWith(context, tile), memory);
  if (failed(even))
    return failure();
  if (!kernel)
    return limitPower(context, *even, energy);
  FailureOr<Tiling> tiling = readTiling(context, tile.getLevels().back());
  if (failed(tiling))
    return failure();
  if (std::string excess = kernel->excessOf(tiling->sizes, machine);
      !excess.empty())
    return context.op->emitOpError() << "its unit tile " << excess;
  return shareAsTiles(context, *kernel, machine, tiling->sizes, bytes, memory);
}

FailureOr<PartCostAttr> mlir::llm::computePartCost(const OpOnTarget &context,
                                                   TileAttr tile) {
  MLIRContext *mlirContext = tile.getContext();
  bool isTiled = tile.getStrategy() != TileStrategy::Theoretical;
  std::unique_ptr<UnitKernel> kernel =
      isTiled ? unitKernelOf(context) : nullptr;
  FailureOr<Movement> movement =
      move(context, tile, /*hasUnits=*/kernel != nullptr);
  if (failed(movement))
    return failure();
  UnitMachine machine;
  if (kernel)
    machine = unitMachineOf(context, *kernel);
  if (kernel && failed(addRereads(context, *kernel, machine, movement->bytes)))
    return failure();
  FailureOr<DictionaryAttr> work = countAllWork(context);
  if (failed(work))
    return failure();

  SmallVector<std::pair<StringRef, int64_t>> perBuffer;
  movement->resident.resize(movement->bytes.size());
  int64_t total = 0, cached = 0;
  for (auto [index, bytes] : llvm::enumerate(movement->bytes)) {
    int64_t &kind = movement->resident[index] ? cached : total;
    std::optional<int64_t> sum = checkedAdd(kind, bytes);
    if (!sum)
      return emitOverflow(context.op);
    kind = *sum;
    if (bytes > 0 && !movement->resident[index])
      perBuffer.push_back({context.workload.buffers[index].name, bytes});
  }
  std::optional<int64_t> memory = memoryCycles(context, total);
  if (!memory)
    return emitOverflow(context.op);
  NamedAttrList traffic;
  traffic.set(context.target->dram().name, getAmounts(mlirContext, perBuffer));
  std::optional<int64_t> energy = energyPicojoules(
      context, getAmount(*work, toRef(stringify(WorkKind::Mac))), total,
      cached);
  if (!energy)
    return emitOverflow(context.op);
  FailureOr<Cycles> cycles =
      cyclesOf(context, kernel.get(), machine, tile,
               {double(total), double(cached)}, *memory, *energy);
  if (failed(cycles) ||
      (context.workload.composition &&
       failed(raiseToOps(context, *movement, /*hasUnits=*/isTiled, *cycles))))
    return failure();
  auto part = PartCostAttr::getChecked(
      [&] { return context.op->emitOpError(); }, mlirContext,
      /*count=*/int64_t(1), *work, traffic.getDictionary(mlirContext),
      movement->workingSetBytes, cycles->overhead, cycles->serial,
      cycles->compute, cycles->memory, cycles->bound, *energy);
  if (!part)
    return failure();
  return part;
}
