//===- Roofline.cpp - What no tile and no schedule can beat ---------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Cost/Roofline.h"
#include "llm/Cost/TileModel.h"
#include "llm/Cost/UnitKernel.h"
#include "llm/Program/Totals.h"
#include "llm/Support/Units.h"
#include "llm/Workload/Counts.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

Count mlir::llm::compulsoryBytes(WorkloadOpInterface op,
                                 const Workload &workload) {
  TileModel model(op, workload);
  Count bytes = int64_t(0);
  for (unsigned buffer = 0; buffer < workload.buffers.size(); ++buffer)
    bytes = plus(bytes, model.compulsoryBytes(buffer));
  return bytes;
}

/// Returns the operations per cycle of all engines that can do this kind of
/// work.
static std::optional<int64_t> peakRate(const Target &target, WorkKind kind,
                                       Type type) {
  int64_t peak = 0;
  for (const Engine &engine : target.engines) {
    std::string usedType;
    std::optional<int64_t> rate =
        kind == WorkKind::Mac
            ? (type ? Target::macsPerCycle(engine, type, usedType)
                    : std::nullopt)
            : Target::opsPerCycle(engine, kind);
    std::optional<int64_t> all = checkedMul(rate.value_or(0), engine.count);
    std::optional<int64_t> sum = all ? checkedAdd(peak, *all) : std::nullopt;
    if (!sum)
      return std::nullopt;
    peak = *sum;
  }
  return peak;
}

/// Returns the highest clock of the target and its engines.
static int64_t fastestClockHz(const Target &target) {
  int64_t fastest = target.clockHz;
  for (const Engine &engine : target.engines)
    fastest = std::max(fastest, engine.sustainedClockHz.value_or(0));
  return fastest;
}

double mlir::llm::peakPerSecond(const Target &target, WorkKind kind,
                                Type macType) {
  return double(peakRate(target, kind, macType).value_or(0)) *
         double(fastestClockHz(target));
}

double mlir::llm::datasheetMacsPerSecond(const Target &target, Type macType) {
  return double(peakRate(target, WorkKind::Mac, macType).value_or(0)) *
         double(target.clockHz);
}

namespace {
/// Adds up work by kind and, for contractions, by type; and bytes.
class RooflineSum {
public:
  RooflineSum(const Target &target) : target(target) {}
  LogicalResult add(WorkloadOpInterface op, int64_t count);
  std::optional<int64_t> cycles() const;

private:
  const Target &target;
  /// The key is (kind, operations per cycle), so that types with one rate add
  /// up before they are rounded.
  std::map<std::pair<WorkKind, int64_t>, int64_t> work;
  int64_t bytes = 0;
};
} // namespace

LogicalResult RooflineSum::add(WorkloadOpInterface op, int64_t count) {
  FailureOr<Workload> workload =
      op.getWorkload([&] { return op->emitOpError(); });
  if (failed(workload))
    return failure();
  bool fits = true;
  for (WorkKind kind : allWorkKinds) {
    std::optional<int64_t> rate =
        peakRate(target, kind, workload->macElementType());
    if (!rate)
      fits = false;
    else if (*rate > 0)
      fits &= succeeded(accumulate(work[{kind, *rate}],
                                   countPipeWork(op, *workload, kind), count));
  }
  fits &= succeeded(accumulate(bytes, compulsoryBytes(op, *workload), count));
  if (!fits)
    return op->emitOpError() << "has work, bytes or a peak rate above 2^61 - 1";
  return success();
}

std::optional<int64_t> RooflineSum::cycles() const {
  // If one rate serves a kind, its cycles are rounded up. If several do, they
  // are rounded down, so that their sum stays a lower bound.
  std::map<WorkKind, int64_t> rates, byKind;
  for (auto [key, amount] : work)
    ++rates[key.first];
  for (auto [key, amount] : work) {
    std::optional<int64_t> cycles = amount / key.second;
    if (rates[key.first] == 1)
      cycles = ceilMulDiv(amount, 1, 1, key.second);
    std::optional<int64_t> sum =
        cycles ? checkedAdd(byKind[key.first], *cycles) : std::nullopt;
    if (!sum)
      return std::nullopt;
    byKind[key.first] = *sum;
  }
  std::optional<int64_t> longest =
      ceilMulDiv(bytes, target.clockHz, 1, target.dram().bytesPerSecond);
  for (auto [kind, cycles] : byKind)
    if (std::optional<int64_t> ofTarget =
            ceilMulDiv(cycles, target.clockHz, 1, fastestClockHz(target));
        ofTarget && longest)
      longest = std::max(*longest, *ofTarget);
  return longest;
}

FailureOr<int64_t> mlir::llm::rooflineCycles(const Program &program,
                                             const Target &target) {
  RooflineSum sum(target);
  for (const ProgramOp &op : program.ops())
    if (failed(sum.add(op.op, op.count)))
      return failure();
  if (std::optional<int64_t> cycles = sum.cycles())
    return *cycles;
  return emitFunctionError(program.function())
         << "has a roofline above 2^61 - 1 cycles";
}

//===----------------------------------------------------------------------===//
// Rates of one engine
//===----------------------------------------------------------------------===//

/// Returns the bytes per second of all units; nothing if no rate is given.
static std::optional<int64_t> allUnits(const Engine &engine,
                                       std::optional<int64_t> bytesPerKilocycle,
                                       int64_t clockHz) {
  if (!bytesPerKilocycle)
    return std::nullopt;
  return ceilMulDiv(*bytesPerKilocycle, engine.units, clockHz, 1000);
}

std::optional<int64_t> mlir::llm::unitBytesPerSecond(const Engine &engine,
                                                     const Target &target) {
  // Ports run at the clock of the datasheet, as the memory behind them does.
  return allUnits(engine, engine.streamBytesPerKilocycle, target.clockHz);
}

std::optional<int64_t> mlir::llm::kernelBytesPerSecond(WorkloadOpInterface op,
                                                       const Workload &workload,
                                                       const Engine &engine,
                                                       const Target &target) {
  if (!engine.hasUnitTiles())
    return std::nullopt;
  std::unique_ptr<UnitKernel> kernel = UnitKernel::get(op, workload);
  // The other classes move bytes while they compute, at rates of their own.
  if (!kernel || kernel->opClass() != "elementwise")
    return std::nullopt;
  KernelFigures figures = kernelFiguresOf(op, workload, engine, *kernel);
  return allUnits(engine, figures.itemBytesPerKilocycle,
                  engine.sustainedClockHz.value_or(target.clockHz));
}
