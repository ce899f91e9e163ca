//===- CostModel.cpp - What an op costs with its tile on a target ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/CostModel.h"
#include "ClosedFormModel.h"
#include "KernelsModel.h"
#include "LinkModel.h"
#include "llm/Cost/MeasuredTimes.h"
#include "llm/Program/Totals.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Composition.h"
#include "llm/Workload/Counts.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

std::unique_ptr<CostModel> CostModel::get(const OpOnTarget &context,
                                          TileStrategy strategy) {
  if (context.workload.collective)
    return std::make_unique<LinkModel>(context);
  if (strategy == TileStrategy::Theoretical)
    return std::make_unique<ClosedFormModel>(context);
  switch (context.engine->costModel) {
  case CostModelKind::Kernels:
    return std::make_unique<KernelsModel>(context);
  case CostModelKind::Tiles:
  case CostModelKind::Roofline: // as tiles without private memory and granules
    return std::make_unique<TilesModel>(context);
  }
  llvm_unreachable("one of the three");
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

CostBound Cycles::boundBy(int64_t units, int64_t streaming) const {
  if (overhead >= std::max(units, streaming))
    return CostBound::Overhead;
  return units >= streaming ? unitBound : CostBound::Memory;
}

Cycles Cycles::overlapped(int64_t overhead, int64_t compute, int64_t memory) {
  Cycles cycles;
  cycles.overhead = overhead;
  cycles.compute = compute;
  cycles.memory = memory;
  cycles.bound = cycles.boundBy(compute, memory);
  return cycles;
}

/// The link of a collective, as what others share; null for any other op.
static const Memory *linkOf(const OpOnTarget &context) {
  return context.workload.collective
             ? context.target->findSharedResource(context.engine->name)
             : nullptr;
}

FailureOr<Traffic> Traffic::get(const OpOnTarget &context, MovedBytes bytes) {
  Traffic traffic;
  static_cast<MovedBytes &>(traffic) = std::move(bytes);
  for (auto [memory, moved] :
       llvm::zip_equal(context.target->sharedMemories(), traffic.shared)) {
    std::optional<int64_t> cycles = llm::memoryCycles(context, *memory, moved);
    if (!cycles)
      return context.refuseOverflow();
    traffic.sharedCycles.push_back(*cycles);
    traffic.memoryCycles = std::max(traffic.memoryCycles, *cycles);
  }
  std::optional<int64_t> used = 0, sent = 0, energy;
  if (traffic.used > 0)
    used = llm::memoryCycles(context, *context.tileMemory(), traffic.used);
  if (const Memory *link = linkOf(context))
    sent = llm::memoryCycles(context, *link, traffic.sent);
  Count macs = countWork(context.op, context.workload, WorkKind::Mac);
  if (succeeded(macs))
    energy = energyPicojoules(context, *macs, traffic.shared, traffic.cached);
  if (!used || !sent || !energy)
    return context.refuseOverflow();
  traffic.usedCycles = *used;
  traffic.sentCycles = *sent;
  traffic.memoryCycles = std::max({traffic.memoryCycles, *used, *sent});
  traffic.picojoules = *energy;
  return traffic;
}

FailureOr<Cycles> CostModel::spreadEvenly(FailureOr<int64_t> compute,
                                          const Traffic &traffic) const {
  if (failed(compute))
    return failure();
  // Work that needs more power than the target has takes longer.
  int64_t unlimited = std::max(*compute, traffic.memoryCycles);
  std::optional<int64_t> power =
      powerCycles(*context.target, traffic.picojoules, unlimited);
  if (!power)
    return context.refuseOverflow();
  if (*power > unlimited)
    compute = *power;
  return Cycles::overlapped(context.overheadCycles(), *compute,
                            traffic.memoryCycles);
}

FailureOr<Cycles> CostModel::timeInKernel(const Traffic &traffic) const {
  return spreadEvenly(computeCycles(context), traffic);
}

//===----------------------------------------------------------------------===//
// Kernels of several ops
//===----------------------------------------------------------------------===//

/// Returns what the kernel moves of the buffers of one op in it. Buffers that
/// it keeps on chip do not count.
static FailureOr<Traffic> trafficInside(const OpOnTarget &inside,
                                        const ComposedPart &part,
                                        const Movement &movement) {
  auto addUp = [&](const Movement::OfBuffers &bytes, bool isResident) {
    double sum = 0;
    for (std::optional<unsigned> place : part.buffers)
      if (place && movement.resident[*place] == isResident)
        sum += double(bytes[*place]);
    return int64_t(sum);
  };
  MovedBytes moved;
  for (const Movement::OfBuffers &bytes : movement.bytes)
    moved.shared.push_back(addUp(bytes, /*isResident=*/false));
  moved.cached = addUp(movement.bytes.front(), /*isResident=*/true);
  return Traffic::get(inside, std::move(moved));
}

/// Raises the cycles of a kernel to those of one of its ops. It starts as
/// slowly as the slowest of its ops, and then takes no less than any of them.
static void raise(Cycles &whole, const Cycles &op) {
  int64_t rest = whole.withoutOverhead();
  if (op.withoutOverhead() > rest) {
    rest = op.withoutOverhead();
    whole.bound = op.bound;
  }
  whole.overhead = std::max(whole.overhead, op.overhead);
  if (op.compute > whole.compute) {
    whole.compute = op.compute;
    whole.unitBound = op.unitBound;
  }
  // The cycles of memory are those of the kernel's own traffic.
  int64_t overlapped = std::max(whole.compute, whole.memory);
  whole.serial = rest - overlapped;
  if (whole.bound == CostBound::Overhead || whole.overhead >= overlapped)
    whole.bound = whole.boundBy(whole.compute, whole.memory);
}

/// Raises the cycles of a kernel to those of its ops. None is faster alone,
/// even if it leaves the values on chip that the kernel keeps there. The
/// figures of the ops' classes may have terms that those of the kernel's class
/// lack.
static LogicalResult raiseToOps(const OpOnTarget &context, TileAttr tile,
                                const Movement &movement, Cycles &cycles) {
  for (const ComposedPart &part : context.workload.composition->parts) {
    OpOnTarget op = context.inside(part);
    FailureOr<Traffic> traffic = trafficInside(op, part, movement);
    if (failed(traffic))
      return failure();
    FailureOr<Cycles> inside =
        CostModel::get(op, tile.getStrategy())->timeInKernel(*traffic);
    if (failed(inside))
      return failure();
    raise(cycles, *inside);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Measured times
//===----------------------------------------------------------------------===//

/// Makes the cycles add up to `total`. The traffic stays, and what it takes.
static void scale(Cycles &cycles, double factor, int64_t total) {
  auto scaled = [&](int64_t part) {
    return int64_t(std::floor(double(part) * factor));
  };
  cycles.compute = scaled(cycles.compute);
  int64_t overlapped = std::max(cycles.compute, cycles.memory);
  total = std::max(total, overlapped);
  cycles.overhead = std::min(scaled(cycles.overhead), total - overlapped);
  cycles.serial = total - overlapped - cycles.overhead;
}

/// Corrects the cycles by measured times of ops like this one. The factor is
/// that of the best tile.
static LogicalResult applyMeasuredTimes(const OpOnTarget &context,
                                        const CostModel &model, TileAttr tile,
                                        PartFigures &figures) {
  if (context.target->measured.empty() || !canBeMeasured(context))
    return success();
  FailureOr<Cycles> best = model.timeInKernel(figures.traffic);
  if (failed(best) ||
      (context.workload.composition &&
       failed(raiseToOps(context, tile, figures.movement, *best))))
    return failure();
  double clock = double(context.target->clockHz);
  double factor = correctionOf(context, double(best->total()) / clock).factor;
  double total = double(figures.cycles.total()) * factor;
  if (total > double(maxCount))
    return context.refuseOverflow();
  if (factor != 1)
    scale(figures.cycles, factor, std::llround(total));
  return success();
}

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

static LogicalResult countAllWork(const OpOnTarget &context,
                                  PartFigures &figures) {
  for (WorkKind kind : allWorkKinds) {
    Count count = countWork(context.op, context.workload, kind);
    if (failed(count))
      return context.refuseOverflow();
    if (*count > 0)
      figures.work.push_back({kind, *count});
  }
  return success();
}

/// Adds up the bytes of the buffers that lie in the private memory already, or
/// of the others.
static Count addUp(const Movement &movement, const Movement::OfBuffers &bytes,
                   bool areResident) {
  Count sum = int64_t(0);
  for (auto [index, moved] : llvm::enumerate(bytes))
    if (movement.resident[index] == areResident)
      sum = plus(sum, moved);
  return sum;
}

static FailureOr<MovedBytes> sumUp(const OpOnTarget &context,
                                   const Movement &movement) {
  MovedBytes moved;
  for (const Movement::OfBuffers &bytes : movement.bytes) {
    Count passing = addUp(movement, bytes, /*areResident=*/false);
    if (failed(passing))
      return context.refuseOverflow();
    moved.shared.push_back(*passing);
  }
  Count cached = addUp(movement, movement.bytes.front(), /*areResident=*/true);
  if (failed(cached))
    return context.refuseOverflow();
  moved.cached = *cached;
  moved.used = movement.usedBytes;
  moved.sent = movement.sentBytes;
  return moved;
}

/// Writes the bytes of each buffer for each memory.
static DictionaryAttr writeTraffic(const OpOnTarget &context,
                                   const Movement &movement) {
  MLIRContext *mlirContext = context.op->getContext();
  NamedAttrList traffic;
  for (auto [memory, bytes] :
       llvm::zip_equal(context.target->sharedMemories(), movement.bytes)) {
    SmallVector<std::pair<StringRef, int64_t>> ofBuffers;
    for (auto [index, moved] : llvm::enumerate(bytes))
      if (moved > 0 && !movement.resident[index])
        ofBuffers.push_back({context.workload.buffers[index].name, moved});
    traffic.set(memory->name, getAmounts(mlirContext, ofBuffers));
  }
  if (const Memory *link = linkOf(context))
    traffic.set(link->name,
                getAmounts(mlirContext, {{context.workload.buffers[0].name,
                                          movement.sentBytes}}));
  return traffic.getDictionary(mlirContext);
}

/// Writes the cycles of each memory that has a rate, if there are several.
static DictionaryAttr writeCycles(const OpOnTarget &context,
                                  const Traffic &traffic) {
  SmallVector<std::pair<StringRef, int64_t>> cycles;
  for (auto [memory, own] :
       llvm::zip_equal(context.target->sharedMemories(), traffic.sharedCycles))
    cycles.push_back({memory->name, own});
  const Memory *tiles = context.tileMemory();
  if (tiles && tiles->bytesPerSecond > 0)
    cycles.push_back({tiles->name, traffic.usedCycles});
  if (const Memory *link = linkOf(context))
    cycles.push_back({link->name, traffic.sentCycles});
  return cycles.size() < 2 ? DictionaryAttr()
                           : getAmounts(context.op->getContext(), cycles);
}

/// Returns the energy of a part. Where the clock falls with the power limit,
/// that is what the limit gives in its time.
static int64_t drawnPicojoules(const Target &target, int64_t atFullClock,
                               const Cycles &cycles) {
  if (!target.energyFollowsClock.value_or(0))
    return atFullClock;
  constexpr double picojoulesPerJoule = 1e12;
  double seconds =
      double(std::max(cycles.compute, cycles.memory) + cycles.serial) /
      double(target.clockHz);
  double most = PowerLimit(target).joulesWithin(seconds) * picojoulesPerJoule;
  return most < double(atFullClock) ? int64_t(most) : atFullClock;
}

FailureOr<PartFigures> mlir::llm::computePartFigures(const OpOnTarget &context,
                                                     TileAttr tile) {
  std::unique_ptr<CostModel> model =
      CostModel::get(context, tile.getStrategy());
  FailureOr<Movement> movement = model->move(tile);
  if (failed(movement))
    return failure();
  movement->resident.resize(context.workload.buffers.size());
  PartFigures figures;
  figures.movement = std::move(*movement);
  LogicalResult work = countAllWork(context, figures);
  FailureOr<MovedBytes> moved = sumUp(context, figures.movement);
  if (failed(work) || failed(moved))
    return failure();
  FailureOr<Traffic> traffic = Traffic::get(context, std::move(*moved));
  if (failed(traffic))
    return failure();
  figures.traffic = std::move(*traffic);
  FailureOr<Cycles> cycles = model->timeOf(tile, figures.traffic);
  if (failed(cycles))
    return failure();
  figures.cycles = *cycles;
  if (context.workload.composition &&
      failed(raiseToOps(context, tile, figures.movement, figures.cycles)))
    return failure();
  if (failed(applyMeasuredTimes(context, *model, tile, figures)))
    return failure();
  // The other figures are small enough, but those of kernels may be too large.
  const Cycles &found = figures.cycles;
  if (std::max({found.overhead, found.serial, found.compute, found.memory}) >
      maxCount)
    return context.refuseOverflow();
  return figures;
}

FailureOr<PartCostAttr> mlir::llm::computePartCost(const OpOnTarget &context,
                                                   TileAttr tile) {
  FailureOr<PartFigures> figures = computePartFigures(context, tile);
  if (failed(figures))
    return failure();
  SmallVector<std::pair<StringRef, int64_t>> work;
  for (auto [kind, count] : figures->work)
    work.push_back({stringify(kind), count});
  const Cycles &cycles = figures->cycles;
  return PartCostAttr::get(
      tile.getContext(), /*count=*/int64_t(1),
      getAmounts(tile.getContext(), work),
      writeTraffic(context, figures->movement),
      figures->movement.workingSetBytes, cycles.overhead, cycles.serial,
      cycles.compute, cycles.memory, writeCycles(context, figures->traffic),
      cycles.bound,
      drawnPicojoules(*context.target, figures->traffic.picojoules, cycles));
}
