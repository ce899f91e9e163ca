//===- MeasuredCosts.cpp - Measured times in a target ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/MeasuredCosts.h"
#include "llm/Cost/MeasuredTimes.h"
#include "llm/Measurements/CollectiveRow.h"
#include "llm/Measurements/RowOps.h"
#include "llm/Measurements/RowTile.h"
#include "llm/Measurements/SelectedTargets.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Rows to times
//===----------------------------------------------------------------------===//

namespace {
/// A kernel of a row, and what the formula says of it.
struct RowKernel {
  OpForm form;
  double microseconds;
};

/// A row with its kernels, the main one first.
struct KernelsOfRow {
  double microseconds; ///< as it was measured
  double memoryMicroseconds;
  bool isWarm; ///< its operands were in the cache
  std::vector<RowKernel> kernels;

  double ratio() const {
    double sum = 0;
    for (const RowKernel &kernel : kernels)
      sum += kernel.microseconds;
    return microseconds / sum;
  }
};

class TimesBuilder {
public:
  TimesBuilder(const Target &formula, Conditions conditions,
               MLIRContext *context)
      : formula(formula), conditions(conditions), targets(formula),
        ops(context) {}

  LogicalResult add(const MeasuredRow &row, Reasons reasons);
  /// Puts the times of all rows into the target. Returns how many are faster
  /// than memory sustains.
  size_t write(Target &target) const;

private:
  double microseconds(int64_t cycles) const {
    return cyclesToMicroseconds(cycles, formula.clockHz);
  }

  const Target &formula; ///< without measured times
  Conditions conditions;
  SelectedTargets targets;
  RowOps ops;
  std::vector<KernelsOfRow> rows;
};
} // namespace

/// Refuses a time that no kernel is likely to take.
static LogicalResult checkRatio(double ratio,
                                function_ref<Refusal()> refuse) {
  constexpr double most = 50; // no formula of ours is that far off
  if (ratio > most)
    return refuse() << "it takes more than " << int64_t(most)
                    << " times as long as the formula says; are its times "
                       "microseconds?";
  if (ratio < 1 / most)
    return refuse() << "it takes less than a fiftieth of what the formula "
                       "says; are its times microseconds?";
  return success();
}

LogicalResult TimesBuilder::add(const MeasuredRow &row, Reasons reasons) {
  auto refuse = [&] { return reasons.refuse(row.location); };
  if (isExchangeRow(row.opKind))
    return refuse() << "an exchange takes what its link's figures say";
  FailureOr<SmallVector<WorkloadOpInterface, 2>> built =
      ops.build(row, reasons);
  if (failed(built))
    return failure();
  if (built->empty())
    return refuse() << noSuchKind;
  const Target &machine =
      conditions == Conditions::OfRow ? targets.of(row) : formula;
  KernelsOfRow kernels{row.microseconds, 0, false, {}};
  for (WorkloadOpInterface op : *built) {
    FailureOr<RowTile> tile = chooseRowTile(op, row, machine, reasons);
    if (failed(tile))
      return failure();
    if (!canBeMeasured(tile->onTarget))
      return refuse() << "target '" << formula.name
                      << "' does not run it as one kernel of one engine";
    if (kernels.kernels.empty()) {
      kernels.isWarm = tile->residentBytes > 0;
      kernels.memoryMicroseconds = microseconds(tile->cost.cycles.memory);
    }
    kernels.kernels.push_back(
        {formOf(tile->onTarget), microseconds(tile->cost.cycles.total())});
  }
  if (failed(checkRatio(kernels.ratio(), refuse)))
    return failure();
  rows.push_back(std::move(kernels));
  return success();
}

static std::vector<MeasuredForm>
toForms(std::map<std::string, std::vector<MeasuredTime>> byForm) {
  std::vector<MeasuredForm> forms;
  for (auto &[name, times] : byForm) {
    auto tie = [](const MeasuredTime &time) {
      return std::tie(time.sizes, time.picoseconds, time.perMillion,
                      time.kernels);
    };
    llvm::sort(times, [&](const MeasuredTime &a, const MeasuredTime &b) {
      return tie(a) < tie(b);
    });
    forms.push_back({name, std::move(times)});
  }
  return forms;
}

