//===- LeastWork.cpp - What no way to cut an op is below ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Analysis/LeastWork.h"
#include "Movement.h"
#include "llm/Analysis/ClosedForm.h"
#include "llm/Analysis/Program.h"
#include "llm/Analysis/Split.h"
#include "llm/Analysis/Totals.h"
#include "llm/Interfaces/Counts.h"
#include "llm/Support/Units.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

using scheduling::LeastWork;
using scheduling::Source;

static bool hasMemoryEngine(const Target &target) {
  return llvm::any_of(target.engines, [](const Engine &engine) {
    return engine.kinds.contains(EngineKind::Memory);
  });
}

FailureOr<bool> mlir::llm::hasOneWay(const OpOnTarget &context, TileAttr tile,
                                     CostAttr cost) {
  if (tile.getStrategy() == TileStrategy::Manual ||
      (context.engine->hasUnitTiles() && context.engine->count == 1 &&
       !hasMemoryEngine(*context.target)))
    return true;
  FailureOr<CostAttr> derived = computeCost(context, tile);
  if (failed(derived))
    return failure();
  return cost != *derived;
}

/// Bytes of each buffer: every element once.
static FailureOr<SmallVector<int64_t, 4>>
leastBytes(const OpOnTarget &context, TileStrategy strategy) {
  TileModel model(context.op, context.workload);
  SmallVector<int64_t, 4> bytes;
  for (unsigned buffer = 0; buffer < context.workload.buffers.size();
       ++buffer) {
    Count own = model.compulsoryBytes(buffer);
    if (failed(own))
      return emitOverflow(context.op);
    bytes.push_back(*own);
  }
  if (strategy != TileStrategy::Theoretical)
    return bytes;
  // The closed form counts values of one size, and operands only; smaller tiles
  // never move less.
  if (std::optional<ClosedForm> form = ClosedForm::get(context)) {
    bytes.assign(bytes.size(), 0);
    auto extent = [&](unsigned loop) {
      return double(context.workload.loops[loop].extent);
    };
    double valueBytes =
        context.workload.macElementType().getIntOrFloatBitWidth() / 8.0;
    bytes[form->lhs] =
        int64_t(extent(form->m) * extent(form->k) * valueBytes);
    bytes[form->rhs] =
        int64_t(extent(form->k) * extent(form->n) * valueBytes);
  }
  return bytes;
}

/// Kernels of units run their kinds of work side by side, over all stages.
static FailureOr<int64_t> leastUnitCycles(const OpOnTarget &context) {
  int64_t longest = 0;
  for (WorkKind kind : allWorkKinds) {
    Count work = countWork(context.op, context.workload, kind);
    std::string usedType;
    Type type = context.workload.macElementType();
    std::optional<int64_t> rate =
        kind != WorkKind::Mac
            ? Target::opsPerCycle(*context.engine, kind)
        : type ? Target::macsPerCycle(*context.engine, type, usedType)
               : std::nullopt;
    if (failed(work))
      return emitOverflow(context.op);
    if (rate && *rate > 0)
      longest = std::max(longest, *work / *rate);
  }
  int64_t clock = context.target->clockHz;
  return int64_t(double(longest) * double(clock) /
                 double(context.engine->sustainedClockHz.value_or(clock)));
}

static FailureOr<int64_t> leastComputeCycles(const OpOnTarget &context,
                                             int64_t bytes) {
  FailureOr<int64_t> cycles = context.engine->hasUnitTiles()
                                  ? leastUnitCycles(context)
                                  : computeCycles(context);
  Count macs = countWork(context.op, context.workload, WorkKind::Mac);
  if (failed(cycles) || failed(macs))
    return failure();
  std::optional<int64_t> energy =
      energyPicojoules(context, *macs, bytes, /*cachedBytes=*/0);
  std::optional<int64_t> power =
      energy ? powerCycles(*context.target, *energy) : std::nullopt;
  if (!power)
    return emitOverflow(context.op);
  // Energy was rounded up; parts of it are not.
  return std::max(*cycles, *power > 0 ? *power - 1 : 0);
}

/// How many parts may run at once.
static int64_t mostPartsOf(const OpOnTarget &context) {
  int64_t parts = 1;
  for (auto [index, loop] : llvm::enumerate(context.workload.loops))
    if (loop.extent > 1 && (Split::canCut(loop) ||
                            Split::findReduction(context, index, 2)))
      parts = checkedMul(parts, loop.extent).value_or(maxParts);
  return std::min(parts, maxParts);
}

/// Whether counts are products over loops, so that a box of some share of the
/// iterations has that share of the elements, or more.
static bool isEven(const Workload &workload) {
  return workload.maskedLoops.none() &&
         llvm::none_of(workload.buffers, [](const Buffer &buffer) {
           return buffer.isGathered;
         });
}

FailureOr<LeastWork>
mlir::llm::leastWork(const OpOnTarget &context, TileStrategy strategy,
                     ArrayRef<const Memory *> memories) {
  FailureOr<SmallVector<int64_t, 4>> bytes = leastBytes(context, strategy);
  if (failed(bytes))
    return failure();
  LeastWork least;
  least.overheadCycles = context.engine->overheadCycles;
  least.mostParts = mostPartsOf(context);
  least.isEven = isEven(context.workload);
  auto perMemory = [&](int64_t ofDram) {
    std::vector<int64_t> all;
    for (const Memory *memory : memories)
      all.push_back(memory == &context.target->dram() ? ofDram : 0);
    return all;
  };
  int64_t sum = 0;
  for (auto [buffer, moved] :
       llvm::zip_equal(context.workload.buffers, *bytes)) {
    std::optional<int64_t> more = checkedAdd(sum, moved);
    if (!more)
      return emitOverflow(context.op);
    sum = *more;
    if (moved > 0 && buffer.role == Buffer::Role::Read &&
        findWriters(buffer.value))
      least.sources.push_back({buffer.name, perMemory(moved), moved});
  }
  least.bytes = perMemory(sum);
  FailureOr<int64_t> compute = leastComputeCycles(context, sum);
  if (failed(compute))
    return failure();
  least.computeCycles = *compute;
  return least;
}
