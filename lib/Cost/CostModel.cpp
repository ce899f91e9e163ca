//===- CostModel.cpp - What an op costs with its tile on a target ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/CostModel.h"
#include "ClosedFormModel.h"
#include "KernelsModel.h"
#include "llm/Program/Totals.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Composition.h"
#include "llm/Workload/Counts.h"

using namespace mlir;
using namespace mlir::llm;

std::unique_ptr<CostModel> CostModel::get(const OpOnTarget &context,
                                          TileStrategy strategy) {
  if (strategy == TileStrategy::Theoretical)
    return std::make_unique<ClosedFormModel>(context);
  switch (context.engine->costModel) {
  case CostModelKind::Kernels:
    return std::make_unique<KernelsModel>(context);
  case CostModelKind::Tiles:
  case CostModelKind::Roofline: // tiles without private memory and granules
    return std::make_unique<TilesModel>(context);
  }
  llvm_unreachable("one of the three");
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

CostBound Cycles::boundOf(int64_t overhead, int64_t compute, int64_t memory) {
  if (overhead >= std::max(compute, memory))
    return CostBound::Overhead;
  return compute >= memory ? CostBound::Compute : CostBound::Memory;
}

Cycles Cycles::overlapped(int64_t overhead, int64_t compute, int64_t memory) {
  Cycles cycles;
  cycles.overhead = overhead;
  cycles.compute = compute;
  cycles.memory = memory;
  cycles.bound = boundOf(overhead, compute, memory);
  return cycles;
}

FailureOr<Traffic> Traffic::get(const OpOnTarget &context, int64_t dramBytes,
                                int64_t cachedBytes) {
  std::optional<int64_t> memory = llm::memoryCycles(context, dramBytes);
  Count macs = countWork(context.op, context.workload, WorkKind::Mac);
  std::optional<int64_t> energy;
  if (succeeded(macs))
    energy = energyPicojoules(context, *macs, dramBytes, cachedBytes);
  if (!memory || !energy)
    return context.refuseOverflow();
  return Traffic{dramBytes, cachedBytes, *memory, *energy};
}

FailureOr<Cycles> CostModel::spreadEvenly(FailureOr<int64_t> compute,
                                          const Traffic &traffic) const {
  if (failed(compute))
    return failure();
  // Work that needs more power than the target has takes longer.
  std::optional<int64_t> power =
      powerCycles(*context.target, traffic.picojoules);
  if (!power)
    return context.refuseOverflow();
  if (*power > std::max(*compute, traffic.memoryCycles))
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

/// What the kernel moves of the buffers of one op in it. What it keeps on chip
/// is none of them.
static FailureOr<Traffic> trafficInside(const OpOnTarget &inside,
                                        const ComposedPart &part,
                                        const Movement &movement) {
  double dramBytes = 0, cachedBytes = 0;
  for (std::optional<unsigned> place : part.buffers)
    if (place)
      (movement.resident[*place] ? cachedBytes : dramBytes) +=
          double(movement.bytes[*place]);
  return Traffic::get(inside, int64_t(dramBytes), int64_t(cachedBytes));
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
    whole.bound = Cycles::boundOf(whole.overhead, whole.compute, whole.memory);
}

/// No kernel is faster than one of its ops would be that leaves the values
/// on chip that the kernel keeps there: what the figures of a class leave out,
/// those of the op have.
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
// The record
//===----------------------------------------------------------------------===//

static FailureOr<DictionaryAttr> countAllWork(const OpOnTarget &context) {
  SmallVector<std::pair<StringRef, int64_t>> amounts;
  for (WorkKind kind : allWorkKinds) {
    Count count = countWork(context.op, context.workload, kind);
    if (failed(count))
      return context.refuseOverflow();
    if (*count > 0)
      amounts.push_back({StringRef(stringify(kind)), *count});
  }
  return getAmounts(context.op->getContext(), amounts);
}

namespace {
/// What passes DRAM of each buffer, and what lies in the private memory.
struct MovedBytes {
  SmallVector<std::pair<StringRef, int64_t>> ofBuffers;
  int64_t dram = 0, cached = 0;
};
} // namespace

static FailureOr<MovedBytes> sumUp(const OpOnTarget &context,
                                   Movement &movement) {
  MovedBytes moved;
  movement.resident.resize(movement.bytes.size());
  for (auto [index, bytes] : llvm::enumerate(movement.bytes)) {
    int64_t &kind = movement.resident[index] ? moved.cached : moved.dram;
    std::optional<int64_t> sum = checkedAdd(kind, bytes);
    if (!sum)
      return context.refuseOverflow();
    kind = *sum;
    if (bytes > 0 && !movement.resident[index])
      moved.ofBuffers.push_back({context.workload.buffers[index].name, bytes});
  }
  return moved;
}

FailureOr<PartCostAttr> mlir::llm::computePartCost(const OpOnTarget &context,
                                                   TileAttr tile) {
  std::unique_ptr<CostModel> model =
      CostModel::get(context, tile.getStrategy());
  FailureOr<Movement> movement = model->move(tile);
  if (failed(movement))
    return failure();
  FailureOr<DictionaryAttr> work = countAllWork(context);
  FailureOr<MovedBytes> moved = sumUp(context, *movement);
  if (failed(work) || failed(moved))
    return failure();
  FailureOr<Traffic> traffic =
      Traffic::get(context, moved->dram, moved->cached);
  if (failed(traffic))
    return failure();
  FailureOr<Cycles> cycles = model->timeOf(tile, *traffic);
  if (failed(cycles) || (context.workload.composition &&
                         failed(raiseToOps(context, tile, *movement, *cycles))))
    return failure();
  // Of all figures, those of kernels may still be too large.
  if (std::max(cycles->overhead, cycles->serial) > maxCount ||
      std::max(cycles->compute, cycles->memory) > maxCount)
    return context.refuseOverflow();
  MLIRContext *mlirContext = tile.getContext();
  NamedAttrList bytes;
  bytes.set(context.target->dram().name,
            getAmounts(mlirContext, moved->ofBuffers));
  return PartCostAttr::get(mlirContext, /*count=*/int64_t(1), *work,
                           bytes.getDictionary(mlirContext),
                           movement->workingSetBytes, cycles->overhead,
                           cycles->serial, cycles->compute, cycles->memory,
                           cycles->bound, traffic->picojoules);
}