size_t TimesBuilder::write(Target &target) const {
  constexpr double million = 1e6;
  std::map<std::string, std::vector<MeasuredTime>> byForm;
  auto add = [&](const RowKernel &kernel, int64_t picoseconds, double ratio,
                 int64_t kernels) {
    byForm[kernel.form.name].push_back(
        {kernel.form.sizes, picoseconds, std::llround(ratio * million),
         kernels});
  };
  // What the kernels beside the main ones take follows from all rows.
  for (const KernelsOfRow &row : rows)
    for (const RowKernel &other : llvm::drop_begin(row.kernels))
      add(other, /*picoseconds=*/0, row.ratio(), row.kernels.size());
  target.measured = toForms(byForm);
  size_t fasterThanMemory = 0;
  for (const KernelsOfRow &row : rows) {
    double own = row.microseconds;
    for (const RowKernel &other : llvm::drop_begin(row.kernels))
      own -= other.microseconds *
             correctionOf(other.form, target, other.microseconds / million)
                 .factor;
    bool isKnown = !row.isWarm && own > 0;
    add(row.kernels.front(), isKnown ? std::llround(own * million) : 0,
        row.ratio(), row.kernels.size());
    fasterThanMemory += isKnown && own < row.memoryMicroseconds;
  }
  target.measured = toForms(std::move(byForm));
  return fasterThanMemory;
}

MeasuredCosts llm::setMeasuredTimes(Target &target, ArrayRef<MeasuredRow> rows,
                                    MLIRContext *context,
                                    Conditions conditions) {
  target.measured.clear();
  const Target formula = target;
  TimesBuilder builder(formula, conditions, context);
  UnpredictedCollector unused;
  MeasuredCosts costs;
  for (const MeasuredRow &row : rows)
    costs.rows += succeeded(unused.attempt(
        row, [&](Reasons reasons) { return builder.add(row, reasons); }));
  costs.unused = unused.take();
  costs.fasterThanMemory = builder.write(target);
  return costs;
}

//===----------------------------------------------------------------------===//
// Tables to times
//===----------------------------------------------------------------------===//

/// Returns the different texts of the rows.
static std::set<StringRef> findTexts(ArrayRef<MeasuredRow> rows,
                                     std::string MeasuredRow::*text) {
  std::set<StringRef> texts;
  for (const MeasuredRow &row : rows)
    texts.insert(row.*text);
  return texts;
}

/// Writes "'a', 'b'".
static std::string list(const std::set<StringRef> &texts) {
  return texts.empty() ? "" : "'" + llvm::join(texts, "', '") + "'";
}

/// Times of several machines, or of several libraries, do not belong together.
static LogicalResult checkAlike(ArrayRef<MeasuredRow> rows,
                                EmitError emitError) {
  if (std::set<StringRef> devices = findTexts(rows, &MeasuredRow::device);
      devices.size() > 1)
    return emitError() << "the measured rows are of several devices, "
                       << list(devices)
                       << "; choose one with 'measured-device' ('--device' of "
                          "llm-prof)";
  std::map<std::pair<StringRef, StringRef>, std::set<StringRef>> kinds;
  for (const MeasuredRow &row : rows)
    kinds[{row.opKind, row.dtype}].insert(row.backend);
  for (const auto &[kind, libraries] : kinds)
    if (libraries.size() > 1)
      return emitError() << "the measured rows of '" << kind.first
                         << "' are of several libraries, " << list(libraries)
                         << "; choose one with 'measured-backend' ('--backend' "
                            "of llm-prof)";
  return success();
}

LogicalResult llm::readMeasuredTimes(ArrayRef<std::string> paths,
                                     const MeasuredFilter &filter,
                                     Target &target, MLIRContext *context,
                                     EmitError emitError,
                                     Conditions conditions) {
  std::vector<MeasuredRow> all, rows;
  for (const std::string &path : paths) {
    FailureOr<std::vector<MeasuredRow>> read = readMeasuredTable(path, context);
    if (failed(read))
      return failure();
    llvm::append_range(all, *read);
  }
  llvm::copy_if(all, std::back_inserter(rows), [&](const MeasuredRow &row) {
    return filter.accepts(row);
  });
  if (rows.empty())
    return emitError() << "no measured row is left; the rows have the devices "
                       << list(findTexts(all, &MeasuredRow::device))
                       << " and the libraries "
                       << list(findTexts(all, &MeasuredRow::backend));
  if (failed(checkAlike(rows, emitError)))
    return failure();
  MeasuredCosts costs = setMeasuredTimes(target, rows, context, conditions);
  if (costs.rows == 0) {
    emitErrors(costs.unused);
    return failure();
  }
  emitWarnings(costs.unused);
  if (costs.fasterThanMemory > 0)
    emitWarning(rows.front().location)
        << costs.fasterThanMemory << " of " << costs.rows
        << " measured rows are faster than memory sustains by target '"
        << target.name << "'; costs end there";
  return success();
}
