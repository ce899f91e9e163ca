//===- RowModel.cpp - The time of a row as a function of a target ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Profile/RowModel.h"
#include "llm/Measurements/CollectiveRow.h"
#include "llm/Measurements/RowTile.h"
#include "llm/Measurements/SelectedTargets.h"
#include "llm/Program/Totals.h"
#include "llm/Support/Units.h"

#include <map>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Models of rows
//===----------------------------------------------------------------------===//

std::string mlir::llm::describeOp(const MeasuredRow &row) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const std::string &name :
       {row.opKind, row.dtype, row.backend, row.routing, row.kvDtype})
    os << name.size() << ":" << name << ",";
  os << row.isReplayed() << row.writesCache();
  // The program of a kind may use any column.
  if (!RowOps::isOneOp(row.opKind))
    for (const auto &[column, text] : row.cells)
      if (column != "measured_us")
        os << column << "=" << text << ",";
  for (std::optional<int64_t> size :
       {row.m, row.n, row.k, row.batch, row.heads, row.kvHeads, row.headDim,
        row.qLen, row.kvLen, row.causal, row.window, row.valueDim, row.rows,
        row.cols, row.cacheResident,
        row.devices, row.messageBytes, row.topK}) {
    os << ",";
    if (size)
      os << *size;
  }
  return text;
}

bool RowModels::View::operator==(const View &other) const {
  return row->kernelLibrary() == other.row->kernelLibrary() &&
         row->isReplayed() == other.row->isReplayed() && kinds == other.kinds &&
         macType == other.macType && opClass == other.opClass &&
         opName == other.opName && format == other.format;
}

size_t RowModels::addView(const View &view) {
  auto known = llvm::find(views, view);
  if (known != views.end())
    return size_t(known - views.begin());
  views.push_back(view);
  return views.size() - 1;
}

FailureOr<RowModels::Model> RowModels::makeModel(const MeasuredRow &row,
                                                 const Target &target,
                                                 Reasons reasons) {
  Model model{&row, 0, {}};
  if (isExchangeRow(row.opKind)) {
    if (failed(exchangeTime(row, target, reasons)))
      return failure();
    model.view = addView({&row, std::nullopt, Type(), "", "", ""});
    return model;
  }
  FailureOr<SmallVector<WorkloadOpInterface, 2>> ops =
      rowOps.build(row, reasons);
  if (failed(ops))
    return failure();
  if (ops->empty())
    return reasons.refuse(row.location) << noSuchKind;
  for (WorkloadOpInterface op : *ops) {
    FailureOr<RowTile> tile = chooseRowTile(op, row, target, reasons);
    if (failed(tile))
      return failure();
    KernelBytes bytes{double(tile->cost.traffic.shared.back()),
                      tile->residentBytes};
    std::unique_ptr<UnitKernel> kernel = unitKernelOf(tile->onTarget);
    // Later errors of the op go to nobody, since callers only ask for times.
    tile->onTarget.reasons = Reasons::unsaid();
    const Workload &workload = tile->onTarget.workload;
    View view{&row,
              workload.engineKinds(),
              workload.macElementType(),
              kernel ? kernel->opClass() : StringRef(),
              op->getName().getStringRef(),
              formatOf(workload)};
    model.ops.push_back(
        {tile->onTarget, std::move(kernel), bytes, addView(view)});
  }
  return model;
}

std::unique_ptr<RowModels> RowModels::get(ArrayRef<MeasuredRow> rows,
                                          const Target &target,
                                          MLIRContext *context) {
  std::unique_ptr<RowModels> models(new RowModels(context));
  SelectedTargets targets(target);
  UnpredictedCollector unpredicted;
  std::map<std::string, size_t> known;
  for (const MeasuredRow &row : rows) {
    auto [entry, isNew] =
        known.try_emplace(describeOp(row), models->models.size());
    if (isNew && failed(unpredicted.attempt(row, [&](Reasons reasons) {
          FailureOr<Model> model =
              models->makeModel(row, targets.of(row), reasons);
          if (succeeded(model))
            models->models.push_back(std::move(*model));
          return LogicalResult(model);
        }))) {
      // An equal row would have the same error.
      known.erase(entry);
      continue;
    }
    models->rows.push_back({&row, entry->second});
  }
  models->leftOut = unpredicted.take();
  return models;
}

