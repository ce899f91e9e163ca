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

#include <cmath>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// Rows to times
//===----------------------------------------------------------------------===//

namespace {
class TimesBuilder {
public:
  TimesBuilder(const Target &formula, Conditions conditions,
               MLIRContext *context)
      : formula(formula), conditions(conditions), targets(formula),
        ops(context) {}

  LogicalResult add(const MeasuredRow &row, Reasons reasons);
  std::vector<MeasuredForm> take();

  size_t fasterThanMemory = 0;

private:
  double microseconds(int64_t cycles) const {
    return cyclesToMicroseconds(cycles, formula.clockHz);
  }

  const Target &formula; ///< without measured times
  Conditions conditions;
  SelectedTargets targets;
  RowOps ops;
  std::map<std::string, std::vector<MeasuredTime>> byForm;
};
} // namespace

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
  FailureOr<RowTile> main =
      chooseRowTile(built->front(), row, machine, reasons);
  if (failed(main))
    return failure();
  if (!canBeMeasured(main->onTarget))
    return refuse() << "target '" << formula.name
                    << "' does not run it as one kernel of one engine";
  double own = row.microseconds;
  for (WorkloadOpInterface other : llvm::drop_begin(*built)) {
    FailureOr<RowTile> tile = chooseRowTile(other, row, machine, reasons);
    if (failed(tile))
      return failure();
    own -= microseconds(tile->cost.getCycles());
  }
  double predicted = microseconds(main->cost.getCycles()),
         ratio = own / predicted;
  constexpr double most = 50; // no kernel of ours is that far off
  if (ratio > most)
    return refuse() << "it takes more than " << int64_t(most)
                    << " times as long as the formula says; are its times "
                       "microseconds?";
  if (ratio < 1 / most)
    return refuse() << "it takes less than a fiftieth of what the formula "
                       "says; are its times microseconds?";
  OpForm form = formOf(main->onTarget);
  constexpr double million = 1e6;
  bool isWarm = main->residentBytes > 0;
  byForm[form.name].push_back({std::move(form.sizes),
                               isWarm ? 0 : std::llround(own * million),
                               std::llround(ratio * million)});
  fasterThanMemory +=
      !isWarm && own < microseconds(main->cost.getMemoryCycles());
  return success();
}

std::vector<MeasuredForm> TimesBuilder::take() {
  std::vector<MeasuredForm> forms;
  for (auto &[name, times] : byForm) {
    auto tie = [](const MeasuredTime &time) {
      return std::tie(time.sizes, time.picoseconds, time.perMillion);
    };
    llvm::sort(times, [&](const MeasuredTime &a, const MeasuredTime &b) {
      return tie(a) < tie(b);
    });
    forms.push_back({name, std::move(times)});
  }
  return forms;
}

MeasuredCosts llm::setMeasuredTimes(Target &target, ArrayRef<MeasuredRow> rows,
                                    MLIRContext *context,
                                    Conditions conditions) {
  target.measured.clear();
  TimesBuilder builder(target, conditions, context);
  UnpredictedCollector unused;
  MeasuredCosts costs;
  for (const MeasuredRow &row : rows)
    costs.rows += succeeded(unused.attempt(
        row, [&](Reasons reasons) { return builder.add(row, reasons); }));
  costs.unused = unused.take();
  costs.fasterThanMemory = builder.fasterThanMemory;
  target.measured = builder.take();
  return costs;
}

//===----------------------------------------------------------------------===//
// Tables to times
//===----------------------------------------------------------------------===//

/// Returns the different texts of the rows, in order, as "'a', 'b'".
static std::pair<std::string, size_t>
listTexts(ArrayRef<MeasuredRow> rows, std::string MeasuredRow::*text) {
  std::set<std::string> texts;
  for (const MeasuredRow &row : rows)
    texts.insert(row.*text);
  std::string list;
  for (const std::string &each : texts)
    list += (list.empty() ? "'" : ", '") + each + "'";
  return {list, texts.size()};
}

/// Times of several machines, or of several libraries, do not belong together.
static LogicalResult checkAlike(ArrayRef<MeasuredRow> rows,
                                EmitError emitError) {
  if (auto [devices, count] = listTexts(rows, &MeasuredRow::device); count > 1)
    return emitError() << "the measured rows are of several devices, "
                       << devices
                       << "; choose one with 'measured-device' ('--device' of "
                          "llm-prof)";
  std::map<std::pair<std::string, std::string>, std::vector<MeasuredRow>> kinds;
  for (const MeasuredRow &row : rows)
    kinds[{row.opKind, row.dtype}].push_back(row);
  for (const auto &[kind, ofKind] : kinds)
    if (auto [libraries, count] = listTexts(ofKind, &MeasuredRow::backend);
        count > 1)
      return emitError() << "the measured rows of '" << kind.first
                         << "' are of several libraries, " << libraries
                         << "; choose one with 'measured-backend' ('--backend' "
                            "of llm-prof)";
  return success();
}

LogicalResult llm::readMeasuredTimes(ArrayRef<std::string> paths,
                                     const MeasuredFilter &filter,
                                     Target &target, MLIRContext *context,
                                     EmitError emitError,
                                     Conditions conditions) {
  std::vector<MeasuredRow> rows;
  for (const std::string &path : paths) {
    FailureOr<std::vector<MeasuredRow>> read = readMeasuredTable(path, context);
    if (failed(read))
      return failure();
    llvm::copy_if(*read, std::back_inserter(rows), [&](const MeasuredRow &row) {
      return filter.accepts(row);
    });
  }
  if (rows.empty())
    return emitError() << "no measured row is left; name a device and a library "
                          "that the columns 'device' and 'backend' have";
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
