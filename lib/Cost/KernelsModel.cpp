//===- KernelsModel.cpp - Units that share an op as tiles -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelsModel.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Composition.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

std::unique_ptr<UnitKernel> mlir::llm::unitKernelOf(const OpOnTarget &context) {
  return context.engine->hasUnitTiles()
             ? UnitKernel::get(context.op, context.workload)
             : nullptr;
}

UnitMachine mlir::llm::unitMachineOf(const OpOnTarget &context,
                                     const UnitKernel &kernel) {
  return UnitMachine::get(
      *context.target, *context.engine, context.workload.macElementType(),
      kernelFiguresOf(context.op, context.workload, *context.engine, kernel));
}

/// Returns how often each buffer is moved. Each op of a kernel of several ops
/// reads as often as it does alone.
static SmallVector<int64_t, 4> countReads(const OpOnTarget &context,
                                          const UnitKernel &kernel,
                                          const UnitMachine &machine) {
  SmallVector<int64_t, 4> reads;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size(); ++buffer)
    reads.push_back(kernel.readsOf(buffer, machine));
  if (!context.workload.composition)
    return reads;
  for (const ComposedPart &part : context.workload.composition->parts) {
    OpOnTarget inside = context.inside(part);
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
      return context.refuseOverflow();
    moved = *all;
  }
  return success();
}

KernelsModel::KernelsModel(const OpOnTarget &context)
    : TilesModel(context), kernel(unitKernelOf(context)) {
  if (kernel)
    machine = unitMachineOf(context, *kernel);
}

FailureOr<Movement> KernelsModel::move(TileAttr tile) const {
  FailureOr<Movement> movement =
      moveTiled(context, tile, /*hasUnits=*/kernel != nullptr);
  if (succeeded(movement) && kernel && !movement->isPerStage &&
      llvm::any_of(movement->bytes, [&](Movement::OfBuffers &bytes) {
        return failed(addRereads(context, *kernel, machine, bytes));
      }))
    return failure();
  return movement;
}

/// Work that the units share as tiles. What the record adds up to is the
/// kernel's time: that part of it which does not overlap is serial.
KernelBytes KernelsModel::bytesOf(const Traffic &traffic) const {
  constexpr double femto = 1e-15;
  auto joules = [&](int64_t bytes, const Memory *memory) {
    return memory ? femto * double(memory->femtojoulesPerByte.value_or(0)) *
                        double(bytes)
                  : 0;
  };
  int64_t far = traffic.shared.back();
  KernelBytes bytes{double(far), double(traffic.cached)};
  bytes.joulesOnTheWay =
      joules(traffic.shared.front() - far, context.tileMemory());
  for (auto [memory, moved] : llvm::drop_end(
           llvm::zip_equal(context.target->sharedMemories(), traffic.shared)))
    bytes.joulesOnTheWay += joules(moved, memory);
  return bytes;
}

FailureOr<Cycles> KernelsModel::shareAsTiles(const UnitTile &tile,
                                             const Traffic &traffic) const {
  KernelTime time = kernel->timeOf(tile, bytesOf(traffic), machine);
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
  int64_t memory = traffic.memoryCycles;
  cycles.memory = memory;
  // If ports or few tiles slow streaming down, that time counts as the units'.
  cycles.compute = stream > memory ? std::max(unit, stream) : unit;
  int64_t overlapped = std::max(cycles.compute, memory);
  cycles.serial =
      std::max<int64_t>(0, total - toCycles(time.launchSeconds) - overlapped);
  int64_t onTheWay = 0;
  for (int64_t own : llvm::drop_end(traffic.sharedCycles))
    onTheWay = std::max(onTheWay, own);
  if (time.unitsWaitForBytes || stream > unit)
    cycles.unitBound = CostBound::Memory;
  cycles.bound = cycles.boundBy(unit, std::max(stream, onTheWay));
  if (!fits)
    return context.refuseOverflow();
  return cycles;
}

FailureOr<Cycles> KernelsModel::timeOf(TileAttr tile,
                                       const Traffic &traffic) const {
  // This is asked for units, too, since it finds types without a rate and
  // figures beyond 64 bits.
  FailureOr<Cycles> even = TilesModel::timeOf(tile, traffic);
  if (failed(even) || !kernel)
    return even;
  FailureOr<Tiling> tiling = readTiling(context, tile.getLevels().back());
  if (failed(tiling))
    return failure();
  if (std::string excess = kernel->excessOf(tiling->sizes, machine);
      !excess.empty())
    return context.refuse() << "has a unit tile that " << excess;
  return shareAsTiles(tiling->sizes, traffic);
}

FailureOr<Cycles> KernelsModel::timeInKernel(const Traffic &traffic) const {
  if (!kernel)
    return TilesModel::timeInKernel(traffic);
  return shareAsTiles(kernel->chooseTile(bytesOf(traffic), machine), traffic);
}