Type RowModels::macTypeOf(size_t index) const {
  const Model &model = models[rows[index].model];
  return model.ops.empty() ? Type() : views[model.ops.front().view].macType;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// The machines of the views of one target. Each is made when it is first asked
/// for.
class RowModels::Machines {
public:
  struct RowTarget {
    const Target *target = nullptr;
    const Engine *engine = nullptr; ///< null for a collective
    UnitMachine units;              ///< for views with a class
  };

  Machines(ArrayRef<View> views, const Target &target)
      : views(views), targets(target), made(views.size()) {}

  const RowTarget &of(size_t index) {
    RowTarget &machine = made[index];
    if (machine.target)
      return machine;
    const View &view = views[index];
    machine.target = &targets.of(*view.row);
    if (!view.kinds)
      return machine;
    machine.engine = machine.target->findEngine(*view.kinds);
    if (!view.opClass.empty())
      machine.units =
          UnitMachine::get(*machine.target, *machine.engine, view.macType,
                           machine.engine->kernelFigures(
                               view.opClass, view.opName, view.format));
    return machine;
  }

private:
  ArrayRef<View> views;
  SelectedTargets targets;
  std::vector<RowTarget> made;
};

/// Returns the seconds of an op whose work spreads over the units evenly. It is
/// negative if they cannot be counted.
static double evenSeconds(const OpOnTarget &original, double bytes,
                          const Target &target, const Engine &engine) {
  OpOnTarget onTarget = original;
  onTarget.target = &target;
  onTarget.engine = &engine;
  FailureOr<int64_t> compute = computeCycles(onTarget);
  MovedBytes moved;
  moved.shared.assign(target.sharedMemories().size(), int64_t(bytes));
  FailureOr<Traffic> traffic = Traffic::get(onTarget, std::move(moved));
  if (failed(compute) || failed(traffic))
    return -1;
  int64_t unlimited = std::max(*compute, traffic->memoryCycles);
  std::optional<int64_t> power =
      powerCycles(target, traffic->picojoules, unlimited);
  if (!power)
    return -1;
  int64_t cycles = std::max(unlimited, *power);
  return double(engine.overheadCycles + cycles) / double(target.clockHz);
}

std::vector<RowModels::Kernel> RowModels::kernelsOf(StringRef opClass) const {
  std::vector<Kernel> kernels;
  for (const View &view : views)
    if (Kernel kernel{view.opClass, view.opName, view.format};
        llvm::is_contained(opClassesFor(view.opClass), opClass) &&
        !llvm::is_contained(kernels, kernel))
      kernels.push_back(kernel);
  return kernels;
}

double RowModels::predict(const Model &model, Machines &machines) const {
  if (model.ops.empty())
    return *exchangeTime(*model.row, *machines.of(model.view).target,
                         Reasons());
  double seconds = 0;
  for (const OpModel &op : model.ops) {
    const Machines::RowTarget &machine = machines.of(op.view);
    if (!op.kernel) {
      seconds += evenSeconds(op.onTarget, op.bytes.memory, *machine.target,
                             *machine.engine);
      continue;
    }
    UnitTile tile = op.kernel->chooseTile(op.bytes, machine.units);
    seconds += double(machine.engine->overheadCycles) /
                   double(machine.target->clockHz) +
               op.kernel->timeOf(tile, op.bytes, machine.units).totalSeconds;
  }
  constexpr double micro = 1e6;
  return micro * seconds;
}

std::vector<double> RowModels::predict(const Target &target,
                                       ArrayRef<size_t> indices) const {
  Machines machines(views, target);
  std::vector<std::optional<double>> known(models.size());
  std::vector<double> times;
  times.reserve(indices.size());
  for (size_t index : indices) {
    std::optional<double> &time = known[rows[index].model];
    if (!time)
      time = predict(models[rows[index].model], machines);
    times.push_back(*time);
  }
  return times;
}

//===----------------------------------------------------------------------===//
// What a time depends on
//===----------------------------------------------------------------------===//

/// Whether engines are equal except for their kernels.
static bool haveEqualRates(const Engine &one, const Engine &other) {
  Engine a = one, b = other;
  a.kernels.clear();
  b.kernels.clear();
  return a == b;
}

bool RowModels::isEqualFor(const View &view, const Target &one,
                           const Target &other) {
  if (one.memories != other.memories || one.clockHz != other.clockHz)
    return false;
  if (!view.kinds)
    return one.links == other.links;
  const Engine &a = *one.findEngine(*view.kinds),
               &b = *other.findEngine(*view.kinds);
  return haveEqualRates(a, b) &&
         (view.opClass.empty() ||
          a.kernelFigures(view.opClass, view.opName, view.format) ==
              b.kernelFigures(view.opClass, view.opName, view.format));
}

llvm::BitVector RowModels::findAffected(const Target &one,
                                        const Target &other) const {
  SelectedTargets ones(one), others(other);
  llvm::BitVector isAffected(views.size());
  for (auto [index, view] : llvm::enumerate(views))
    isAffected[index] =
        !isEqualFor(view, ones.of(*view.row), others.of(*view.row));
  llvm::BitVector affected(rows.size());
  for (auto [index, row] : llvm::enumerate(rows)) {
    const Model &model = models[row.model];
    affected[index] = model.ops.empty()
                          ? isAffected[model.view]
                          : llvm::any_of(model.ops, [&](const OpModel &op) {
                              return isAffected[op.view];
                            });
  }
  return affected;
}
