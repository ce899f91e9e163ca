//===- RowModel.cpp - The time of a row as a function of a target ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/RowModel.h"
#include "CollectiveRow.h"
#include "RowTile.h"
#include "llm/Analysis/Totals.h"
#include "llm/Profile/SelectedTargets.h"
#include "llm/Support/Units.h"

using namespace mlir;
using namespace mlir::llm;

LogicalResult RowModels::add(const MeasuredRow &row, const Target &target) {
  if (std::optional<CollectiveKind> kind = parseCollectiveKind(row.opKind)) {
    if (failed(collectiveTime(row, *kind, target)))
      return failure();
    models.push_back({&row, {}});
    return success();
  }
  FailureOr<SmallVector<WorkloadOpInterface, 2>> ops = rowOps.build(row);
  if (failed(ops))
    return failure();
  if (ops->empty())
    return success();
  Model model{&row, {}};
  for (WorkloadOpInterface op : *ops) {
    FailureOr<RowTile> tile = chooseRowTile(op, row, target);
    if (failed(tile))
      return failure();
    KernelBytes bytes{double(tile->cost.getBytes(target.dram().name)),
                      tile->residentBytes};
    model.ops.push_back({tile->onTarget, unitKernelOf(tile->onTarget), bytes});
  }
  models.push_back(std::move(model));
  return success();
}

FailureOr<std::unique_ptr<RowModels>> RowModels::get(ArrayRef<MeasuredRow> rows,
                                                     const Target &target,
                                                     MLIRContext *context) {
  std::unique_ptr<RowModels> models(new RowModels(context));
  SelectedTargets targets(target);
  for (const MeasuredRow &row : rows)
    if (failed(models->add(row, targets.of(row))))
      return failure();
  return models;
}

/// Seconds of an op whose work spreads over the units evenly; negative where
/// they cannot be counted.
static double evenSeconds(const OpOnTarget &onTarget, double bytes) {
  FailureOr<int64_t> compute = computeCycles(onTarget);
  std::optional<int64_t> memory = memoryCycles(onTarget, int64_t(bytes));
  Count macs = countWork(onTarget.op, onTarget.workload, WorkKind::Mac);
  if (failed(compute) || !memory || failed(macs))
    return -1;
  std::optional<int64_t> energy =
      energyPicojoules(onTarget, *macs, int64_t(bytes), /*cachedBytes=*/0);
  std::optional<int64_t> power =
      energy ? powerCycles(*onTarget.target, *energy) : std::nullopt;
  if (!power)
    return -1;
  return double(onTarget.engine->overheadCycles +
                std::max({*compute, *memory, *power})) /
         double(onTarget.target->clockHz);
}

static double secondsOf(const OpOnTarget &original, const UnitKernel *kernel,
                        const KernelBytes &bytes, const Target &target) {
  OpOnTarget onTarget = original;
  onTarget.target = &target;
  onTarget.engine = target.findEngine(onTarget.workload.engineKinds());
  if (!kernel)
    return evenSeconds(onTarget, bytes.memory);
  UnitMachine machine = unitMachineOf(onTarget, *kernel);
  UnitTile tile = kernel->chooseTile(bytes, machine);
  return double(onTarget.engine->overheadCycles) / double(target.clockHz) +
         kernel->timeOf(tile, bytes, machine).totalSeconds;
}

std::vector<double> RowModels::predict(const Target &target,
                                       ArrayRef<size_t> indices) const {
  constexpr double micro = 1e6;
  SelectedTargets targets(target);
  std::vector<double> times;
  for (size_t index : indices) {
    const Model &model = models[index];
    const Target &ofRow = targets.of(*model.row);
    if (std::optional<CollectiveKind> kind =
            parseCollectiveKind(model.row->opKind)) {
      times.push_back(*collectiveTime(*model.row, *kind, ofRow));
      continue;
    }
    double seconds = 0;
    for (const OpModel &op : model.ops)
      seconds += secondsOf(op.onTarget, op.kernel.get(), op.bytes, ofRow);
    times.push_back(micro * seconds);
  }
  return times;
}
